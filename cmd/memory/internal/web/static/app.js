// What pages do beyond links and forms: the keyboard, ticks, and word of changes.
// Nothing here makes markup of text.

const $ = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];

/** Keys of every page, and those of a page with something to move through. */
const goTo = { o: "/", p: "/plan", r: "/review", l: "/memories", h: "/runs", f: "/forecast" };

/** The items that j and k move through, and which of them is current. */
let current = -1;
function move(step) {
  const items = all("[data-item]");
  if (items.length === 0) return;
  items[current]?.removeAttribute("aria-current");
  current = Math.max(0, Math.min(items.length - 1, current + step));
  items[current].setAttribute("aria-current", "true");
  items[current].scrollIntoView({ block: "nearest" });
  items[current].querySelector("a, button, input")?.focus({ preventScroll: true });
}

/** Follows or presses what a page has marked with a key. */
function press(key) {
  const target = $(`[data-key="${CSS.escape(key)}"]`);
  if (!target || target.disabled) return false;
  target.click();
  return true;
}

let going = false; // after g comes the letter of a page
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input:not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && typing) return event.target.blur();
  if (typing) return;
  if (going) {
    going = false;
    if (goTo[event.key]) location.assign(goTo[event.key]);
    return;
  }
  const handled = () => {
    switch (event.key) {
      case "g": going = true; return true;
      case "/": {
        const search = $("input[type=search]");
        if (search) search.focus(); else location.assign("/memories?focus=search");
        return true;
      }
      case "?": $("#keys")?.showModal(); return true;
      case "j": if (!press("j")) move(1); return true;
      case "k": if (!press("k")) move(-1); return true;
      case "x": {
        const box = all("[data-item]")[current]?.querySelector("input[type=checkbox]");
        if (box) { box.checked = !box.checked; box.dispatchEvent(new Event("change", { bubbles: true })); }
        return Boolean(box);
      }
      case "Enter": return false;
      default: return press(event.key);
    }
  };
  if (handled()) event.preventDefault();
});

if (new URLSearchParams(location.search).get("focus") === "search") $("input[type=search]")?.focus();
for (const button of all("[data-close]")) button.addEventListener("click", () => button.closest("dialog")?.close());

// How many actions of a plan are ticked.
const ticks = all("input[name=n]");
const count = $("#ticked");
function counted() {
  const n = ticks.filter((box) => box.checked).length;
  if (count) count.textContent = `${n} of ${ticks.length}`;
  const apply = $("#apply-ticked");
  if (apply) apply.disabled = n === 0;
}
for (const box of ticks) box.addEventListener("change", counted);
$("#tick-all")?.addEventListener("click", () => { for (const box of ticks) box.checked = true; counted(); });
$("#tick-none")?.addEventListener("click", () => { for (const box of ticks) box.checked = false; counted(); });
if (ticks.length) counted();

// A second press of a button sends nothing twice.
for (const form of all("form[method=post]")) {
  form.addEventListener("submit", () => setTimeout(() => { for (const b of form.querySelectorAll("button")) b.disabled = true; }));
}

// Word of changes. A page that only shows loads itself again; one on which a person decides says so.
const banner = $("#changed");
const kinds = (document.body.dataset.kinds || "").split(" ").filter(Boolean);
if (banner && kinds.length && window.EventSource) {
  let wait = 1000;
  let known = -1;
  const listen = () => {
    const feed = new EventSource("/api/v1/feed");
    feed.addEventListener("changed", (event) => {
      const news = JSON.parse(event.data);
      wait = 1000;
      if (known < 0) { known = news.revision; return; }
      known = news.revision;
      if (!news.kinds.some((kind) => kinds.includes(kind))) return;
      if (document.body.dataset.live === "yes" && !document.querySelector(":focus-visible, dialog[open], details[open]") && scrollY < 200) {
        location.reload();
        return;
      }
      banner.hidden = false;
    });
    feed.addEventListener("error", () => {
      feed.close();
      const state = $("#connection");
      if (state) state.textContent = "not connected: what is shown may be old";
      setTimeout(listen, wait);
      wait = Math.min(30000, wait * 2);
    });
    feed.addEventListener("open", () => {
      const state = $("#connection");
      if (state) state.textContent = "connected";
    });
  };
  listen();
}
