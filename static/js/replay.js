// The replay page: one recording, action by action and frame by frame. The position is a step and a frame of it;
// frame 0 is the action itself, drawn on the board that the player saw, before its result.

import { afterPaint, makeBoard, mark, show } from "./board.js";
import { canDecode } from "./codec.js";
import { gridCount, load, makeFilm, scene } from "./replay_data.js";
import { LONG_THINKING, actionName, marks, remarks, segments, startOfLevel } from "./replay_story.js";
import { makeStepList } from "./step_list.js";
import { makeTimeline } from "./timeline.js";
import { duration } from "./words.js";

const GAP_MS = 320; // between two actions at speed 1
const ACTION_MS = 240; // an action is shown so long before its result
const ADDRESS_MS = 400;
const CLICK = 6;

const find = (selector) => document.querySelector(selector);
const page = JSON.parse(find("#page").textContent);
const main = find("main");
const board = makeBoard(find("#board"), find("#room"));

const replay = {
  steps: [],
  fps: page.fps,
  film: null,
  at: 0, // index of the step
  frame: 0, // 0: the action; 1..n: its grids
  playing: false,
  speed: "1", // or "real"
  left: 0, // ms until the next frame or action
  lastTime: 0,
  wanted: 0, // counts jumps: an older one that is still decoding is void
  addressTimer: 0,
};
let list = null;
let timeline = null;

// ---- Moving about

const framesOf = (index) => gridCount(replay.film, index) ?? 0;

/** Show a step, at its last frame unless told. Resolves when it is on the board. */
async function goTo(index, frame = null) {
  const step = Math.min(replay.steps.length - 1, Math.max(0, index));
  const mine = ++replay.wanted;
  const now = await scene(replay.film, step);
  if (mine !== replay.wanted) return;
  replay.at = step;
  replay.frame = Math.min(framesOf(step), Math.max(0, frame ?? Infinity));
  const grid = replay.frame === 0 ? (now.before ?? null) : (now.grids?.[replay.frame - 1] ?? null);
  const missing = now.damaged || (grid === null && now.grids === null);
  if (grid || missing) show(board, grid);
  const { action, x, y } = replay.steps[step];
  mark(board, action === CLICK ? { x, y, kept: false } : null);
  tell(now, missing);
}

function step(by) {
  pause();
  return goTo(replay.at + by);
}

function stepFrame(by) {
  pause();
  const { at, frame } = replay;
  if (by > 0) return frame < framesOf(at) ? goTo(at, frame + 1) : at + 1 < replay.steps.length && goTo(at + 1, 0);
  if (frame > (at === 0 ? 1 : 0)) return goTo(at, frame - 1);
  return at > 0 && goTo(at - 1);
}

function goToLevel(level) {
  const index = startOfLevel(replay.steps, level);
  if (index !== null) step(index - replay.at);
}

// ---- Playing

function atEnd() {
  return replay.at === replay.steps.length - 1 && replay.frame === framesOf(replay.at);
}

/** How long the position stays before the next, in ms at the chosen speed. */
function stay() {
  const real = replay.speed === "real";
  const rate = real ? 1 : Number(replay.speed);
  const next = replay.steps[replay.at + 1];
  const thought = next ? (next.think ?? (next.at - replay.steps[replay.at].at) / 1000) * 1000 : 0;
  const actionTime = real ? Math.min(ACTION_MS, 1000 * (replay.steps[replay.at].think ?? 1)) : ACTION_MS;
  if (replay.frame === 0 && framesOf(replay.at) > 0) return actionTime / rate;
  const frameTime = 1000 / replay.fps / rate;
  if (replay.frame < framesOf(replay.at)) return frameTime;
  if (!real) return frameTime + GAP_MS / rate;
  const watching = frameTime * (framesOf(replay.at) - 1); // the player thought meanwhile
  return Math.max(frameTime, thought - ACTION_MS - watching);
}

async function play() {
  if (replay.playing) return;
  if (atEnd()) await goTo(0);
  replay.playing = true;
  replay.left = stay();
  replay.lastTime = performance.now();
  showPlaying();
  requestAnimationFrame(tick);
}

function pause() {
  if (!replay.playing) return;
  replay.playing = false;
  showPlaying();
}

async function tick(time) {
  if (!replay.playing) return;
  replay.left -= Math.min(250, Math.max(0, time - replay.lastTime)); // a hidden tab does not run ahead
  replay.lastTime = time;
  let { at, frame } = replay;
  const from = { at, frame };
  while (replay.left <= 0 && !atEnd()) {
    if (replay.frame < framesOf(replay.at)) replay.frame++;
    else [replay.at, replay.frame] = [replay.at + 1, 0];
    replay.left += stay();
  }
  ({ at, frame } = replay);
  if (at !== from.at || frame !== from.frame) {
    const mine = replay.wanted + 1;
    await goTo(at, frame);
    if (mine !== replay.wanted) replay.left = stay(); // somebody chose another place meanwhile
  }
  if (atEnd()) pause();
  if (replay.playing) requestAnimationFrame(tick);
}

// ---- What is seen

function tell(now, missing) {
  const { at, frame, steps } = replay;
  const name = actionName(steps[at], at);
  find("#position-action").textContent = at;
  find("#position-frame").textContent = frameText(frame, framesOf(at));
  const key = find("#position-key");
  key.textContent = name;
  key.classList.toggle("down", frame === 0 && framesOf(at) > 0);
  find("#no-frames").hidden = !missing;
  find("#no-frames").textContent = now.damaged ? "The frames of this step are damaged." : "Recorded without frames.";
  timeline.show(at, `Action ${at} of ${steps.length - 1}: ${name}`);
  list.show(at);
  afterPaint(board, () => Object.assign(main.dataset, { step: steps[at].step, frame, playing: replay.playing }));
  clearTimeout(replay.addressTimer);
  replay.addressTimer = setTimeout(followAddress, ADDRESS_MS);
}

function frameText(frame, count) {
  if (count === 0) return "no frames";
  if (frame > 0) return `frame ${frame} of ${count}`;
  return count === 1 ? "before its frame" : `before its ${count} frames`;
}

function followAddress() {
  const address = new URL(location.href);
  address.searchParams.set("step", replay.steps[replay.at].step);
  history.replaceState(null, "", address);
}

function showPlaying() {
  find("#play").setAttribute("aria-label", replay.playing ? "Pause" : "Play");
  find("#play").classList.toggle("on", replay.playing);
  main.dataset.playing = replay.playing;
}

function describe(index) {
  const { step: number, think } = replay.steps[index];
  return {
    step: number,
    action: actionName(replay.steps[index], index),
    thought: think === null ? "" : `${think.toFixed(1)} s`,
    remarks: replay.remarks[index],
  };
}

// ---- Keys and buttons

const commands = {
  play: () => (replay.playing ? pause() : play()),
  previous: () => step(-1),
  next: () => step(1),
  "previous-frame": () => stepFrame(-1),
  "next-frame": () => stepFrame(1),
  first: () => step(-Infinity),
  last: () => step(Infinity),
  screen: () => (document.fullscreenElement ? document.exitFullscreen() : main.requestFullscreen?.()),
  keys: () => find("#keys-dialog").showModal(),
};
const KEYS = {
  " ": "play", k: "play", KeyK: "play",
  ArrowLeft: "previous", j: "previous", KeyJ: "previous",
  ArrowRight: "next", l: "next", KeyL: "next",
  ",": "previous-frame", Comma: "previous-frame",
  ".": "next-frame", Period: "next-frame",
  Home: "first", End: "last",
  f: "screen", KeyF: "screen",
  "?": "keys",
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || find("#keys-dialog").open) return;
  if (event.target.matches("select") && !/^Arrow(Left|Right)$/.test(event.key)) return; // the menu needs its keys
  // By letter; by position where the layout has other letters. Digits by position, as some layouts have them shifted.
  const name = /^[ -~]$/.test(event.key) ? event.key.toLowerCase() : event.code;
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code);
  if (!KEYS[name] && !digit) return;
  event.preventDefault();
  if (KEYS[name]) commands[KEYS[name]]();
  else goToLevel(Number(digit[1]));
}

/** The space bar plays; it must not press a focused button as well. */
function onKeyUp(event) {
  if (event.key === " " && event.target.matches("button") && !event.target.closest("dialog")) event.preventDefault();
}

function bind() {
  addEventListener("keydown", onKey, { capture: true });
  addEventListener("keyup", onKeyUp, { capture: true });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-command]");
    if (button) commands[button.dataset.command]();
  });
  find("#speed").addEventListener("change", (event) => {
    replay.speed = event.target.value;
    replay.left = Math.min(replay.left, stay());
  });
}

async function start() {
  if (!canDecode()) throw new Error("this browser is too old to show recordings");
  const recording = await load(page.data);
  if (!recording.steps.length) throw new Error("it has no steps");
  const { steps, winLevels, fps, limits, frames } = recording;
  Object.assign(replay, { steps, fps: fps || page.fps, film: makeFilm(frames), remarks: remarks(steps, winLevels) });
  find("#duration").textContent = `, ${duration(steps.at(-1).at / 1000)}`;
  find("#position-count").textContent = steps.length - 1;
  find("#position").classList.add("ready");
  list = makeStepList(find("#steps"), {
    count: steps.length,
    describe,
    onChoose: (index) => step(index - replay.at),
  });
  timeline = makeTimeline(find("#timeline"), {
    count: steps.length,
    segments: segments(steps, winLevels),
    marks: marks(steps, limits),
    onSeek: (index) => index !== replay.at && step(index - replay.at),
  });
  find("#long-thinking").textContent = `over ${LONG_THINKING} s of thinking`;
  bind();
  const asked = Number(new URLSearchParams(location.search).get("step") ?? 0);
  await goTo(Math.max(0, steps.findIndex((one) => one.step === asked)));
  find("#loading").hidden = true;
}

start().catch((error) => {
  find("#loading").textContent = `The recording cannot be shown: ${error.message}.`;
  main.dataset.failed = "true";
  throw error;
});
