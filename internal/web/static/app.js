// What pages do beyond links and forms: the keyboard, and the ticks of a plan. Nothing here makes markup of text, and
// everything listens at the document, so that parts of a page can be renewed (live.js).
import { $, all } from "./dom.js";
import { follow } from "./live.js";

/** Where g and a letter lead. @type {Record<string, string>} */
const goTo = { o: "/", p: "/plan", r: "/review", l: "/memories", h: "/runs", f: "/forecast", n: "/links", t: "/trends", c: "/receipts", s: "/schedules" };

/** Makes the next or previous item the current one, and puts the focus into it. @param {number} step */
function move(step) {
  const items = all("[data-item]");
  if (items.length === 0) return;
  const was = items.findIndex((item) => item.ariaCurrent === "true");
  const is = Math.max(0, Math.min(items.length - 1, was + step));
  items[was]?.removeAttribute("aria-current");
  items[is].ariaCurrent = "true";
  items[is].scrollIntoView({ block: "nearest" });
  all("a, button, input", items[is])[0]?.focus({ preventScroll: true });
}

/** Ticks the current item, or takes its tick away. */
function tick() {
  const [box] = all("[data-item][aria-current] input[type=checkbox]");
  box?.click();
  return Boolean(box);
}

/** Follows or presses what the page has marked with a key. @param {string} key */
function press(key) {
  const target = all(`[data-key="${CSS.escape(key)}"]`).find((one) => !one.matches(":disabled"));
  target?.click();
  return Boolean(target);
}

function search() {
  const field = $("input[type=search]");
  if (field) field.focus(); else location.assign("/memories?focus=search");
}

function showKeys() {
  const dialog = $("#keys");
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
}

let going = false; // after g comes the letter of a page

/** Does what a key asks for, and reports whether it asks for something. @param {string} key */
function handled(key) {
  if (going) {
    going = false;
    if (goTo[key]) location.assign(goTo[key]);
    return true;
  }
  switch (key) {
    case "g": going = true; return true;
    case "/": search(); return true;
    case "?": showKeys(); return true;
    case "j": if (!press("j")) move(1); return true;
    case "k": if (!press("k")) move(-1); return true;
    case "x": return tick();
  }
  return key.length === 1 && press(key);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && event.key !== "j" && event.key !== "k") return;
  const at = /** @type {HTMLElement} */ (event.target);
  if (at.matches("input:not([type=checkbox]), textarea, select")) {
    if (event.key === "Escape") at.blur();
  } else if (!$("dialog[open]") && handled(event.key)) {
    event.preventDefault();
  }
});

if (new URLSearchParams(location.search).get("focus") === "search") search();

/** Says how many actions of a plan are ticked. */
function count() {
  const boxes = all("input[name=n]");
  const ticked = all("input[name=n]:checked").length;
  const told = $("#ticked");
  if (!told) return;
  told.textContent = `${ticked} of ${boxes.length}`;
  $("#apply-ticked")?.toggleAttribute("disabled", ticked === 0);
}

document.addEventListener("change", count);
document.addEventListener("click", (event) => {
  const at = /** @type {HTMLElement} */ (event.target);
  const set = at.dataset.tick;
  if (set) {
    for (const box of all("input[name=n]")) /** @type {HTMLInputElement} */ (box).checked = set === "all";
    count();
  }
  if (at.matches("[data-close]")) at.closest("dialog")?.close();
});
count();

// A second press of a button sends nothing twice. The button itself is sent, so it is switched off after that; a page
// that the browser kept comes back with its buttons on.
document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.method === "post") setTimeout(() => {
    for (const b of all("button:enabled", form)) {
      b.dataset.sent = "yes";
      b.setAttribute("disabled", "");
    }
  });
});
addEventListener("pageshow", () => { for (const b of all("button[data-sent]")) b.removeAttribute("disabled"); });

follow();

// Where a drawing is wider than the window, the middle of a graph is shown, and the newest end of a chart.
for (const frame of all(".scroll:has(> svg)")) {
  const hidden = frame.scrollWidth - frame.clientWidth;
  frame.scrollLeft = $(".scroll > svg.graph") ? hidden / 2 : hidden;
}
