// ---- data.js: what the page was given: tables as JSON, events as variable-length numbers ----

const START = 0, END = 1, CALL = 2, RETURN = 3, STEP = 4, SEND = 5, RECEIVE = 6, TELL = 7, TOLD = 8, FAIL = 9, ENTER = 10,
      ARRIVE = 11, LEAVE = 12, RECOVER = 13, RESTART = 14;
const KIND_NAMES = ["start", "end", "call", "return", "step", "send", "receive", "tell", "told", "fail", "enter", "arrive", "leave",
                    "recover", "restart"];
const isOut = kind => kind === SEND || kind === TELL;
const isIn = kind => kind === RECEIVE || kind === TOLD;
const isMessage = kind => kind >= SEND && kind <= TOLD;
const isBlock = kind => kind >= ENTER;

function bytesOf(id) {
  const text = atob(document.getElementById(id).textContent.trim()), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++)
    bytes[i] = text.charCodeAt(i);
  return bytes;
}

// The table `tables` has texts, places, lanes (session, role, number of the arm), runs and sources; see page.c.
const tables = JSON.parse(document.getElementById("tables").textContent);
const count = tables.count, laneCount = tables.lanes.length, runCount = tables.runs.length;
const texts = tables.texts;
const E = {
  kind: new Uint8Array(count), rescue: new Uint8Array(count), lane: new Uint32Array(count), time: new Float64Array(count),
  duration: new Float64Array(count), place: new Uint32Array(count), text: new Uint32Array(count), value: new Uint32Array(count),
  peer: new Uint32Array(count), link: new Int32Array(count).fill(-1), sequence: new Float64Array(count), epoch: new Uint32Array(count),
  attempt: new Uint32Array(count), round: new Uint32Array(count), depth: new Uint32Array(count),
};

(function decode() {
  const bytes = bytesOf("events");
  let at = 0, time = 0;
  const next = () => {
    let number = 0, unit = 1, byte;
    do {
      byte = bytes[at++];
      number += (byte & 127) * unit;
      unit *= 128;
    } while (byte & 128);
    return number;
  };
  for (let i = 0; i < count; i++) {
    const head = bytes[at++], kind = head & 15;
    E.kind[i] = kind;
    E.rescue[i] = head >> 4;
    E.lane[i] = next();
    time += next();
    E.time[i] = time;
    E.text[i] = next();
    if (kind >= STEP)
      E.place[i] = next();
    if (kind === STEP) {
      E.duration[i] = next();
    } else if (isMessage(kind)) {
      E.peer[i] = next();
      E.sequence[i] = next();
      E.epoch[i] = next();
      E.value[i] = next();
      const back = next();
      if (back > 0) {
        E.link[i] = i - back;
        E.link[i - back] = i;
      }
    } else if (isBlock(kind)) {
      E.attempt[i] = next();
      E.round[i] = next();
      E.depth[i] = next();
      E.epoch[i] = next();
    }
  }
})();

// ---- by lane: events, steps, spans of blocks and calls; by session: messages, and when it was ----

// The first index of [low, high) whose number is greater than, or (orEqual) not less than, the wanted one.
function search(numbers, low, high, wanted, orEqual) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle] < wanted || (!orEqual && numbers[middle] === wanted))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

function groupBy(groups, groupOf, isWanted) {
  const first = new Uint32Array(groups + 1);
  let all = 0;
  for (let i = 0; i < count; i++)
    if (isWanted(i)) {
      first[groupOf(i) + 1]++;
      all++;
    }
  for (let i = 0; i < groups; i++)
    first[i + 1] += first[i];
  const at = first.slice(), items = new Uint32Array(all), time = new Float64Array(all);
  for (let i = 0; i < count; i++)
    if (isWanted(i)) {
      const place = at[groupOf(i)]++;
      items[place] = i;
      time[place] = E.time[i];
    }
  return {first, items, time};
}

const runOfLane = Uint32Array.from(tables.lanes, lane => lane[0]);
const byLane = groupBy(laneCount, i => E.lane[i], () => true);
const steps = groupBy(laneCount, i => E.lane[i], i => E.kind[i] === STEP);
steps.busy = new Float64Array(steps.items.length + 1); // the sum of all durations before
for (let i = 0; i < steps.items.length; i++)
  steps.busy[i + 1] = steps.busy[i] + E.duration[steps.items[i]];

const messages = groupBy(runCount, i => runOfLane[E.lane[i]], i => isOut(E.kind[i]));
const BLOCK = 64; // messages whose latest arrival is known
messages.latest = new Float64Array(Math.ceil(messages.items.length / BLOCK) + 1);
for (let i = 0; i < messages.items.length; i++) {
  const link = E.link[messages.items[i]];
  if (link >= 0)
    messages.latest[Math.floor(i / BLOCK)] = Math.max(messages.latest[Math.floor(i / BLOCK)], E.time[link]);
}

// What is to be seen at any zoom.
const isMark = i => E.kind[i] === FAIL || E.kind[i] === RESTART || E.kind[i] === RECOVER;
const marks = groupBy(laneCount, i => E.lane[i], isMark);

const runs = tables.runs.map((run, number) => ({
  number, label: run[0], choreography: texts[run[1]], definition: texts[run[2]], source: texts[run[3]], name: texts[run[4]],
  status: texts[run[5]], why: texts[run[6]], resumed: run[7] === 1, begin: Infinity, end: -Infinity, fails: 0, lanes: [],
}));
let traceBegin = Infinity, traceEnd = -Infinity;
for (let i = 0; i < count; i++) {
  const run = runs[runOfLane[E.lane[i]]], end = E.time[i] + E.duration[i];
  if (E.time[i] < run.begin) run.begin = E.time[i];
  if (end > run.end) run.end = end;
  if (E.kind[i] === FAIL) run.fails++;
}
for (const run of runs) {
  traceBegin = Math.min(traceBegin, run.begin);
  traceEnd = Math.max(traceEnd, run.end);
}
if (!(traceEnd > traceBegin))
  traceEnd = traceBegin + 1;

const lanes = tables.lanes.map((lane, number) => {
  const role = texts[lane[1]], bracket = role.indexOf("[");
  return {number, run: lane[0], role, family: bracket < 0 ? role : role.slice(0, bracket) + "[*]", arm: lane[2], isSession: lane[1] === 0,
          blocks: [], calls: [], arms: [], begin: Infinity, end: -Infinity};
});
// Arms stand behind their role.
for (const lane of lanes) {
  const list = runs[lane.run].lanes, role = list.length > 0 && (list[list.length - 1].of || list[list.length - 1]);
  if (!lane.isSession)
    list.push(lane);
  if (lane.arm && role && role.role === lane.role) {
    lane.of = role;
    role.arms.push(lane);
  }
}

// Spans of one depth don't overlap: those before a moment are found by their beginnings.
function spanOpen(list, depth, i) {
  const spans = list[depth] || (list[depth] = {from: [], to: [], event: [], failed: []});
  spans.from.push(E.time[i]);
  spans.to.push(Infinity);
  spans.event.push(i);
  spans.failed.push(false);
}
function spanClose(list, depth, time, failed) {
  for (let d = list.length - 1; d >= depth; d--) {
    const spans = list[d], last = spans ? spans.to.length - 1 : -1;
    if (last >= 0 && spans.to[last] === Infinity) {
      spans.to[last] = time;
      spans.failed[last] = failed;
    }
  }
}
const DEPTH_MAX = 8;
for (const lane of lanes) {
  let calls = 0;
  const first = byLane.first[lane.number], end = byLane.first[lane.number + 1];
  for (let k = first; k < end; k++) {
    const i = byLane.items[k], kind = E.kind[i], depth = Math.min(E.depth[i], DEPTH_MAX);
    if (kind === CALL) {
      spanOpen(lane.calls, Math.min(calls++, DEPTH_MAX), i);
    } else if (kind === RETURN && calls > 0) {
      spanClose(lane.calls, Math.min(--calls, DEPTH_MAX), E.time[i], false);
    } else if (kind === ENTER || kind === RECOVER || kind === RESTART) {
      spanClose(lane.blocks, depth, E.time[i], kind !== ENTER);
      spanOpen(lane.blocks, depth, i);
    } else if (kind === LEAVE) {
      spanClose(lane.blocks, depth, E.time[i], false);
    }
  }
  const last = end > first ? E.time[byLane.items[end - 1]] : 0;
  lane.begin = lane.arm && end > first ? byLane.time[first] : runs[lane.run].begin;
  lane.end = lane.arm && end > first ? last : runs[lane.run].end;
  spanClose(lane.calls, 0, last, false);
  spanClose(lane.blocks, 0, last, false);
}

// ---- texts about events ----

function timeText(ns) {
  const size = Math.abs(ns), units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const [unit, name] = units.find(([least]) => size >= least) || units[3];
  const number = ns / unit;
  return (unit === 1 ? number.toFixed(0) : number.toFixed(Math.abs(number) < 10 ? 2 : Math.abs(number) < 100 ? 1 : 0)) + " " + name;
}
const laneName = lane => lane.arm ? lane.role + " · arm " + lane.arm : lane.role;
const lineOf = i => tables.places[E.place[i]][1];
const placeText = i => lineOf(i) ? texts[tables.places[E.place[i]][0]].replace(/.*\//, "") + ":" + lineOf(i) : "";
function valueOf(i) {
  return E.value[i] ? texts[E.value[i]] : E.link[i] >= 0 && E.value[E.link[i]] ? texts[E.value[E.link[i]]] : "";
}
function headline(i) {
  const role = laneName(lanes[E.lane[i]]), text = texts[E.text[i]], peer = texts[E.peer[i]];
  const block = E.rescue[i] ? "the rescue" : "the block";
  switch (E.kind[i]) {
  case START: return "session begins";
  case END: return "session ends: " + (runs[runOfLane[E.lane[i]]].status || "?");
  case CALL: return role + " calls " + text;
  case RETURN: return role + " returns from " + text;
  case STEP: return role + ": " + (text || "line " + lineOf(i));
  case SEND: return role + " sends to " + peer;
  case RECEIVE: return role + " receives from " + peer;
  case TELL: return role + " tells " + peer + " how a choice went";
  case TOLD: return role + " is told by " + peer + " how a choice went";
  case FAIL: return role + " fails: " + text;
  case ENTER: return role + " enters " + block;
  case ARRIVE: return role + " is at the end of " + block;
  case LEAVE: return role + " leaves " + block;
  case RECOVER: return role + " goes back to " + (E.rescue[i] ? "the rescue" : "the beginning of the block");
  default: return role + " is restarted in " + block;
  }
}
