// The 16 game colours (docs/protocol.md), as an ImageData holds them.

export const COLOURS = (
  "FFFFFF CCCCCC 999999 666666 333333 000000 E53AA3 FF7BCC F93C31 1E93FF 88D8F1 FFDC00 FF851B 921231 4FCC30 A356D6"
).split(" ");

/** RGBA bytes of a colour, for a Uint32Array over an ImageData on this machine's byte order. */
function rgba(hex) {
  const [red, green, blue] = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return new Uint32Array(new Uint8Array([red, green, blue, 255]).buffer)[0];
}

export const PALETTE = Uint32Array.from(COLOURS, rgba);
