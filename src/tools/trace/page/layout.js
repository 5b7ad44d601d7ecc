// ---- layout.js: which rows there are, and which part of them and of the time is seen ----

const GUTTER = 178, RULER = 26, MAP = 34, TOP = RULER + MAP, SESSION_ROW = 28, LANE_ROW = 40, MIDDLE = 23;
const view = {begin: traceBegin, end: traceEnd, top: 0, width: 800, height: 600};
const filter = {hidden: new Set(), session: "", failures: false, arms: true, now: false};
let rows = {lane: new Int32Array(0), run: new Uint32Array(0), y: new Float64Array(1)};
const rowOfLane = new Int32Array(laneCount);

function runIsWanted(run) {
  if (filter.failures && run.fails === 0 && (run.status === "success" || run.status === ""))
    return false;
  const wanted = filter.session.trim().toLowerCase();
  if (wanted === "")
    return true;
  if (/^\d+$/.test(wanted))
    return String(run.number + 1) === wanted;
  return (run.choreography + "." + run.definition + " " + run.name + " " + run.status + " " + run.why).toLowerCase().includes(wanted);
}

const isInView = run => run.end >= view.begin && run.begin <= view.end;
let shownKey = "";
// With `only those in view`, other sessions may have come into view; the topmost one that stays keeps its place.
function follow() {
  if (!filter.now)
    return;
  let first = -1, all = 0;
  for (const run of candidates)
    if (isInView(run)) {
      if (first < 0) first = run.number;
      all += run.number + 1;
    }
  if (shownKey === first + " " + all)
    return;
  shownKey = first + " " + all;
  const row = Math.max(0, search(rows.y, 0, rows.y.length, view.top, false) - 1), anchor = rows.run[row], away = view.top - rows.y[row];
  layout();
  const again = rows.run.indexOf(anchor);
  scrollTo(again >= 0 ? rows.y[again] + Math.max(0, away) : view.top);
}
let candidates = [];
function refilter() {
  candidates = runs.filter(run => run.begin !== Infinity && runIsWanted(run));
  layout();
}
function layout() {
  const lane = [], run = [], y = [0];
  rowOfLane.fill(-1);
  let at = 0;
  for (const r of candidates) {
    if (filter.now && !isInView(r))
      continue;
    lane.push(-1);
    run.push(r.number);
    y.push(at += SESSION_ROW);
    for (const l of r.lanes) {
      if (filter.hidden.has(l.family) || (l.arm && !filter.arms))
        continue;
      rowOfLane[l.number] = lane.length;
      lane.push(l.number);
      run.push(r.number);
      y.push(at += LANE_ROW);
    }
  }
  rows = {lane: Int32Array.from(lane), run: Uint32Array.from(run), y: Float64Array.from(y)};
  document.getElementById("height").style.height = at + TOP + 8 + "px";
  scrollTo(view.top);
}

const total = () => rows.y[rows.y.length - 1];
function scrollTo(top) {
  const bar = document.getElementById("scroll");
  view.top = Math.max(0, Math.min(top, total() + 8 - (view.height - TOP)));
  if (Math.abs(bar.scrollTop - view.top) > 1)
    bar.scrollTop = view.top;
  redraw();
}
const xOf = time => GUTTER + (time - view.begin) / (view.end - view.begin) * (view.width - GUTTER);
const timeAt = x => view.begin + (x - GUTTER) / (view.width - GUTTER) * (view.end - view.begin);
const yOfRow = row => rows.y[row] - view.top + TOP;
// Arms that are not shown are drawn on their role's row.
function rowFor(lane) {
  if (rowOfLane[lane] >= 0 || !lanes[lane].arm)
    return rowOfLane[lane];
  return lanes[lane].of ? rowOfLane[lanes[lane].of.number] : -1;
}
const middleOf = lane => { const row = rowFor(lane); return row < 0 ? NaN : yOfRow(row) + MIDDLE; };

const SPAN_LEAST = 50; // nanoseconds
function setRange(begin, end) {
  const whole = traceEnd - traceBegin, margin = whole * 0.02 + SPAN_LEAST;
  let span = Math.max(SPAN_LEAST, Math.min(end - begin, whole + 2 * margin));
  const middle = (begin + end) / 2;
  begin = Math.max(traceBegin - margin, Math.min(middle - span / 2, traceEnd + margin - span));
  view.begin = begin;
  view.end = begin + span;
  follow();
  redraw();
}
function zoom(factor, x) {
  const time = x === undefined ? (view.begin + view.end) / 2 : timeAt(x);
  setRange(time - (time - view.begin) * factor, time + (view.end - time) * factor);
}
function showAll() {
  let begin = Infinity, end = -Infinity;
  for (const run of candidates) {
    begin = Math.min(begin, run.begin);
    end = Math.max(end, run.end);
  }
  if (!(end > begin))
    [begin, end] = [traceBegin, traceEnd];
  const margin = (end - begin) * 0.02 + 1;
  setRange(begin - margin, end + margin);
}
// Brings an event into view, and close enough to see what is around it.
function showEvent(i) {
  const run = runs[runOfLane[E.lane[i]]], row = rowFor(E.lane[i]);
  const most = Math.max((run.end - run.begin) * 1.05, 1000), span = Math.min(view.end - view.begin, most);
  if (E.time[i] < view.begin + span * 0.05 || E.time[i] > view.end - span * 0.05 || span < view.end - view.begin)
    setRange(E.time[i] - span / 2, E.time[i] + span / 2);
  if (row >= 0 && (yOfRow(row) < TOP || yOfRow(row) + LANE_ROW > view.height))
    scrollTo(rows.y[row] - (view.height - TOP) / 2);
  redraw();
}
