// A recording as the replay page gets it: one download, decoded piece by piece while it is watched.

import { DamagedFrames, framesHeader, inflateFrames, unchain } from "./codec.js";

const MIN_PIECE = 16; // steps
const GRIDS_KEPT = 6000; // 4 kB each

/** Download and take apart: `{steps, winLevels, fps, limits, outcome, frames: [Uint8Array]}`. Throws on bad data. */
export async function load(address) {
  const answer = await fetch(address, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  const buffer = await answer.arrayBuffer();
  const view = new DataView(buffer);
  let at = 0;
  const block = () => {
    if (at + 4 > buffer.byteLength) throw new Error("the recording is cut off");
    const size = view.getUint32(at, true);
    if (at + 4 + size > buffer.byteLength) throw new Error("the recording is cut off");
    const bytes = new Uint8Array(buffer, at + 4, size);
    at += 4 + size;
    return bytes;
  };
  const head = JSON.parse(new TextDecoder().decode(block()));
  const frames = head.steps.map(block);
  return { ...head, winLevels: head.win_levels, frames };
}

/** Where the decoded grids live. Pieces begin at keyframes, so that any step is near at hand. */
export function makeFilm(frames) {
  const starts = [0];
  for (let i = 1; i < frames.length; i++) {
    if (i - starts.at(-1) >= MIN_PIECE && isKeyframe(frames[i])) starts.push(i);
  }
  return { frames, starts, pieces: new Map(), grids: 0 };
}

/**
 * `{before, grids, damaged}` of step i: the grid that the player saw, and those of the answer. `before` is null where
 * it is not known, `grids` where none were recorded. Returns a promise.
 */
export async function scene(film, i) {
  const scenes = await piece(film, pieceOf(film, i));
  const found = scenes[i - film.starts[pieceOf(film, i)]];
  if (found.before !== null || i === 0) return found;
  const previous = pieceOf(film, i - 1);
  const last = (await piece(film, previous))[i - 1 - film.starts[previous]];
  return { ...found, before: last.after };
}

function isKeyframe(bytes) {
  return bytes.length >= 3 && bytes[0] === 1 && (bytes[1] | bytes[2]) !== 0;
}

function pieceOf(film, i) {
  let [low, high] = [0, film.starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (film.starts[middle] <= i) low = middle;
    else high = middle - 1;
  }
  return low;
}

function piece(film, n) {
  const known = film.pieces.get(n);
  if (known) {
    film.pieces.delete(n); // to the end: the latest used
    film.pieces.set(n, known);
    return known;
  }
  const promise = decodePiece(film, n);
  film.pieces.set(n, promise);
  promise.then((scenes) => {
    for (const { grids } of scenes) film.grids += grids?.length ?? 0;
    forgetOldest(film);
  });
  return promise;
}

async function forgetOldest(film) {
  while (film.grids > GRIDS_KEPT && film.pieces.size > 3) {
    const [n, promise] = film.pieces.entries().next().value;
    film.pieces.delete(n);
    for (const { grids } of await promise) film.grids -= grids?.length ?? 0;
  }
}

async function decodePiece({ frames, starts }, n) {
  const part = frames.slice(starts[n], starts[n + 1]);
  const tryToInflate = (bytes) => (bytes.length ? inflateFrames(bytes).catch(() => null) : null);
  const inflated = await Promise.all(part.map(tryToInflate));
  let last = null;
  return part.map((bytes, k) => {
    const before = last;
    let grids = null;
    let damaged = false;
    if (bytes.length) {
      try {
        if (inflated[k] === null) throw new DamagedFrames("frames cannot be inflated");
        grids = unchain(bytes, inflated[k], before);
      } catch {
        damaged = true;
      }
    }
    // An answer without a grid leaves the board as it was; one that is missing leaves it unknown until a keyframe.
    last = grids === null ? null : (grids.at(-1) ?? before);
    return { before, grids, damaged, after: last };
  });
}

/** How many grids step i has, without decoding it; null where none were recorded. */
export function gridCount(film, i) {
  try {
    return film.frames[i].length ? framesHeader(film.frames[i]).count : null;
  } catch {
    return null;
  }
}
