// The controls beside the board: which are offered, pressed, kept or dropped.

import { RESET, clientTime } from "./input.js";

const PRESSED_MS = 130;
const DROPPED_MS = 900;

/** The keypad in `element`, whose members carry data-action. */
export function makeKeypad(element) {
  const keys = new Map();
  for (const key of element.querySelectorAll("[data-action]")) keys.set(Number(key.dataset.action), key);
  return { element, keys };
}

/** Call `onAction(action, when)` when a key is pressed; returns unbind. */
export function bindKeypad(pad, onAction) {
  const actionOf = (event) => {
    const button = event.target.closest("button[data-action]");
    return button && !button.disabled ? Number(button.dataset.action) : null;
  };
  // At once when the pointer goes down; Reset only when it was also released there, since it throws away a try.
  const down = (event) => {
    const action = event.isPrimary && event.button === 0 ? actionOf(event) : null;
    if (action !== null && action !== RESET) onAction(action, clientTime(event));
  };
  const click = (event) => {
    const action = actionOf(event);
    const byPointer = event.detail !== 0;
    if (action !== null && (!byPointer || action === RESET)) onAction(action, clientTime(event));
  };
  const keepFocus = (event) => event.preventDefault();
  const listeners = { pointerdown: down, click, mousedown: keepFocus, contextmenu: keepFocus };
  for (const [name, listener] of Object.entries(listeners)) pad.element.addEventListener(name, listener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) pad.element.removeEventListener(name, listener);
  };
}

/** Show which actions are offered now: bit k of `offered` for ACTIONk, bit 0 for RESET. */
export function offer(pad, offered) {
  for (const [action, key] of pad.keys) {
    const on = Boolean((offered >> action) & 1);
    key.classList.toggle("off", !on);
    if (on) key.closest("[data-cluster]").hidden = false;
    // aria-disabled, not disabled: a disabled button would lose the focus of somebody who uses the keyboard.
    if (key instanceof HTMLButtonElement) key.setAttribute("aria-disabled", String(!on));
  }
}

/** Move the key down and up again, once. */
export function press(pad, action) {
  flash(pad.keys.get(action), "pressed", PRESSED_MS);
}

/** Mark the one key whose press has no answer yet (seen only when that takes long); null for none. */
export function wait(pad, action) {
  for (const [other, key] of pad.keys) key.classList.toggle("waiting", other === action);
}

/** Mark the one key that is kept until it can be sent; null for none. */
export function keep(pad, action) {
  for (const [other, key] of pad.keys) key.classList.toggle("kept", other === action);
}

/** Show that a key's press was not sent. */
export function drop(pad, action) {
  flash(pad.keys.get(action), "dropped", DROPPED_MS);
}

function flash(key, name, time) {
  if (!key) return;
  key.classList.add(name);
  clearTimeout(key[`${name}Timer`]);
  key[`${name}Timer`] = setTimeout(() => key.classList.remove(name), time);
}
