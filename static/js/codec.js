// Bytes from the server (docs/protocol.md) to steps and grids. A grid is a Uint8Array of 4,096 cells, row by row.

const HEADER = 13;
const PACKED = 2048; // bytes of a grid as sent: two cells to a byte
export const CELLS = 4096;

export class DamagedFrames extends Error {}

/** Whether this browser can read frames at all. */
export function canDecode() {
  try {
    return Boolean(new DecompressionStream("deflate-raw"));
  } catch {
    return false;
  }
}

/** The parts of a binary step message; `frames` are still encoded. Throws DamagedFrames. */
export function parseStep(buffer) {
  const view = new DataView(buffer);
  if (view.byteLength < HEADER + 3 || view.getUint8(0) !== 1) throw new DamagedFrames("not a step message");
  const flags = view.getUint8(1);
  return {
    fullReset: Boolean(flags & 1),
    snapshot: Boolean(flags & 2),
    step: view.getUint32(2, true),
    action: view.getUint8(6),
    x: view.getUint8(7) === 255 ? null : view.getUint8(7),
    y: view.getUint8(8) === 255 ? null : view.getUint8(8),
    state: view.getUint8(9),
    levels: view.getUint8(10),
    winLevels: view.getUint8(11),
    offered: view.getUint8(12),
    frames: new Uint8Array(buffer, HEADER),
  };
}

/** `{keyframe, count}` of a step's encoded frames. */
export function framesHeader(bytes) {
  if (bytes.length < 3 || bytes[0] > 1) throw new DamagedFrames("frames have no head");
  return { keyframe: bytes[0] === 1, count: bytes[1] | (bytes[2] << 8) };
}

/** Inflate the body of encoded frames to exactly count * 2,048 bytes. */
async function inflate(body, size) {
  const reader = new Blob([body]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const out = new Uint8Array(size);
  let filled = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (filled + value.length > size) {
      reader.cancel();
      throw new DamagedFrames("more grids than announced");
    }
    out.set(value, filled);
    filled += value.length;
  }
  if (filled !== size) throw new DamagedFrames("fewer grids than announced");
  return out;
}

/**
 * The grids of one step, each a new Uint8Array(4096); none where the action had none.
 * `before` is the last grid of the step before, null where there is none. Throws DamagedFrames.
 */
export async function decodeFrames(bytes, before) {
  return unchain(bytes, await inflateFrames(bytes), before);
}

/** First half of decodeFrames, which needs no grid before: the inflated bytes. */
export async function inflateFrames(bytes) {
  const { count } = framesHeader(bytes);
  if (count === 0) return new Uint8Array(0);
  try {
    return await inflate(bytes.subarray(3), count * PACKED);
  } catch (error) {
    throw error instanceof DamagedFrames ? error : new DamagedFrames("frames cannot be inflated", { cause: error });
  }
}

/** Second half: undo the XOR between grids. */
export function unchain(bytes, packed, before) {
  const { keyframe, count } = framesHeader(bytes);
  if (count > 0 && !keyframe && before === null) throw new DamagedFrames("frames need the grid before them");
  const grids = [];
  let last = keyframe ? null : before;
  for (let k = 0; k < count; k++) {
    const grid = last === null ? new Uint8Array(CELLS) : last.slice();
    for (let i = 0, at = k * PACKED; i < CELLS; i += 2, at++) {
      grid[i] ^= packed[at] >> 4;
      grid[i + 1] ^= packed[at] & 15;
    }
    grids.push(grid);
    last = grid;
  }
  return grids;
}
