// The row above the board: time limits as the server tells them, and short remarks. Its space is always there.

import { clockFace, duration, timeLeft } from "./words.js";

const REMARK_MS = 3200;

/** The row in `element`; `announce(text)` speaks to people who do not see it. */
export function makeNotice(element, announce) {
  const part = (name) => element.querySelector(`[data-notice="${name}"]`);
  const row = {
    element,
    announce,
    text: part("text"),
    more: part("more"),
    choices: part("choices"),
    keepPlaying: part("keep"),
    connection: part("connection"),
    clock: null,
    clockAt: 0,
    dismissed: false,
    remark: "",
    timer: 0,
    remarkTimer: 0,
  };
  row.keepPlaying.addEventListener("click", () => {
    row.dismissed = true;
    render(row);
  });
  return row;
}

/** Take the server's clock. */
export function setClock(row, clock) {
  const changed = row.clock?.phase !== clock.phase;
  row.clock = clock;
  row.clockAt = performance.now();
  render(row);
  if (changed && row.text.textContent) row.announce(`${row.text.textContent} ${row.more.textContent}`);
}

/** A short remark that goes away by itself. */
export function remark(row, text) {
  row.remark = text;
  clearTimeout(row.remarkTimer);
  row.remarkTimer = setTimeout(() => {
    row.remark = "";
    render(row);
  }, REMARK_MS);
  render(row);
}

const CONNECTION = { reconnecting: "Reconnecting", offline: "Offline", busy: "The server is busy" };

export function setConnection(row, status) {
  const text = CONNECTION[status] ?? "";
  if (text === row.connection.textContent) return;
  if (text) row.announce(text);
  else if (row.connection.textContent) row.announce("Connected again");
  row.connection.textContent = text;
  row.connection.hidden = !text;
}

/** Nothing more to say: the attempt is over. */
export function closeNotice(row) {
  row.clock = null;
  row.remark = "";
  render(row);
}

function render(row) {
  clearTimeout(row.timer);
  const phase = row.clock?.phase;
  let [text, more, choices] = ["", "", false];
  if (phase === "prompted" && !row.dismissed) {
    text = `${duration(row.clock.soft_limit)} ${row.clock.soft_limit === 1 ? "has" : "have"} passed.`;
    more = "Please bring this game to an end.";
    choices = true;
    row.keepPlaying.textContent = `Keep playing, until ${clockFace(row.clock.hard_limit)}`;
  } else if (phase === "last_minutes") {
    const left = row.clock.hard_limit - row.clock.elapsed - (performance.now() - row.clockAt) / 1000;
    text = timeLeft(left);
    row.timer = setTimeout(() => render(row), 1000);
  }
  if (row.remark && !choices) [text, more] = [row.remark, ""];
  row.text.textContent = text;
  row.more.textContent = more;
  row.choices.hidden = !choices;
  row.element.classList.toggle("urgent", Boolean(text) && !row.remark);
}
