// The list of actions beside the board. Only the rows in sight exist, so that thousands of steps stay quick.

const ROW = 34; // px, as in replay.css
const SPARE = 6; // rows above and below the sight

/**
 * The list in `element` (a scrolling listbox). `describe(index)` gives `{step, action, thought, remarks}`;
 * `onChoose(index)` when a row is clicked.
 */
export function makeStepList(element, { count, describe, onChoose }) {
  const all = document.createElement("div");
  all.className = "rows";
  all.style.height = `${count * ROW}px`;
  element.replaceChildren(all);
  const rows = new Map();
  let current = -1;
  let request = 0;

  function render() {
    request = 0;
    const from = Math.max(0, Math.floor(element.scrollTop / ROW) - SPARE);
    const to = Math.min(count, Math.ceil((element.scrollTop + element.clientHeight) / ROW) + SPARE);
    for (const [index, row] of rows) {
      if (index >= from && index < to) continue;
      row.remove();
      rows.delete(index);
    }
    for (let index = from; index < to; index++) {
      if (rows.has(index)) continue;
      const row = makeRow(describe(index), index, count);
      rows.set(index, row);
      all.append(row);
    }
    for (const [index, row] of rows) {
      row.classList.toggle("on", index === current);
      row.setAttribute("aria-selected", String(index === current));
    }
    if (rows.has(current)) element.setAttribute("aria-activedescendant", rows.get(current).id);
  }

  function soon() {
    if (!request) request = requestAnimationFrame(render);
  }

  element.addEventListener("scroll", soon, { passive: true });
  element.addEventListener("click", (event) => {
    const row = event.target.closest("[data-index]");
    if (row) onChoose(Number(row.dataset.index));
  });
  new ResizeObserver(soon).observe(element);

  return {
    /** Mark a row and bring it into sight, in the middle where it was out of it. */
    show(index) {
      if (index === current) return;
      current = index;
      const top = index * ROW;
      const height = element.clientHeight;
      if (top < element.scrollTop + ROW || top > element.scrollTop + height - 2 * ROW) {
        element.scrollTop = top - height / 2 + ROW / 2;
      }
      soon();
    },
  };
}

function makeRow({ step, action, thought, remarks }, index, count) {
  const row = document.createElement("div");
  row.className = "row";
  row.id = `step-${index}`;
  row.dataset.index = index;
  row.setAttribute("role", "option");
  row.setAttribute("aria-posinset", index + 1);
  row.setAttribute("aria-setsize", count);
  row.style.top = `${index * ROW}px`;
  const cell = (name, ...content) => {
    const span = document.createElement("span");
    span.className = name;
    span.append(...content);
    row.append(span);
  };
  cell("right muted", step);
  const key = document.createElement("kbd");
  key.className = "keycap small";
  key.textContent = action;
  cell("", key);
  cell("right", thought);
  cell(
    "what",
    ...remarks.map(({ kind, text }) => {
      const remark = document.createElement("span");
      remark.className = kind === "plain" ? "muted" : `badge ${kind}`;
      remark.textContent = text;
      return remark;
    }),
  );
  return row;
}
