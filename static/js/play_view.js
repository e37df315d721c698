// What the play page shows beside board and keypad: level dots, the cards over the board, spoken news.

const FLASH_MS = 900;

const find = (selector) => document.querySelector(selector);

/** The dots in the bar: one a level, filled when it is completed. */
export function showLevels(done, all) {
  const dots = find("#levels");
  while (dots.children.length < all) dots.append(document.createElement("i"));
  [...dots.children].forEach((dot, k) => {
    dot.className = k < done ? "done" : k === done ? "now" : "";
  });
  dots.setAttribute("aria-label", `${done} of ${all} levels completed`);
}

/** A short quiet flash around the board. */
export function flashBoard() {
  find("main").classList.add("level-done");
  setTimeout(() => find("main").classList.remove("level-done"), FLASH_MS);
}

/** Over the board: one card by its name, or none. */
export function showCard(name) {
  find("main").dataset.card = name ?? "";
  for (const card of document.querySelectorAll("#cards > [data-card]")) card.hidden = card.dataset.card !== name;
}

/** Say it to people who do not see it. */
export function announce(text) {
  const spoken = find("#announce");
  spoken.textContent = spoken.textContent === text ? `${text}\u00a0` : text; // the same words again are news too
}
