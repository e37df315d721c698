// Keys and pointer to actions. Nothing here knows whether an action is available.

import { cellAt } from "./board.js";

export const RESET = 0;
export const ACT = 5;
export const CLICK = 6;
export const UNDO = 7;

// By position on the keyboard, so that WASD lies in the same place on every layout.
const KEYS = {
  KeyW: 1, ArrowUp: 1,
  KeyS: 2, ArrowDown: 2,
  KeyA: 3, ArrowLeft: 3,
  KeyD: 4, ArrowRight: 4,
  Space: ACT, KeyF: ACT,
  KeyR: RESET,
};

/** The action of a key event, or null. With a modifier down only undo exists. */
export function actionOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return isUndo(event) ? UNDO : null;
  return KEYS[event.code] ?? null;
}

// Undo goes by the letter, as everywhere else; by position only where the layout has no Latin letters.
function isUndo({ ctrlKey, metaKey, altKey, shiftKey, key, code }) {
  if (ctrlKey === metaKey || altKey || shiftKey) return false;
  return /^[a-z]$/i.test(key) ? key.toLowerCase() === "z" : code === "KeyZ";
}

/**
 * Call `onAction(action, when)` once for every press of a game key, whatever has the focus; `isOn(action)` says
 * whether the key is the game's just now, else the browser keeps it. Returns unbind.
 */
export function bindKeys({ isOn, onAction }) {
  const down = (event) => {
    // A held Enter on a button would press it again and again.
    if (event.repeat && event.code === "Enter") event.preventDefault();
    const action = actionOf(event);
    if (action === null || !isOn(action)) return;
    event.preventDefault(); // no scrolling, and no second press of a focused button
    if (!event.repeat) onAction(action, clientTime(event));
  };
  const up = (event) => {
    // A button that has the focus is pressed by the release of the space bar.
    if (event.code === "Space" && isOn(ACT)) event.preventDefault();
  };
  addEventListener("keydown", down, { capture: true });
  addEventListener("keyup", up, { capture: true });
  return () => {
    removeEventListener("keydown", down, { capture: true });
    removeEventListener("keyup", up, { capture: true });
  };
}

/** Call `onCell({x, y}, when)` when the primary button or a finger goes down on a cell. Returns unbind. */
export function bindCells(board, onCell) {
  const down = (event) => {
    // Ctrl and a click are the secondary button on a Mac.
    if (!event.isPrimary || event.button !== 0 || event.ctrlKey) return;
    event.preventDefault();
    const cell = cellAt(board, event);
    if (cell) onCell(cell, clientTime(event));
  };
  const refuse = (event) => event.preventDefault();
  const refused = ["contextmenu", "dblclick", "selectstart", "dragstart", "touchstart", "mousedown"];
  board.canvas.addEventListener("pointerdown", down);
  for (const name of refused) board.canvas.addEventListener(name, refuse, { passive: false });
  return () => {
    board.canvas.removeEventListener("pointerdown", down);
    for (const name of refused) board.canvas.removeEventListener(name, refuse);
  };
}

/** When an event happened by this computer's clock, whole ms since 1970. */
export function clientTime(event) {
  return Math.max(0, Math.round(Date.now() - (performance.now() - event.timeStamp)));
}
