// ---- draw.js: the canvas. What takes less than a pixel is drawn as the share of the pixel that it fills ----

const canvas = document.getElementById("canvas"), context = canvas.getContext("2d", {alpha: false});
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif", SMALL = "11px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
let color = {}, dirty = false, selected = -1, hovered = -1;
const drawn = {arrows: [], count: 0, ms: 0, frames: 0};
const matches = {events: [], at: -1, set: new Set()};

function readColors() {
  const style = getComputedStyle(document.documentElement);
  color = {};
  for (const name of ["page", "panel", "text", "muted", "line", "life", "step", "step-text", "call", "message", "tell", "block", "block-edge", "rescue",
                      "rescue-edge", "fail", "good", "warn", "band", "found", "row"])
    color[name] = style.getPropertyValue("--" + name).trim();
}
function redraw() {
  if (dirty)
    return;
  dirty = true;
  requestAnimationFrame(() => { dirty = false; draw(); });
}
function resize() {
  const box = document.getElementById("stage").getBoundingClientRect(), scale = window.devicePixelRatio || 1;
  view.width = Math.max(320, box.width - 14);
  view.height = Math.max(160, box.height);
  canvas.width = Math.round(view.width * scale);
  canvas.height = Math.round(view.height * scale);
  canvas.style.width = view.width + "px";
  canvas.style.height = view.height + "px";
  context.setTransform(scale, 0, 0, scale, 0, 0);
  mapImage = null;
  scrollTo(view.top);
}

function label(text, x, y, width, fill, font) {
  if (width < 14)
    return;
  context.font = font || FONT;
  context.fillStyle = fill;
  const fits = Math.floor(width / 5);
  let shown = text.length > fits ? text.slice(0, Math.max(1, fits - 1)) + "…" : text;
  while (shown.length > 2 && context.measureText(shown).width > width)
    shown = shown.slice(0, -2) + "…";
  if (context.measureText(shown).width <= width)
    context.fillText(shown, x, y);
}

// ---- ruler and overview ----

function drawRuler() {
  const span = view.end - view.begin, wanted = span / ((view.width - GUTTER) / 110);
  const power = Math.pow(10, Math.floor(Math.log10(wanted)));
  const tick = [1, 2, 5, 10].map(n => n * power).find(n => n >= wanted) || wanted;
  context.fillStyle = color.panel;
  context.fillRect(0, 0, view.width, TOP);
  context.strokeStyle = color.line;
  context.beginPath();
  for (let t = Math.ceil((view.begin - traceBegin) / tick) * tick + traceBegin; t <= view.end; t += tick) {
    const x = Math.round(xOf(t)) + 0.5;
    context.moveTo(x, MAP + RULER - 5);
    context.lineTo(x, view.height);
    label(timeTick(t - traceBegin, tick), x + 3, MAP + 17, 100, color.muted, SMALL);
  }
  context.stroke();
}
function timeTick(ns, tick) {
  const [unit, name] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([least]) => Math.max(Math.abs(ns), tick) >= least) || [1, "ns"];
  const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(unit / tick) - 1e-9)));
  return (ns / unit).toFixed(digits) + " " + name;
}

let mapImage = null;
// Made once for a size: how much happens in each column of the whole trace.
function makeMap() {
  const width = Math.max(1, Math.floor(view.width - GUTTER)), columns = new Float64Array(width), bad = new Uint8Array(width);
  const scale = (width - 1) / (traceEnd - traceBegin);
  for (let i = 0; i < count; i++) {
    const x = Math.floor((E.time[i] - traceBegin) * scale);
    columns[x]++;
    if (E.kind[i] === FAIL)
      bad[x] = 1;
  }
  const most = Math.max(1, columns.reduce((a, b) => Math.max(a, b), 0));
  mapImage = document.createElement("canvas");
  mapImage.width = width;
  mapImage.height = MAP;
  const map = mapImage.getContext("2d");
  for (let x = 0; x < width; x++) {
    if (columns[x] === 0)
      continue;
    const high = 2 + (MAP - 10) * Math.log1p(columns[x]) / Math.log1p(most);
    map.fillStyle = color.life;
    map.fillRect(x, MAP - 4 - high, 1, high);
  }
  map.fillStyle = color.fail;
  for (let x = 0; x < width; x++)
    if (bad[x])
      map.fillRect(x - 1, 2, 3, MAP - 6);
}
function drawMap() {
  if (!mapImage)
    makeMap();
  context.drawImage(mapImage, GUTTER, 0);
  const scale = (view.width - GUTTER) / (traceEnd - traceBegin);
  const left = GUTTER + Math.max(0, (view.begin - traceBegin) * scale);
  const right = Math.min(view.width, GUTTER + (view.end - traceBegin) * scale);
  context.fillStyle = color.block;
  context.fillRect(left, 0, Math.max(2, right - left), MAP - 2);
  context.strokeStyle = color["block-edge"];
  context.strokeRect(left + 0.5, 0.5, Math.max(2, right - left - 1), MAP - 3);
  context.fillStyle = color.panel;
  context.fillRect(0, 0, GUTTER, TOP);
  label("whole trace: " + timeText(traceEnd - traceBegin), 10, 20, GUTTER - 16, color.muted, SMALL);
  label("seen: " + timeText(view.end - view.begin), 10, MAP + 17, GUTTER - 16, color.muted, SMALL);
}

// ---- rows ----

function drawSession(row, run, y) {
  context.fillStyle = color.row;
  context.fillRect(0, y, view.width, SESSION_ROW);
  const left = Math.max(GUTTER, xOf(run.begin)), right = Math.min(view.width, xOf(run.end));
  const isGood = run.status === "success";
  if (right >= GUTTER && left <= view.width) {
    context.fillStyle = isGood ? color.band : run.status ? color.fail + "30" : color.row;
    context.fillRect(left, y + 5, Math.max(2, right - left), SESSION_ROW - 10);
    const text = (run.status || "its end is not in the trace") + (run.why ? ": " + run.why : "") + ", " + timeText(run.end - run.begin);
    label(text, left + 6, y + 18, Math.max(220, right - left - 10), isGood ? color.good : run.status ? color.fail : color.muted, SMALL);
  }
}

function drawSpans(lane, y) {
  for (let depth = 0; depth < lane.blocks.length; depth++) {
    const spans = lane.blocks[depth];
    if (!spans)
      continue;
    const inset = Math.min(depth * 3, 9);
    let last = -1;
    for (let k = Math.max(0, search(spans.from, 0, spans.from.length, view.begin, false) - 1); k < spans.from.length && spans.from[k] <= view.end;) {
      const left = Math.max(xOf(spans.from[k]), GUTTER - 2), right = Math.min(xOf(spans.to[k]), view.width + 2), i = spans.event[k];
      const width = Math.max(1, right - left);
      if (right >= GUTTER && Math.floor(left + width) > last) {
        context.fillStyle = E.rescue[i] ? color.rescue : color.block;
        context.fillRect(left, y + 3 + inset, width, LANE_ROW - 6 - 2 * inset);
        if (width > 6) {
          context.fillStyle = E.rescue[i] ? color["rescue-edge"] : color["block-edge"];
          context.fillRect(left, y + 3 + inset, 1.5, LANE_ROW - 6 - 2 * inset);
          context.fillStyle = spans.failed[k] ? color.fail : context.fillStyle;
          context.fillRect(left + width - 1.5, y + 3 + inset, 1.5, LANE_ROW - 6 - 2 * inset);
          if (E.rescue[i] || E.attempt[i])
            label(E.rescue[i] ? "rescue" : "attempt " + (E.attempt[i] + 1), left + 4, y + 12 + inset, width - 8, color["rescue-edge"], SMALL);
        }
        last = Math.floor(left + width);
      }
      // Many in one pixel: go on behind it.
      k = width > 1 ? k + 1 : Math.max(k + 1, search(spans.from, k + 1, spans.from.length, timeAt(Math.floor(left) + 1), true));
    }
  }
}

function drawCalls(lane, y) {
  context.fillStyle = color.call;
  const spans = lane.calls[0];
  for (let depth = 0; depth < Math.min(lane.calls.length, 3) && spans; depth++) {
    const list = lane.calls[depth];
    for (let k = Math.max(0, search(list.from, 0, list.from.length, view.begin, false) - 1), drawnNow = 0; k < list.from.length && list.from[k] <= view.end && drawnNow < 400; drawnNow++) {
      const left = Math.max(xOf(list.from[k]), GUTTER), right = Math.min(xOf(list.to[k]), view.width);
      if (right > left + 1) {
        context.fillStyle = color.call;
        context.fillRect(left, y + LANE_ROW - 3 - depth * 2, right - left, 1);
      }
      k = right > left + 1 ? k + 1 : Math.max(k + 1, search(list.from, k + 1, list.from.length, timeAt(Math.floor(left) + 1), true));
    }
  }
}

const HIGH = 14, LEVELS = 8;
// Steps. Columns of equal density are one rectangle.
function drawSteps(lane, y) {
  const first = steps.first[lane.number], end = steps.first[lane.number + 1], top = y + MIDDLE - HIGH / 2;
  if (first === end)
    return;
  const pixel = (view.end - view.begin) / (view.width - GUTTER);
  let k = Math.max(first, search(steps.time, first, end, view.begin, true) - 1), columnLeft = 0, columnRight = -1, columnLevel = 0;
  const flush = () => {
    if (columnRight > columnLeft) {
      context.globalAlpha = 0.25 + 0.75 * columnLevel / LEVELS;
      context.fillRect(columnLeft, top, columnRight - columnLeft, HIGH);
      context.globalAlpha = 1;
    }
    columnRight = -1;
  };
  context.fillStyle = color.step;
  while (k < end && steps.time[k] <= view.end) {
    const i = steps.items[k], left = xOf(steps.time[k]), right = xOf(steps.time[k] + E.duration[i]);
    if (right - left >= 1) {
      flush();
      const from = Math.max(left, GUTTER);
      if (right > GUTTER) {
        context.fillStyle = color.step;
        context.fillRect(from, top, Math.min(right, view.width) - from, HIGH);
        label(texts[E.text[i]] || "line " + lineOf(i), from + 3, top + 11, Math.min(right, view.width) - from - 6, color["step-text"], SMALL);
        context.fillStyle = color.step;
      }
      k++;
      continue;
    }
    const column = Math.floor(left), next = Math.max(k + 1, search(steps.time, k + 1, Math.min(end, k + 1 + 1e9), timeAt(column + 1), true));
    const level = Math.min(LEVELS, Math.round(LEVELS * (steps.busy[next] - steps.busy[k]) / pixel));
    if (column >= GUTTER) {
      if (columnRight !== column || columnLevel !== level) {
        flush();
        columnLeft = column;
        columnLevel = level;
      }
      columnRight = column + 1;
    }
    k = next;
  }
  flush();
}

function drawMarks(lane, y) {
  const first = marks.first[lane.number], end = marks.first[lane.number + 1];
  let last = -Infinity;
  for (let k = search(marks.time, first, end, view.begin, true); k < end && marks.time[k] <= view.end; k++) {
    const i = marks.items[k], x = xOf(marks.time[k]), kind = E.kind[i];
    if (x < last + 3 && kind !== FAIL)
      continue;
    drawMark(kind, E.rescue[i], x, y + MIDDLE);
    last = x;
    if (end - first > 5000)
      k = Math.max(k, search(marks.time, k, end, timeAt(x + 3), true) - 1);
  }
}
function drawMark(kind, isRescue, x, y) {
  context.fillStyle = kind === FAIL ? color.fail : kind === RESTART ? color.good : color.warn;
  context.beginPath();
  context.arc(x, y, 8, 0, 7);
  context.fill();
  context.strokeStyle = context.fillStyle === color.page ? color.text : color.page;
  context.lineWidth = 2;
  context.beginPath();
  if (kind === FAIL) {
    context.moveTo(x - 3.5, y - 3.5); context.lineTo(x + 3.5, y + 3.5);
    context.moveTo(x + 3.5, y - 3.5); context.lineTo(x - 3.5, y + 3.5);
  } else {
    const turn = kind === RESTART ? 1 : -1;
    context.arc(x, y, 4, turn > 0 ? -0.5 : Math.PI + 0.5, turn > 0 ? 4.2 : 5.2 - 2 * Math.PI, turn < 0);
    const angle = turn > 0 ? 4.2 : 5.2, tipX = x + 4 * Math.cos(angle), tipY = y + 4 * Math.sin(angle);
    context.moveTo(tipX - 2.5 * turn, tipY + 2); context.lineTo(tipX + 0.5 * turn, tipY); context.lineTo(tipX - 1 * turn, tipY - 3);
  }
  context.stroke();
  context.lineWidth = 1;
}

// A failure concerns the whole session.
function drawFailures(run, top, bottom) {
  if (run.fails === 0)
    return;
  context.strokeStyle = color.fail;
  context.setLineDash([4, 3]);
  context.beginPath();
  for (const lane of run.lanes) {
    const first = marks.first[lane.number], end = marks.first[lane.number + 1];
    let last = -Infinity;
    for (let k = search(marks.time, first, end, view.begin, true); k < end && marks.time[k] <= view.end; k++) {
      const x = Math.round(xOf(marks.time[k])) + 0.5;
      if (E.kind[marks.items[k]] !== FAIL || x <= last + 1)
        continue;
      context.moveTo(x, top);
      context.lineTo(x, bottom);
      last = x;
    }
  }
  context.stroke();
  context.setLineDash([]);
}

// ---- messages ----

function arrowHead(x0, y0, x1, y1) {
  const angle = Math.atan2(y1 - y0, x1 - x0), size = 7;
  context.moveTo(x1, y1);
  context.lineTo(x1 - size * Math.cos(angle - 0.4), y1 - size * Math.sin(angle - 0.4));
  context.lineTo(x1 - size * Math.cos(angle + 0.4), y1 - size * Math.sin(angle + 0.4));
  context.closePath();
}
// Of the messages of a session those that are seen, at most `perPixel` for each column.
function collectArrows(run, perPixel, into) {
  const first = messages.first[run.number], end = messages.first[run.number + 1];
  const pixel = (view.end - view.begin) / (view.width - GUTTER);
  let k = search(messages.time, first, end, view.begin, true);
  // Those that are still under way when the view begins.
  for (let b = Math.floor(first / BLOCK), early = 0; b * BLOCK < k && early < 500; b++) {
    if (messages.latest[b] < view.begin)
      continue;
    for (let m = Math.max(first, b * BLOCK); m < Math.min(k, (b + 1) * BLOCK); m++) {
      const link = E.link[messages.items[m]];
      if (link >= 0 && E.time[link] >= view.begin && early++ < 500)
        into.push(messages.items[m]);
    }
  }
  while (k < end && messages.time[k] <= view.end) {
    const next = (Math.floor(messages.time[k] / pixel) + 1) * pixel;
    let taken = 0;
    while (k < end && messages.time[k] < next && taken < perPixel) {
      into.push(messages.items[k++]);
      taken++;
    }
    if (k < end && messages.time[k] < next)
      k = search(messages.time, k, end, next, true);
  }
}
function drawArrows(shownRuns) {
  const list = [], perPixel = Math.max(1, Math.floor(4 / Math.max(1, shownRuns.length)));
  for (const run of shownRuns)
    collectArrows(run, perPixel, list);
  const stride = Math.max(1, Math.ceil(list.length / 4000));
  drawn.arrows = [];
  const dense = list.length > 500;
  for (const kind of [SEND, TELL]) {
    context.strokeStyle = context.fillStyle = kind === SEND ? color.message : color.tell;
    context.globalAlpha = dense ? 0.35 : 0.9;
    const heads = [];
    context.beginPath();
    for (let n = 0; n < list.length; n += stride) {
      const i = list[n], link = E.link[i];
      if (E.kind[i] !== kind || link < 0)
        continue;
      const y0 = middleOf(E.lane[i]), y1 = middleOf(E.lane[link]);
      if (!(y0 === y0 && y1 === y1) || (y0 < TOP - 60 && y1 < TOP - 60) || (y0 > view.height + 60 && y1 > view.height + 60))
        continue;
      const x0 = xOf(E.time[i]), x1 = Math.max(xOf(E.time[link]), x0 + 0.01), side = y1 > y0 ? HIGH / 2 : -HIGH / 2;
      context.moveTo(x0, y0 + side);
      context.lineTo(x1, y1 - side);
      drawn.arrows.push([i, x0, y0 + side, x1, y1 - side]);
      if (!dense)
        heads.push([x0, y0 + side, x1, y1 - side]);
    }
    context.stroke();
    context.beginPath();
    for (const [x0, y0, x1, y1] of heads)
      arrowHead(x0, y0, x1, y1);
    context.fill();
  }
  context.globalAlpha = 1;
  if (!dense)
    drawLost(list);
}
// Messages that nobody has received: a short line that leads nowhere.
function drawLost(list) {
  context.strokeStyle = color.muted;
  context.setLineDash([2, 2]);
  context.beginPath();
  for (const i of list) {
    const y = middleOf(E.lane[i]), x = xOf(E.time[i]);
    if (E.link[i] >= 0 || y !== y)
      continue;
    context.moveTo(x, y + HIGH / 2);
    context.lineTo(x + 9, y + HIGH / 2 + 8);
    context.moveTo(x + 13, y + HIGH / 2 + 11);
    context.arc(x + 11, y + HIGH / 2 + 11, 2, 0, 7);
  }
  context.stroke();
  context.setLineDash([]);
}

// ---- everything ----

function drawEventRing(i, stroke, width) {
  const y = middleOf(E.lane[i]);
  if (y !== y)
    return;
  const left = Math.max(GUTTER, xOf(E.time[i])), right = Math.max(left, Math.min(view.width, xOf(E.time[i] + E.duration[i])));
  context.strokeStyle = stroke;
  context.lineWidth = width;
  context.strokeRect(left - 4, y - HIGH / 2 - 4, Math.max(8, right - left + 8), HIGH + 8);
  context.lineWidth = 1;
}
function drawSelection() {
  for (let n = 0; n < Math.min(matches.events.length, 20000); n++) {
    const i = matches.events[n];
    if (E.time[i] >= view.begin && E.time[i] <= view.end)
      drawEventRing(i, color.found, 2);
  }
  for (const i of [selected, hovered]) {
    if (i < 0)
      continue;
    drawEventRing(i, i === selected ? color.text : color.muted, 1.5);
    const link = E.link[i];
    if (isMessage(E.kind[i]) && link >= 0) {
      const out = isOut(E.kind[i]) ? i : link, to = isOut(E.kind[i]) ? link : i, y0 = middleOf(E.lane[out]), y1 = middleOf(E.lane[to]);
      if (y0 !== y0 || y1 !== y1)
        continue;
      const side = y1 > y0 ? HIGH / 2 : -HIGH / 2;
      context.strokeStyle = context.fillStyle = color.text;
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(xOf(E.time[out]), y0 + side);
      context.lineTo(xOf(E.time[to]), y1 - side);
      context.stroke();
      context.lineWidth = 1;
      context.beginPath();
      arrowHead(xOf(E.time[out]), y0 + side, xOf(E.time[to]), y1 - side);
      context.fill();
    }
  }
}
function drawGutter(firstRow, lastRow) {
  context.fillStyle = color.page;
  context.fillRect(0, TOP, GUTTER - 1, view.height - TOP);
  for (let row = firstRow; row < lastRow; row++) {
    const y = yOfRow(row);
    if (rows.lane[row] < 0) {
      const run = runs[rows.run[row]];
      context.fillStyle = color.row;
      context.fillRect(0, y, GUTTER, SESSION_ROW);
      label(run.label + "  " + (run.choreography ? run.choreography + "." + run.definition : "?"), 8, y + 18, GUTTER - 14, color.text, "600 " + FONT);
    } else {
      const lane = lanes[rows.lane[row]];
      label(lane.arm ? "∥ arm " + lane.arm : lane.role, lane.arm ? 34 : 20, y + MIDDLE + 4, GUTTER - (lane.arm ? 40 : 26), lane.arm ? color.muted : color.text, FONT);
    }
  }
  context.fillStyle = color.line;
  context.fillRect(GUTTER - 1, 0, 1, view.height);
}
function draw() {
  const began = performance.now();
  context.fillStyle = color.page;
  context.fillRect(0, 0, view.width, view.height);
  const firstRow = Math.max(0, search(rows.y, 0, rows.y.length, view.top, false) - 1);
  let lastRow = firstRow;
  const shownRuns = [];
  drawRuler();
  context.save();
  context.beginPath();
  context.rect(0, TOP, view.width, view.height - TOP);
  context.clip();
  for (; lastRow < rows.lane.length && yOfRow(lastRow) < view.height; lastRow++) {
    const y = yOfRow(lastRow), run = runs[rows.run[lastRow]];
    if (shownRuns[shownRuns.length - 1] !== run)
      shownRuns.push(run);
    if (rows.lane[lastRow] < 0)
      drawSession(lastRow, run, y);
    else
      for (const lane of lanesOfRow(lastRow))
        drawLane(lane, y);
  }
  drawArrows(shownRuns);
  for (let row = firstRow; row < lastRow; row++)
    if (rows.lane[row] >= 0)
      lanesOfRow(row).forEach(lane => drawMarks(lane, yOfRow(row)));
    else
      drawFailures(runs[rows.run[row]], yOfRow(row) + 4, sessionBottom(row));
  drawSelection();
  drawGutter(firstRow, lastRow);
  context.restore();
  drawMap();
  drawn.ms = performance.now() - began;
  drawn.frames++;
}
function sessionBottom(row) {
  let next = row + 1;
  while (next < rows.lane.length && rows.lane[next] >= 0 && yOfRow(next) < view.height)
    next++;
  return yOfRow(next) - 4;
}
// Arms that have no rows are drawn on their role's.
function lanesOfRow(row) {
  const lane = lanes[rows.lane[row]];
  return filter.arms || lane.arms.length === 0 ? [lane] : [lane, ...lane.arms.filter(arm => arm.end >= view.begin && arm.begin <= view.end).slice(0, 200)];
}
function drawLane(lane, y) {
  const left = Math.max(GUTTER, xOf(lane.begin)), right = Math.min(view.width, xOf(lane.end));
  drawSpans(lane, y);
  if (right > left) {
    context.fillStyle = color.life;
    context.fillRect(left, y + MIDDLE - 0.5, right - left, 1);
  }
  drawCalls(lane, y);
  drawSteps(lane, y);
}
