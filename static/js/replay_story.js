// What happened in a recording, read off its steps: levels, resets, game overs, long thinking. Pure functions.

export const LONG_THINKING = 10; // seconds

const NAMES = { 1: "W", 2: "S", 3: "A", 4: "D", 5: "Space", 7: "Undo" };
const WIN = 2;
const GAME_OVER = 3;

/** What the player pressed, in words. */
export function actionName({ action, x, y }, index) {
  if (action === 0) return index === 0 ? "Start" : "Reset";
  if (action === 6) return `Click ${x}, ${y}`;
  return NAMES[action] ?? `Action ${action}`;
}

/** The steps with `before` and `after`, the levels completed, where answers after the end leave both as they were. */
function* progress(steps) {
  let before = 0;
  for (const [index, step] of steps.entries()) {
    const after = step.frames === 0 ? before : step.levels;
    yield { step, index, before: index === 0 ? after : before, after };
    before = after;
  }
}

/** The stretches of play within one level: `[{level, from, to}]`, `to` excluded. */
export function segments(steps, winLevels) {
  const found = [];
  for (const { step, index, before } of progress(steps)) {
    const level = Math.min(before + 1, winLevels || before + 1);
    const last = found.at(-1);
    if (last?.level === level && !(step.full_reset && index > 0)) last.to = index + 1;
    else found.push({ level, from: index, to: index + 1 });
  }
  return found;
}

/** Where level `level` was first seen: the step whose answer showed it; null if never. */
export function startOfLevel(steps, level) {
  for (const { index, after } of progress(steps)) if (after >= level - 1) return index;
  return null;
}

/** Remarks on every step: arrays of `{kind, text}`, kind: good, warn, bad or plain. */
export function remarks(steps, winLevels) {
  const all = [];
  let previous = null;
  for (const { step, index, before, after } of progress(steps)) {
    const mine = [];
    if (step.state === WIN && previous !== WIN) mine.push({ kind: "good", text: "won" });
    else if (index > 0 && after > before) mine.push({ kind: "good", text: `level ${after} done` });
    if (step.state === GAME_OVER && previous !== GAME_OVER) mine.push({ kind: "bad", text: "game over" });
    if (step.action === 0 && index > 0) {
      const level = Math.min(after + 1, winLevels || after + 1);
      mine.push({ kind: "warn", text: step.full_reset ? "game again" : `level ${level} again` });
    }
    if (step.think !== null && step.think > LONG_THINKING) mine.push({ kind: "plain", text: "long thinking" });
    if (step.frames > 1) mine.push({ kind: "plain", text: `${step.frames} frames` });
    all.push(mine);
    previous = step.state;
  }
  return all;
}

/** Marks for the scrub bar: `[{kind, index}]`, kind: reset, over, thinking or prompt. */
export function marks(steps, limits) {
  const found = [];
  let previous = null;
  steps.forEach((step, index) => {
    if (step.action === 0 && index > 0) found.push({ kind: "reset", index });
    if (step.state === GAME_OVER && previous !== GAME_OVER) found.push({ kind: "over", index });
    if (step.think !== null && step.think > LONG_THINKING) found.push({ kind: "thinking", index });
    previous = step.state;
  });
  const prompted = limits.soft === null ? -1 : steps.findIndex((step) => step.at >= limits.soft * 1000);
  if (prompted > 0) found.push({ kind: "prompt", index: prompted });
  return found;
}
