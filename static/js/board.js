// The 64x64 board on a canvas. One plain state object; functions take it first, change it, and it is drawn once in the
// next animation frame. The same board serves play and replay.

import { PALETTE } from "./palette.js";

const SIDE = 64;

/** A board on `canvas`, as large as fits in whole device pixels a cell into `room`, the element around it. */
export function makeBoard(canvas, room) {
  const small = document.createElement("canvas");
  small.width = small.height = SIDE;
  const context = small.getContext("2d");
  const image = context.createImageData(SIDE, SIDE);
  const board = {
    canvas,
    room,
    small,
    context,
    image,
    pixels: new Uint32Array(image.data.buffer),
    grid: null, // Uint8Array(4096)
    hover: null, // {x, y} under the pointer
    mark: null, // {x, y, kept}: the cell that was clicked
    scale: 0, // device pixels a cell
    ratio: 1, // device pixels a CSS pixel
    request: 0,
    painted: [], // called once, after the next drawing
  };
  board.unbind = watchSize(board);
  resize(board);
  return board;
}

export function show(board, grid) {
  board.grid = grid;
  redraw(board);
}

/** Outline a cell as clicked; null takes the outline away. `kept`: not sent yet. */
export function mark(board, cell) {
  board.mark = cell;
  redraw(board);
}

/** Call `done` after the board, as it is now, was drawn. */
export function afterPaint(board, done) {
  board.painted.push(done);
  redraw(board);
}

/** The cell under a pointer event, or null outside the board. */
export function cellAt(board, event) {
  const box = board.canvas.getBoundingClientRect();
  // The canvas is drawn from a whole device pixel on, wherever the layout puts it.
  const left = Math.round(box.left * board.ratio) / board.ratio;
  const top = Math.round(box.top * board.ratio) / board.ratio;
  const x = Math.floor(((event.clientX - left) * SIDE) / box.width);
  const y = Math.floor(((event.clientY - top) * SIDE) / box.height);
  return x >= 0 && y >= 0 && x < SIDE && y < SIDE ? { x, y } : null;
}

/** Outline the cell under the pointer while the mouse is over the board; returns unbind. */
export function bindHover(board) {
  const move = (event) => setHover(board, event.pointerType === "mouse" ? cellAt(board, event) : null);
  const leave = () => setHover(board, null);
  board.canvas.addEventListener("pointermove", move);
  board.canvas.addEventListener("pointerleave", leave);
  return () => {
    board.canvas.removeEventListener("pointermove", move);
    board.canvas.removeEventListener("pointerleave", leave);
    leave();
  };
}

function setHover(board, cell) {
  if (board.hover?.x === cell?.x && board.hover?.y === cell?.y) return;
  board.hover = cell;
  redraw(board);
}

function watchSize(board) {
  const observer = new ResizeObserver(() => resize(board));
  observer.observe(board.room);
  const moved = () => resize(board); // to a screen with another pixel ratio, or the page was zoomed
  addEventListener("resize", moved);
  return () => {
    observer.disconnect();
    removeEventListener("resize", moved);
    cancelAnimationFrame(board.request);
  };
}

function resize(board) {
  const ratio = devicePixelRatio || 1;
  const box = getComputedStyle(board.room);
  const width = board.room.clientWidth - parseFloat(box.paddingLeft) - parseFloat(box.paddingRight);
  const height = board.room.clientHeight - parseFloat(box.paddingTop) - parseFloat(box.paddingBottom);
  const scale = Math.max(1, Math.floor((Math.min(width, height) * ratio) / SIDE));
  if (scale === board.scale && ratio === board.ratio) return;
  Object.assign(board, { scale, ratio });
  board.canvas.width = board.canvas.height = SIDE * scale;
  board.canvas.style.width = board.canvas.style.height = `${(SIDE * scale) / ratio}px`;
  draw(board); // at once: a resized canvas is empty
}

function redraw(board) {
  if (board.request) return;
  board.request = requestAnimationFrame(() => {
    board.request = 0;
    draw(board);
    for (const done of board.painted.splice(0)) done();
  });
}

function draw(board) {
  const context = board.canvas.getContext("2d");
  if (board.grid === null) {
    context.clearRect(0, 0, board.canvas.width, board.canvas.height);
    return;
  }
  for (let i = 0; i < board.pixels.length; i++) board.pixels[i] = PALETTE[board.grid[i]];
  board.context.putImageData(board.image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(board.small, 0, 0, board.canvas.width, board.canvas.height);
  const line = Math.max(1, Math.round(board.ratio));
  if (board.hover) outline(board, context, board.hover, line, []);
  if (board.mark) outline(board, context, board.mark, 2 * line, board.mark.kept ? [3 * line, 2 * line] : []);
}

/** White within black, so that it is seen on every one of the 16 colours. */
function outline(board, context, { x, y }, line, dashes) {
  const { scale } = board;
  const ring = (distance, colour, pattern) => {
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.setLineDash(pattern);
    const away = distance * line + line / 2;
    context.strokeRect(x * scale - away, y * scale - away, scale + 2 * away, scale + 2 * away);
  };
  ring(1, "#000", []);
  ring(0, "#fff", dashes);
}
