// @ts-check
// Drag to move, the move form and the composer in a dialog, and statuses that follow what is being published. Without this script the links remain.

/** With this header, the server answers with the requested part of a page only. */
const FRAGMENT = { "x-fragment": "1" };

const dialog = document.createElement("dialog");
dialog.setAttribute("aria-labelledby", "dialog-title");
const status = document.createElement("p");
status.className = "hint";
status.setAttribute("role", "status");
// The notice that says what a drag has changed, with a button that undoes it.
const undo = document.createElement("div");
undo.id = "undo";
undo.setAttribute("role", "status");
document.querySelector("main")?.append(dialog, status, undo);
const UNDO_MS = 10_000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let undoTimer;

/** Hides the notice after some time. It stays while the pointer or the focus is on it. */
function endUndo() {
  clearTimeout(undoTimer);
  undoTimer = setTimeout(() => {
    if (undo.matches(":hover, :focus-within")) {
      endUndo();
    } else {
      undo.replaceChildren();
    }
  }, UNDO_MS);
}

const region = () => document.getElementById("calendar");

/** @param {string} url @param {RequestInit} [init] */
async function openDialog(url, init) {
  // `keepalive` lets the request finish, so that leaving the page does not lose a moved post.
  const response = await fetch(url, { keepalive: true, ...init, headers: FRAGMENT }).catch(() => null);
  if (response === null) {
    status.textContent = "There is no connection. Try again in a moment.";
    return;
  }
  if (response.redirected || response.status > 400) {
    location.assign(init ? location.href : url);
    return;
  }
  const html = await response.text();
  if (response.headers.has("x-moved")) {
    dialog.close();
    const isUsed = undo.contains(document.activeElement);
    undo.innerHTML = html;
    status.textContent = "";
    if (isUsed) {
      undo.querySelector("button")?.focus();
    }
    endUndo();
    await refresh();
    return;
  }
  dialog.innerHTML = html;
  if (!dialog.open) {
    dialog.showModal();
  }
  const first = dialog.querySelector("input:not([type=hidden]):enabled") ?? dialog.querySelector("button");
  if (first instanceof HTMLElement) {
    first.focus();
  }
}

const COMPOSER = ["/upload.js", "/composer.js"];

/**
 * Opens the composer in a dialog. Its scripts and style sheets are loaded when it is first opened. @param {string} url
 */
async function openComposer(url) {
  const scripts = await Promise.all(COMPOSER.map((path) => import(path)));
  for (const name of document.querySelector("[data-composer-style]") ? [] : ["composer", "likeness"]) {
    const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `/${name}.css` });
    sheet.dataset["composerStyle"] = "";
    const settled = new Promise((resolve) => {
      sheet.addEventListener("load", resolve);
      sheet.addEventListener("error", resolve);
    });
    document.head.append(sheet);
    await settled;
  }
  await openDialog(url);
  for (const { start } of scripts) {
    start(new URL(url));
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form instanceof HTMLFormElement && form.action.endsWith("/move")) {
    event.preventDefault();
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    void openDialog(form.action, { method: "POST", body });
  }
});

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) {
    return;
  }
  if (link.dataset["close"] !== undefined && dialog.open) {
    event.preventDefault();
    dialog.close();
  } else if (link.matches(".move")) {
    event.preventDefault();
    void openDialog(link.href);
  } else if (link.matches(".add")) {
    event.preventDefault();
    openComposer(link.href).catch(() => location.assign(link.href));
  }
});

/** @type {HTMLElement | null} */
let dragged = null;

/** @param {Event} event @returns {HTMLElement | null} */
function cellOf(event) {
  return dragged && event.target instanceof Element ? event.target.closest("#calendar [data-date]") : null;
}

/** @param {HTMLElement | null} cell */
function markCell(cell) {
  for (const marked of document.querySelectorAll(".drop-here")) {
    marked.classList.toggle("drop-here", marked === cell);
  }
  cell?.classList.add("drop-here");
}

document.addEventListener("dragstart", (event) => {
  const item = event.target instanceof Element ? event.target.closest(".chip-item") : null;
  if (!(item instanceof HTMLElement) || !event.dataTransfer) {
    return;
  }
  if (item.dataset["move"] === undefined) {
    event.preventDefault();
    return;
  }
  dragged = item;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setDragImage(item, 12, 12);
  region()?.classList.add("dragging");
});

document.addEventListener("dragover", (event) => {
  const cell = cellOf(event);
  if (cell) {
    event.preventDefault();
  }
  if (dragged) {
    markCell(cell);
  }
});

document.addEventListener("drop", (event) => {
  const cell = cellOf(event);
  if (!cell || !dragged) {
    return;
  }
  event.preventDefault();
  const { date = "", hour } = cell.dataset;
  const { move = "", time = "" } = dragged.dataset;
  // In a month, a dropped post keeps its time of day. In a week, the lower half of an hour means half past.
  const box = cell.getBoundingClientRect();
  const half = event.clientY > box.top + box.height / 2 ? "30" : "00";
  const newTime = hour === undefined ? time : `${hour.padStart(2, "0")}:${half}`;
  const link = dragged.querySelector("a.move");
  const next = link instanceof HTMLAnchorElement ? (new URL(link.href).searchParams.get("next") ?? "") : "";
  const body = new URLSearchParams({ date, time: newTime, next, at_once: "1" });
  void openDialog(`/dashboard/posts/${move}/move`, { method: "POST", body });
});

document.addEventListener("dragend", () => {
  dragged = null;
  markCell(null);
  region()?.classList.remove("dragging");
});

/** The links of a day that the keyboard can reach. @param {Element} day @returns {HTMLElement[]} */
const linksOf = (day) =>
  [...day.querySelectorAll("a:not([aria-hidden]), input")].filter(
    /** @returns {link is HTMLElement} */ (link) => link instanceof HTMLElement && link.checkVisibility(),
  );

/** Gives each day one tab stop. The arrow keys reach the day's other links and the other days. */
function setStops() {
  for (const day of document.querySelectorAll("#calendar .day")) {
    const links = linksOf(day);
    const stop = links.find((link) => link === document.activeElement) ?? links[0];
    for (const link of links) {
      link.tabIndex = link === stop ? 0 : -1;
    }
  }
}

/** @param {Element} link @param {string} key */
function moveFocus(link, key) {
  const days = [...document.querySelectorAll("#calendar .day")];
  const day = link.closest(".day");
  const step = key === "ArrowDown" || key === "ArrowRight" ? 1 : -1;
  const isInside = key === "ArrowDown" || key === "ArrowUp";
  const candidates = isInside ? linksOf(day ?? link) : days.map((each) => linksOf(each)[0]);
  const index = isInside ? candidates.indexOf(/** @type {any} */ (link)) : days.indexOf(/** @type {any} */ (day));
  // Skip days without a link, because a list leaves them out.
  const rest = step > 0 ? candidates.slice(index + 1) : candidates.slice(0, index).toReversed();
  rest.find((next) => next !== undefined)?.focus();
}

document.addEventListener("focusin", (event) => {
  if (event.target instanceof Element && event.target.closest("#calendar .day")) {
    setStops();
  }
});

const KEYS_OFF = "keys-off";
const keysSwitch = document.querySelector("[data-keys] input");

/** What a key does while the person is not typing: it presses the button or link with this selector. */
const KEYS = /** @type {Record<string, string>} */ ({
  n: 'a[href="/dashboard/posts/new"]',
  t: '[aria-label="Period"] a:nth-child(2)',
  j: '[aria-label="Period"] a:nth-child(3)',
  k: '[aria-label="Period"] a:nth-child(1)',
  u: "#undo button",
  "/": "#search",
  f: ".filters summary",
  "?": "[data-keys] summary",
});

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open || !(target instanceof Element)) {
    return;
  }
  if (key.startsWith("Arrow") && target.closest("#calendar .day")) {
    event.preventDefault();
    moveFocus(target, key);
    return;
  }
  const pressed = KEYS[key] && document.querySelector(KEYS[key]);
  if (pressed instanceof HTMLElement && !target.matches("input, select, textarea") && !localStorage.getItem(KEYS_OFF)) {
    event.preventDefault();
    pressed.focus();
    pressed.click();
    pressed.parentElement?.querySelector("select")?.focus();
  } else if (
    key === "u" &&
    undoTimer &&
    !target.matches("input, select, textarea") &&
    !localStorage.getItem(KEYS_OFF)
  ) {
    status.textContent = "The time to undo this move is over. Use its Move link to move it back.";
  }
});

if (keysSwitch instanceof HTMLInputElement) {
  keysSwitch.checked = !localStorage.getItem(KEYS_OFF);
  keysSwitch.addEventListener("change", () => {
    if (keysSwitch.checked) {
      localStorage.removeItem(KEYS_OFF);
    } else {
      localStorage.setItem(KEYS_OFF, "1");
    }
  });
}
setStops();

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let sequence = 0;

function states() {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const chip of document.querySelectorAll("#calendar .chip")) {
    const words = chip.querySelector(".state")?.textContent ?? "";
    found.set(chip.getAttribute("href") ?? "", `${chip.querySelector("time")?.textContent ?? ""} ${words}`);
  }
  return found;
}

/** Fetches the posts again. Only the answer to the newest request counts, and none while the person moves a post. */
async function refresh() {
  const current = ++sequence;
  const response = await fetch(location.href, { headers: FRAGMENT }).catch(() => null);
  const html = response?.ok && !response.redirected ? await response.text() : null;
  const old = region();
  if (current !== sequence || old === null) {
    return;
  }
  if (html !== null && dragged === null && !dialog.open) {
    const before = states();
    const focused = old.contains(document.activeElement) ? document.activeElement?.getAttribute("href") : null;
    old.outerHTML = html;
    setStops();
    if (focused) {
      const again = document.querySelector(`#calendar a[href="${CSS.escape(focused)}"]`);
      if (again instanceof HTMLElement) {
        again.focus();
      }
    }
    const changed = [...states()].filter(([href, words]) => before.has(href) && before.get(href) !== words);
    if (changed.length > 0) {
      status.textContent = changed.map(([, words]) => words).join(", ");
    }
  }
  plan();
}

/** Plans the next fetch when the page says so. A hidden page waits until it is visible again. */
function plan() {
  clearTimeout(timer);
  const seconds = Number(region()?.dataset["refresh"] ?? 0);
  if (seconds > 0 && !document.hidden) {
    timer = setTimeout(() => void refresh(), Math.min(seconds, 86_400) * 1000);
  }
}

document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (!document.hidden && region()?.dataset["refresh"]) {
    void refresh();
  }
});
plan();
