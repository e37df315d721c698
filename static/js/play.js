// The play page: the socket's messages in, the player's actions out, one at a time.

import { afterPaint, bindHover, makeBoard, mark, show } from "./board.js";
import { DamagedFrames, canDecode, decodeFrames, parseStep } from "./codec.js";
import { CLICK, RESET, bindCells, bindKeys, clientTime } from "./input.js";
import { bindKeypad, drop, keep, makeKeypad, offer, press, wait } from "./keypad.js";
import { closeNotice, makeNotice, remark, setClock, setConnection } from "./notice.js";
import { announce, flashBoard, showCard, showLevels } from "./play_view.js";
import { keepConnected } from "./socket.js";

const RESEND_MS = 2500;
const BUSY_MS = 1500;
const MARK_MS = 350;
const STATES = { 1: "not_finished", 2: "win", 3: "game_over" };
const WIN = 2;
const GAME_OVER = 3;

const find = (selector) => document.querySelector(selector);
const page = JSON.parse(find("#page").textContent);
const main = find("main");
const board = makeBoard(find("#board"), find("#room"));
const pad = makeKeypad(find("#keypad"));
const notice = makeNotice(find("#notice"), announce);
const endDialog = find("#end-dialog");

const play = {
  step: null, // of the last step message; null before the first snapshot
  state: 1,
  levels: 0,
  winLevels: 0,
  offered: 0, // bit k: ACTIONk, bit 0: RESET
  fps: 5,
  grid: null, // the last grid of the last step: what a delta builds on
  changed: false, // the last step changed level or state
  pending: null, // the one action that has no answer yet: {step, action, x, y, when}
  kept: null, // the next one: {action, x, y, when}
  animation: null, // {grids, timer, rose}
  shown: { step: "", state: "", levels: 0 }, // of the last step whose last grid is on the board
  ending: false, // the player asked for the end, the server has not confirmed it
  outcome: null,
  resendTimer: 0,
  markTimer: 0,
};

// ---- What the player does

/** Do an action, now or as soon as the one before is answered. `cell` for CLICK only. */
function act(action, when, cell = null) {
  if (play.step === null || play.outcome !== null || play.ending || endDialog.open) return;
  const move = { action, when, x: cell?.x, y: cell?.y };
  if (play.animation) {
    settle(); // a press jumps to the last grid
    if (play.changed) return dropMove(move);
  }
  if (!isOffered(action)) return;
  press(pad, action);
  if (cell) markCell(cell, Boolean(play.pending));
  if (play.pending) keepMove(move);
  else sendMove(move);
}

function isOffered(action) {
  return Boolean((play.offered >> action) & 1);
}

function sendMove({ action, when, x, y }) {
  play.pending = { type: "act", step: play.step + 1, action, x, y, key_down_ms: when };
  wait(pad, action);
  transmit();
  tellState();
}

/** Send what has no answer yet, and again until it has. The step number keeps it from being counted twice. */
function transmit() {
  if (play.ending) socket.send({ type: "end" });
  else if (play.pending) socket.send(play.pending);
  else return;
  transmitIn(RESEND_MS);
}

function transmitIn(time) {
  clearTimeout(play.resendTimer);
  play.resendTimer = setTimeout(transmit, time);
}

function keepMove(move) {
  play.kept = move;
  keep(pad, move.action);
}

function dropMove(move) {
  drop(pad, move.action);
  clearMark();
  remark(notice, "Not sent, because the game moved on.");
}

function releaseKept() {
  const move = play.kept;
  if (!move) return;
  play.kept = null;
  keep(pad, null);
  if (play.changed || !isOffered(move.action)) return dropMove(move);
  if (move.action === CLICK) markCell(move, false);
  sendMove(move);
}

function markCell({ x, y }, kept) {
  clearTimeout(play.markTimer);
  mark(board, { x, y, kept });
}

function clearMark(wait = 0) {
  clearTimeout(play.markTimer);
  if (wait) play.markTimer = setTimeout(clearMark, wait);
  else mark(board, null);
}

function endGame() {
  play.ending = true;
  play.kept = null;
  keep(pad, null);
  transmit();
  tellState();
}

// ---- What the server says

const answers = {
  welcome(message) {
    play.fps = message.fps;
    setClock(notice, message.clock);
  },
  clock(message) {
    setClock(notice, message.clock);
    tellState();
  },
  rejected({ code, step }) {
    if (code === "future_step") return socket.again();
    if (code === "not_seated") return answers.replaced();
    if (code === "ended" || !play.pending || (step !== null && step !== play.pending.step)) return;
    const move = play.pending;
    play.pending = play.kept = null;
    wait(pad, null);
    keep(pad, null);
    dropMove(move);
    tellState();
  },
  wait() {
    setConnection(notice, "busy");
    transmitIn(BUSY_MS);
  },
  replaced() {
    finish("replaced", "replaced");
  },
  ended({ outcome, code }) {
    if (outcome === "ended_by_player" && play.ending) return leave();
    find("#crash-code").textContent = code ?? "";
    finish(outcome, { won: "won", time_limit: "time", crashed: "crashed" }[outcome] ?? "ended");
    if (outcome === "time_limit" && play.animation) settle(); // the board freezes
  },
};

async function onStep(buffer) {
  const message = parseStep(buffer);
  if (!message.snapshot) {
    if (message.step <= play.step) return; // the stored answer to a repeat; the first answer came too
    if (message.step !== play.step + 1) return socket.again();
  }
  const grids = await decodeFrames(message.frames, message.snapshot ? null : play.grid);
  stopAnimation();
  const first = play.step === null;
  const rose = !first && message.levels > play.levels;
  play.changed = !first && (message.levels !== play.levels || message.state !== play.state);
  play.grid = grids.at(-1) ?? play.grid;
  for (const name of ["step", "state", "levels", "winLevels", "offered"]) play[name] = message[name];
  if (play.pending && play.pending.step <= play.step) {
    play.pending = null;
    wait(pad, null);
    clearTimeout(play.resendTimer);
  }
  setConnection(notice, "online");
  animate(message.snapshot ? grids.slice(-1) : grids, rose);
}

/** Show the grids of one answer in turn, then settle on the last. */
function animate(grids, rose) {
  play.animation = { grids, timer: 0, rose };
  main.dataset.busy = "true";
  const next = (k) => {
    if (k < grids.length) show(board, grids[k]);
    if (k >= grids.length - 1 || document.hidden) settle();
    else play.animation.timer = setTimeout(next, 1000 / play.fps, k + 1);
  };
  next(0);
}

function stopAnimation() {
  clearTimeout(play.animation?.timer);
  const rose = Boolean(play.animation?.rose);
  play.animation = null;
  return rose;
}

/** The answer's last grid stays; show what else it changed, and let the kept action go. */
function settle() {
  const rose = stopAnimation();
  if (play.grid) show(board, play.grid);
  play.shown = { step: play.step, state: STATES[play.state] ?? "", levels: play.levels };
  clearMark(MARK_MS);
  offer(pad, play.offered);
  showLevels(play.levels, play.winLevels);
  if (play.outcome === null) {
    showCard(play.state === GAME_OVER ? "over" : null);
    if (play.state === GAME_OVER) announce("This try is over. Press R to try this level again.");
    else if (rose && play.state !== WIN) announce(`Level ${play.levels} of ${play.winLevels} completed.`);
  } else {
    showEnd();
  }
  if (rose) flashBoard();
  if (play.pending) transmit(); // after a reconnect, the snapshot showed that it was not done
  else releaseKept();
  tellState();
}

// ---- What is seen

/** Nothing is accepted any more. `card` tells the player; it waits for an animation to end. */
function finish(outcome, card) {
  socket.stop();
  play.outcome = outcome;
  play.endCard = card;
  play.pending = play.kept = null;
  clearTimeout(play.resendTimer);
  wait(pad, null);
  keep(pad, null);
  offer(pad, 0);
  closeNotice(notice);
  setConnection(notice, "closed");
  main.dataset.connection = "closed";
  endDialog.close();
  for (const button of document.querySelectorAll("[data-end]")) button.disabled = true;
  if (!play.animation) showEnd();
  tellState();
}

function showEnd() {
  offer(pad, 0);
  showCard(play.endCard);
  const card = find(`#cards > [data-card="${play.endCard}"]`);
  announce(card.querySelector("h2").textContent);
  // Not at once: whoever is still pressing keys must not press this.
  setTimeout(() => document.activeElement === document.body && card.querySelector("a, button")?.focus(), 800);
}

/** What is on the screen, for tests and assistive tools; written after it was painted. */
function tellState() {
  afterPaint(board, () => {
    Object.assign(main.dataset, {
      ...play.shown,
      phase: notice.clock?.phase ?? (play.outcome ? "over" : ""),
      outcome: play.outcome ?? "",
      busy: Boolean(play.pending || play.kept || play.animation || play.ending),
    });
  });
}

function leave() {
  socket.stop();
  location.assign(page.next);
}

// ---- Ties

let generation = 0;
let tail = Promise.resolve();
let damaged = 0;

/** Messages are taken one after the other, as decoding takes a moment; those of an older connection are void. */
function inOrder(message) {
  const mine = generation;
  tail = tail.then(async () => {
    if (mine !== generation || play.outcome !== null) return;
    try {
      if (message instanceof ArrayBuffer) await onStep(message);
      else answers[message.type]?.(message);
    } catch (error) {
      if (!(error instanceof DamagedFrames)) reportError(error); // the messages after it are still taken
      else if (++damaged > 3) finish("damaged", "damaged");
      else socket.again(); // the snapshot that follows needs no grid before it
    }
  });
}

let socket = { send: () => false, again() {}, stop() {} };

function start() {
  bindKeys({
    // Undo, the arrows and the space bar stay the browser's where the game has no use for them.
    isOn: (action) => play.outcome === null && !endDialog.open && (action === RESET || page.controls.includes(action)),
    onAction: act,
  });
  bindKeypad(pad, act);
  bindCells(board, (cell, when) => act(CLICK, when, cell));
  if (page.controls.includes(CLICK)) bindHover(board);
  for (const button of document.querySelectorAll("[data-end]")) {
    button.addEventListener("click", () => endDialog.showModal());
  }
  find("#end-confirm").addEventListener("click", endGame);
  find("#try-again").addEventListener("click", (event) => act(RESET, clientTime(event)));
  find("#play-here").addEventListener("click", () => location.reload());
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  socket = keepConnected(page.socket, {
    onMessage: inOrder,
    onFresh: () => generation++,
    onStatus(status) {
      main.dataset.connection = status;
      setConnection(notice, status);
    },
    onClosed: () => finish("missing", "missing"),
  });
}

if (canDecode()) start();
else showCard("old-browser");
