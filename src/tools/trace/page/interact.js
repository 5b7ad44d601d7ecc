// ---- interact.js: pointer, keys, filters, search, details ----

const byId = id => document.getElementById(id);

// ---- what is under the pointer ----

function distanceToLine(x, y, x0, y0, x1, y1) {
  const length = (x1 - x0) ** 2 + (y1 - y0) ** 2;
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length));
  return Math.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0));
}
function rowAt(y) {
  if (y < TOP)
    return -1;
  const row = search(rows.y, 0, rows.y.length, y - TOP + view.top, false) - 1;
  return row < rows.lane.length ? row : -1;
}
// The most telling event near this place; -1: there is none.
function eventAt(x, y) {
  const row = rowAt(y);
  if (row < 0 || x < GUTTER)
    return -1;
  let best = -1, least = 7;
  for (const {number: lane} of rows.lane[row] >= 0 && Math.abs(y - yOfRow(row) - MIDDLE) <= 12 ? lanesOfRow(row) : []) {
    const first = byLane.first[lane], end = byLane.first[lane + 1], from = search(byLane.time, first, end, timeAt(x - 10), true);
    for (let k = from; k < end && k < from + 2000 && byLane.time[k] <= timeAt(x + 10); k++) {
      const i = byLane.items[k], weight = isMark(i) ? -9 : isMessage(E.kind[i]) ? 0 : E.kind[i] === STEP ? 2 : 3;
      const away = Math.abs(xOf(E.time[i]) - x) + weight;
      if (away < least && Math.abs(xOf(E.time[i]) - x) < 9) {
        best = i;
        least = away;
      }
    }
    if (best >= 0 && least < 4)
      return best;
    const step = search(steps.time, steps.first[lane], steps.first[lane + 1], timeAt(x), false) - 1;
    if (step >= steps.first[lane] && steps.time[step] + E.duration[steps.items[step]] >= timeAt(x) && Math.abs(y - yOfRow(row) - MIDDLE) <= HIGH / 2)
      return steps.items[step];
  }
  if (best >= 0)
    return best;
  least = 5;
  for (const [i, x0, y0, x1, y1] of drawn.arrows) {
    const away = distanceToLine(x, y, x0, y0, x1, y1);
    if (away < least) {
      best = i;
      least = away;
    }
  }
  return best >= 0 ? best : blockAt(rows.lane[row], timeAt(x));
}
function blockAt(number, time) {
  if (number < 0)
    return -1;
  const blocks = lanes[number].blocks;
  for (let depth = blocks.length - 1; depth >= 0; depth--) {
    const spans = blocks[depth], k = spans ? search(spans.from, 0, spans.from.length, time, false) - 1 : -1;
    if (k >= 0 && spans.to[k] >= time)
      return spans.event[k];
  }
  return -1;
}

// ---- details ----

function element(name, text, className) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}
function sourceNode(i) {
  const [file, line] = tables.places[E.place[i]], source = tables.sources[texts[file]];
  if (!line || !source)
    return null;
  const pre = element("pre"), lines = sourceLines(texts[file]);
  for (let n = Math.max(1, line - 3); n <= Math.min(lines.length, line + 3); n++) {
    const row = element("span", undefined, n === line ? "here" : "");
    row.append(element("span", String(n).padStart(4), "number"), lines[n - 1].replace(/\t/g, "    "));
    pre.append(row);
  }
  return pre;
}
const splitSources = {};
const sourceLines = file => splitSources[file] || (splitSources[file] = tables.sources[file].split("\n"));

function detailsOf(i) {
  const kind = E.kind[i], run = runs[runOfLane[E.lane[i]]], link = E.link[i], list = [];
  list.push(["session", run.label + " " + run.choreography + "." + run.definition + (run.name ? " (" + run.name + ")" : "")]);
  list.push(["time", timeTick(E.time[i] - traceBegin, 1) + " (" + timeText(E.time[i] - run.begin) + " after the session's beginning)"]);
  if (kind === STEP) list.push(["took", timeText(E.duration[i])]);
  if (placeText(i)) list.push(["source", texts[tables.places[E.place[i]][0]] + ":" + lineOf(i)]);
  if (isMessage(kind)) {
    list.push(["message", "number " + E.sequence[i] + " of its channel, epoch " + E.epoch[i]]);
    list.push(["under way", link >= 0 ? timeText(Math.abs(E.time[link] - E.time[i])) : isOut(kind) ? "nobody has received it" : "who sent it was not recorded"]);
  }
  if (isBlock(kind)) {
    list.push(["attempt", E.attempt[i] + 1 + (E.rescue[i] ? " (the rescue)" : "")]);
    if (E.round[i]) list.push(["round", String(E.round[i])]);
    list.push(["depth", String(E.depth[i])]);
  }
  if (E.text[i] && (kind === FAIL || kind === RECOVER || kind === RESTART || kind === END)) list.push(["why", texts[E.text[i]]]);
  return list;
}
function select(i) {
  selected = i;
  byId("details").hidden = i < 0;
  if (i >= 0) {
    const about = byId("about"), table = element("table");
    for (const [name, text] of detailsOf(i)) {
      const row = element("tr");
      row.append(element("td", name), element("td", text));
      table.append(row);
    }
    about.replaceChildren(element("h2", headline(i)), table);
    if (isMessage(E.kind[i])) {
      const value = valueOf(i);
      about.append(element("div", value ? "value" : "value: not recorded (CHOREX_TRACE=file,values)"));
      if (value) about.append(element("pre", value, "value"));
    }
    const source = sourceNode(i);
    if (source) about.append(source);
    addNeighbours(about, i);
  }
  resize();
}
function addNeighbours(about, i) {
  const lane = E.lane[i], first = byLane.first[lane], end = byLane.first[lane + 1];
  let k = search(byLane.time, first, end, E.time[i], true);
  while (k < end && byLane.items[k] !== i) k++;
  const add = (name, target) => {
    const button = element("button", name);
    button.onclick = () => { select(target); showEvent(target); };
    about.append(button, " ");
  };
  if (E.link[i] >= 0) add("other end", E.link[i]);
  if (k > first) add("before", byLane.items[k - 1]);
  if (k + 1 < end) add("after", byLane.items[k + 1]);
}

// ---- search ----

let searchTimer = 0;
function findAll(words) {
  const wanted = words.trim().toLowerCase(), line = /^line (\d+)$/.exec(wanted);
  matches.events = [];
  matches.at = -1;
  if (wanted !== "") {
    const textHit = texts.map(text => text.toLowerCase().includes(wanted));
    textHit[0] = false;
    const kindHit = KIND_NAMES.map(name => name === wanted || (wanted === "rescue" && name === "none"));
    const laneHit = lanes.map(lane => lane.role !== "" && lane.role.toLowerCase() === wanted);
    const placeHit = tables.places.map(place => line !== null && place[1] === Number(line[1]));
    for (let i = 0; i < count; i++)
      if (textHit[E.text[i]] || textHit[E.value[i]] || kindHit[E.kind[i]] || placeHit[E.place[i]] || laneHit[E.lane[i]] ||
          (wanted === "rescue" && E.rescue[i] && E.kind[i] !== ARRIVE && E.kind[i] !== LEAVE))
        matches.events.push(i);
  }
  byId("found").textContent = wanted === "" ? "" : matches.events.length + " found";
  redraw();
}
function goToMatch(way) {
  const all = matches.events.length;
  if (all === 0)
    return;
  for (let tries = 0; tries < all; tries++) {
    matches.at = (matches.at + way + all + (matches.at < 0 && way < 0 ? 1 : 0)) % all;
    if (rowFor(E.lane[matches.events[matches.at]]) >= 0 || lanes[E.lane[matches.events[matches.at]]].isSession)
      break;
  }
  byId("found").textContent = matches.at + 1 + " of " + all;
  select(matches.events[matches.at]);
  showEvent(matches.events[matches.at]);
}

// ---- chips: roles, and what happened ----

function makeRoles() {
  const families = [...new Set(lanes.filter(lane => !lane.isSession && !lane.arm).map(lane => lane.family))];
  for (const family of families) {
    const chip = element("button", family, "chip");
    chip.setAttribute("aria-pressed", "true");
    chip.onclick = () => {
      const hide = !filter.hidden.has(family);
      filter.hidden[hide ? "add" : "delete"](family);
      chip.classList.toggle("off", hide);
      chip.setAttribute("aria-pressed", String(!hide));
      layout();
    };
    byId("roles").append(chip);
  }
  const arms = lanes.filter(lane => lane.arm).length;
  byId("armsLabel").hidden = arms === 0;
  filter.arms = byId("arms").checked = arms <= ARMS_MAX;
}
const ARMS_MAX = 400; // with more, arms are shown on their roles' rows until they are asked for
const SESSIONS_MANY = 8; // with more, those that are not in view are left out
const STORY_MAX = 60;
function makeStory() {
  const list = [];
  let more = 0;
  for (let i = 0; i < count; i++) {
    const isBad = E.kind[i] === END && !["success", ""].includes(runs[runOfLane[E.lane[i]]].status);
    if (!isMark(i) && !isBad)
      continue;
    if (list.length < STORY_MAX) list.push(i); else more++;
  }
  for (const i of list) {
    const kind = E.kind[i], run = runs[runOfLane[E.lane[i]]], role = laneName(lanes[E.lane[i]]);
    const text = kind === FAIL ? "✕ " + role + " fails: " + texts[E.text[i]] : kind === RESTART ? "↻ " + role + " restarted" + (E.rescue[i] ? ", rescue" : "")
               : kind === RECOVER ? "↶ " + role + " goes back" + (E.rescue[i] ? ", rescue" : "") : "✕ session " + run.label + ": " + run.status;
    const chip = element("button", timeText(E.time[i] - traceBegin) + "  " + text, "chip " + (kind === FAIL || kind === END ? "fail" : kind === RESTART ? "restart" : "recover"));
    chip.onclick = () => { select(i); showEvent(i); };
    byId("story").append(chip);
  }
  if (more > 0)
    byId("story").append(element("span", "and " + more + " more", "chip more"));
}

// ---- pointer and keys ----

let drag = null;
function pointerDown(event) {
  canvas.setPointerCapture(event.pointerId);
  canvas.focus();
  drag = {x: event.offsetX, y: event.offsetY, begin: view.begin, end: view.end, top: view.top, moved: false, inMap: event.offsetY < MAP && event.offsetX > GUTTER};
  if (drag.inMap)
    mapTo(event.offsetX);
}
function mapTo(x) {
  const time = traceBegin + (x - GUTTER) / (view.width - GUTTER) * (traceEnd - traceBegin), half = (view.end - view.begin) / 2;
  setRange(time - half, time + half);
}
function pointerMove(event) {
  if (drag === null) {
    hover(event.offsetX, event.offsetY);
    return;
  }
  const dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
  if (drag.inMap) {
    mapTo(event.offsetX);
  } else if (drag.moved || Math.hypot(dx, dy) > 4) {
    drag.moved = true;
    canvas.classList.add("dragging");
    byId("tip").hidden = true;
    const shift = dx / (view.width - GUTTER) * (drag.end - drag.begin);
    setRange(drag.begin - shift, drag.end - shift);
    byId("scroll").scrollTop = drag.top - dy;
  }
}
function pointerUp(event) {
  if (drag !== null && !drag.moved && !drag.inMap)
    select(eventAt(event.offsetX, event.offsetY));
  drag = null;
  canvas.classList.remove("dragging");
}
function hover(x, y) {
  const found = eventAt(x, y), tip = byId("tip");
  if (found !== hovered) {
    hovered = found;
    redraw();
  }
  tip.hidden = found < 0;
  if (found >= 0) {
    const value = isMessage(E.kind[found]) ? valueOf(found) : "";
    tip.textContent = headline(found) + (E.kind[found] === STEP ? ", " + timeText(E.duration[found]) : "") + (placeText(found) ? "  " + placeText(found) : "") + (value ? "\n" + value : "");
    tip.style.left = Math.min(x + 14, view.width - Math.min(470, tip.offsetWidth + 10)) + "px";
    tip.style.top = (y + 50 > view.height ? y - 40 : y + 16) + "px";
  }
}
function wheel(event) {
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 16 : 1;
  if (event.altKey || event.offsetX < GUTTER)
    byId("scroll").scrollTop += event.deltaY * unit;
  else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
    pan((event.deltaX || event.deltaY) * unit / (view.width - GUTTER));
  else
    zoom(Math.exp(Math.max(-240, Math.min(240, event.deltaY * unit)) * 0.0025), event.offsetX);
}
const pan = share => setRange(view.begin + share * (view.end - view.begin), view.end + share * (view.end - view.begin));
function key(event) {
  if (event.target.tagName === "INPUT" && event.key !== "Escape")
    return;
  const actions = {
    "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), "0": showAll, "ArrowLeft": () => pan(-0.15), "ArrowRight": () => pan(0.15),
    "ArrowUp": () => byId("scroll").scrollTop -= 60, "ArrowDown": () => byId("scroll").scrollTop += 60, "/": () => byId("search").focus(),
    "n": () => goToMatch(1), "N": () => goToMatch(-1), "Escape": () => { select(-1); canvas.focus(); }, "?": showHelp,
  };
  if (actions[event.key] && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    actions[event.key]();
  }
}
function showHelp() {
  const table = element("table");
  for (const [keys, what] of [["wheel", "zoom"], ["drag", "move"], ["Shift + wheel", "move in time"], ["Alt + wheel", "scroll"], ["+ −", "zoom"], ["← → ↑ ↓", "move"], ["0", "show everything"],
                              ["/", "search"], ["n, N", "next, previous"], ["click", "details"], ["Escape", "close"]]) {
    const row = element("tr"), cell = element("td");
    cell.append(element("kbd", keys));
    row.append(cell, element("td", what));
    table.append(row);
  }
  selected = -1;
  byId("about").replaceChildren(element("h2", "Keys"), table, element("p", "Bars are local work, arrows messages (violet: the outcome of a choice). Blue areas are checkpoint blocks, "
    + "amber ones rescues. ✕ a role fails, ↻ it is restarted, ↶ a role goes back. Times are counted from the beginning of the trace."));
  byId("details").hidden = false;
  resize();
}
function setTheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  readColors();
  mapImage = null;
  redraw();
}

function begin() {
  const failed = runs.filter(run => run.fails > 0).length, shown = runs.filter(run => run.begin !== Infinity).length;
  byId("title").textContent = tables.title;
  byId("title").append(element("small", shown + (shown === 1 ? " session, " : " sessions, ") + count.toLocaleString("en") + " events, " + timeText(traceEnd - traceBegin)
    + (failed > 0 ? ", " + failed + " with failures" : "")));
  document.title = tables.title + ": Chorex trace";
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches);
  dark.addEventListener("change", () => setTheme(dark.matches));
  makeRoles();
  makeStory();
  byId("nowLabel").hidden = runs.length < 2;
  filter.now = byId("now").checked = runs.length > SESSIONS_MANY;
  resize();
  refilter();
  showAll();
  canvas.addEventListener("pointerdown", pointerDown);
  canvas.addEventListener("pointermove", pointerMove);
  canvas.addEventListener("pointerup", pointerUp);
  canvas.addEventListener("pointerleave", () => { hovered = -1; byId("tip").hidden = true; redraw(); });
  canvas.addEventListener("wheel", wheel, {passive: false});
  canvas.addEventListener("dblclick", event => zoom(0.3, event.offsetX));
  byId("scroll").addEventListener("scroll", () => scrollTo(byId("scroll").scrollTop));
  window.addEventListener("resize", resize);
  window.addEventListener("keydown", key);
  byId("in").onclick = () => zoom(0.6);
  byId("out").onclick = () => zoom(1 / 0.6);
  byId("all").onclick = showAll;
  byId("theme").onclick = () => setTheme(!document.documentElement.classList.contains("dark"));
  byId("help").onclick = showHelp;
  byId("close").onclick = () => select(-1);
  byId("failures").onchange = event => { filter.failures = event.target.checked; refilter(); showAll(); };
  byId("now").onchange = event => { filter.now = event.target.checked; shownKey = ""; layout(); };
  byId("arms").onchange = event => { filter.arms = event.target.checked; layout(); };
  byId("session").oninput = event => { filter.session = event.target.value; refilter(); showAll(); };
  byId("search").oninput = event => { clearTimeout(searchTimer); searchTimer = setTimeout(() => findAll(event.target.value), 120); };
  byId("search").onkeydown = event => {
    if (event.key === "Enter") {
      clearTimeout(searchTimer);
      if (matches.at < 0) findAll(event.target.value);
      goToMatch(event.shiftKey ? -1 : 1);
    }
  };
  byId("loading").hidden = true;
  draw();
  // For tests of the page: what is shown, and how long a frame takes.
  window.chorexTrace = {events: E, count, runs, lanes, rows: () => rows, view, drawn, matches, zoom, setRange, draw, selected: () => selected, xOf, middleOf,
                        loadedMs: performance.now()};
}
begin();
