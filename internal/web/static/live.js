// Word of changes. A page that only shows renews what has changed, and keeps scroll position, focus, typed text and what is unfolded. A page
// on which a person decides says that something has changed, and stays as it is: what is decided is what was shown.
import { $ } from "./dom.js";

/** How long a lost connection is left before it is tried again, in milliseconds. */
const firstWait = 1000;
const longestWait = 30_000;

const { dataset } = document.body;
const kinds = (dataset.kinds ?? "").split(" ").filter(Boolean);
let known = Number(dataset.revision); // what the page shows

/** Follows the feed while the page can be seen: a browser has few connections to one server. */
export function follow() {
  if (!kinds.length || !window.EventSource) return;
  let wait = firstWait;
  let lost = false;
  let timer = 0;
  /** @type {EventSource | undefined} */
  let feed;
  const open = () => {
    clearTimeout(timer);
    feed?.close();
    feed = new EventSource("/api/v1/feed");
    feed.addEventListener("changed", (event) => {
      /** @type {{revision: number, kinds: string[]}} */
      const news = JSON.parse(event.data);
      const missed = lost || news.kinds.length === 0 && news.revision !== known;
      wait = firstWait;
      lost = false;
      known = news.revision;
      say("connected");
      if (missed || news.kinds.some((kind) => kinds.includes(kind))) changed();
    });
    feed.addEventListener("error", () => {
      feed?.close();
      lost = true;
      say("not connected");
      timer = window.setTimeout(open, wait);
      wait = Math.min(longestWait, wait * 2);
    });
  };
  const look = () => {
    if (document.hidden) { clearTimeout(timer); feed?.close(); } else open();
  };
  document.addEventListener("visibilitychange", look);
  look();
}

/** Says whether the connection stands. @param {"connected" | "not connected"} state */
function say(state) {
  const at = $("#connection");
  if (at) at.textContent = state;
  $("#lost")?.toggleAttribute("hidden", state === "connected");
}

let fetching = false;
let again = false;

/** Shows what has changed: at once, or where a person decides, when asked to. */
function changed() {
  if (dataset.live !== "yes") return offer();
  if (fetching) { again = true; return; }
  fetching = true;
  const begun = performance.now();
  read(location.href, (page) => {
    const now = page?.querySelector("main");
    if (now) renewPage(now, page?.body.dataset.revision); else offer();
    // A page that takes long to make is not asked for all the time.
    setTimeout(() => { fetching = false; if (again) { again = false; changed(); } }, Math.max(500, 5 * (performance.now() - begun)));
  });
}

function offer() { $("#changed")?.removeAttribute("hidden"); }

/**
 * Reads a page as a document, in which no script runs. (Trusted Types forbid to make one of a text.)
 * @param {string} address @param {(page: Document | null) => void} then
 */
function read(address, then) {
  const request = new XMLHttpRequest();
  request.open("GET", address);
  request.responseType = "document";
  request.addEventListener("loadend", () => then(request.status === 200 ? request.responseXML : null));
  request.send();
}

/** @param {Element} now @param {string} [revision] */
function renewPage(now, revision) {
  const main = $("main");
  if (!main) return;
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  renew(main, now);
  if (focused?.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
  known = Math.max(known, Number(revision));
}

/** Names an element among its siblings, whatever its place. @param {Node} node */
const nameOf = (node) => (node instanceof HTMLElement && (node.id || node.dataset.id)) || "";

/** Makes a node like another one. What is the same stays in its place. @param {Node} old @param {Node} now */
function renew(old, now) {
  if (old.isEqualNode(now)) return;
  if (old.nodeName !== now.nodeName) {
    old.parentNode?.replaceChild(document.importNode(now, true), old);
  } else if (!(old instanceof Element) || !(now instanceof Element)) {
    old.nodeValue = now.nodeValue;
  } else if (!old.matches("[data-keep], textarea, select")) {
    renewAttributes(old, now);
    renewChildren(old, now);
  }
}

/** Attributes that a person has set by the mouse or by keys stay. @param {Element} old @param {Element} now */
function renewAttributes(old, now) {
  const theirs = old.matches("details") ? "open" : old.matches("[data-item]") ? "aria-current" : "";
  for (const { name } of [...old.attributes]) if (name !== theirs && !now.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of now.attributes) if (name !== theirs && old.getAttribute(name) !== value) old.setAttribute(name, value);
}

/** @param {Element} old @param {Element} now */
function renewChildren(old, now) {
  const wanted = new Set([...now.children].map(nameOf));
  for (const child of [...old.children]) if (nameOf(child) && !wanted.has(nameOf(child))) child.remove();
  const named = new Map([...old.children].filter(nameOf).map((child) => [nameOf(child), child]));
  let at = old.firstChild;
  for (const want of [...now.childNodes]) {
    const same = nameOf(want) ? named.get(nameOf(want)) : at && !nameOf(at) ? at : null;
    if (!same) {
      old.insertBefore(document.importNode(want, true), at);
    } else {
      if (same === at) at = at.nextSibling; else old.insertBefore(same, at);
      renew(same, want);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

// What the browser has kept of a page may be old.
addEventListener("pageshow", (event) => { if (event.persisted) changed(); });
