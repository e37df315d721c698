// The scrub bar: one place for every action, levels as stretches, marks for what stands out.

/** The bar in `element` for `count` steps; `onSeek(index)` when a place is chosen. */
export function makeTimeline(element, { count, segments, marks, onSeek }) {
  const place = (index) => `${(100 * index) / Math.max(1, count)}%`;
  const track = element.querySelector("[data-track]");
  const head = element.querySelector("[data-head]");
  const parts = segments.map(({ level, from, to }) => {
    const part = document.createElement("div");
    part.className = "segment";
    part.style.left = place(from);
    part.style.width = place(to - from);
    const seen = document.createElement("i");
    const label = document.createElement("span");
    label.textContent = level;
    part.append(seen, label);
    track.insertBefore(part, head);
    return { from, to, seen };
  });
  for (const { kind, index } of marks) {
    const line = document.createElement("b");
    line.className = `mark ${kind}`;
    line.style.left = place(index + 0.5);
    track.insertBefore(line, head);
  }
  for (const entry of element.querySelectorAll("[data-kind]")) {
    entry.hidden = !marks.some(({ kind }) => kind === entry.dataset.kind);
  }
  track.setAttribute("aria-valuemax", count - 1);

  const seek = (event) => {
    const box = track.getBoundingClientRect();
    const index = Math.floor(((event.clientX - box.left) / box.width) * count);
    onSeek(Math.min(count - 1, Math.max(0, index)));
  };
  track.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button !== 0) return;
    track.setPointerCapture(event.pointerId);
    seek(event);
  });
  track.addEventListener("pointermove", (event) => track.hasPointerCapture(event.pointerId) && seek(event));

  return {
    /** Move the head to a step; `text` is what a screen reader says. */
    show(index, text) {
      head.style.left = place(index + 0.5);
      for (const { from, to, seen } of parts) {
        seen.style.width = `${100 * Math.min(1, Math.max(0, (index + 1 - from) / (to - from)))}%`;
      }
      track.setAttribute("aria-valuenow", index);
      track.setAttribute("aria-valuetext", text);
    },
  };
}
