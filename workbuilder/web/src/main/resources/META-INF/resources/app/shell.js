// What is around each page: navigation, connection, theme, keys.

import { announce, attribute, el, text } from "./dom.js";
import { logout } from "./live.js";
import { go } from "./router.js";

const PAGES = [
  ["/jobs", "Jobs"],
  ["/cluster", "Cluster"],
  ["/store", "Store"],
];
const THEMES = ["auto", "light", "dark"];
const CONNECTIONS = {
  live: "live",
  lost: "no connection, trying again",
  still: "",
};
const GO = { j: "/jobs", c: "/cluster", s: "/store" };
const KEYS = [
  ["/", "to the search field of the page"],
  ["g j", "to the jobs"],
  ["g c", "to the cluster"],
  ["g s", "to the store"],
  ["t", "change between light and dark"],
  ["?", "this list"],
  ["↑ ↓ Home End", "from row to row in a table"],
  ["Tab, Enter", "everything else"],
];

function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function store(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // A browser without storage: it holds until the page is left.
  }
}

function theme() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "auto";
}

function setTheme(wanted) {
  if (wanted === "auto") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = wanted;
  }
  store("sailfish.theme", wanted);
  document.dispatchEvent(new Event("sailfish:theme"));
}

function themeButton() {
  const name = el("span");
  const button = el(
    "button.plain.theme",
    { type: "button", on: { click: () => next() } },
    el("span.theme-mark", { "aria-hidden": "true" }, "◐"),
    el("span.hidden-text", {}, "Theme: "),
    name,
  );
  function show() {
    text(name, theme());
  }
  function next() {
    setTheme(THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
    show();
    announce(`Theme: ${theme()}`);
  }
  show();
  return { button, next };
}

function keysDialog() {
  const wanted = el("input", { type: "checkbox", id: "single-keys" });
  wanted.checked = stored("sailfish.keys") !== "off";
  wanted.addEventListener("change", () => store("sailfish.keys", wanted.checked ? "on" : "off"));
  const close = el("button.plain", { type: "button" }, "Close");
  const dialog = el(
    "dialog.keys",
    { "aria-labelledby": "keys-title" },
    el("h2", { id: "keys-title" }, "Keys"),
    el(
      "dl",
      {},
      KEYS.map(([keys, meaning]) =>
        el("div", {}, el("dt", {}, keys.split(" ").map((key) => el("kbd", {}, key))), el("dd", {}, meaning)),
      ),
    ),
    el("p", {}, wanted, el("label", { for: "single-keys" }, " Single keys do this")),
    close,
  );
  close.addEventListener("click", () => dialog.close());
  return { dialog, enabled: () => wanted.checked };
}

function typing(target) {
  return target.closest?.("input, select, textarea, [contenteditable]") !== null;
}

function listen(dialog, nextTheme) {
  let before = null;
  document.addEventListener("keydown", (event) => {
    const plain = !event.altKey && !event.ctrlKey && !event.metaKey;
    if (!plain || event.defaultPrevented || typing(event.target) || dialog.dialog.open || !dialog.enabled()) {
      before = null;
      return;
    }
    const place = before === "g" ? GO[event.key] : undefined;
    before = event.key;
    if (place !== undefined) {
      event.preventDefault();
      go(place);
    } else if (event.key === "/") {
      event.preventDefault();
      document.querySelector("main [data-shortcut=search]")?.focus();
    } else if (event.key === "?") {
      event.preventDefault();
      dialog.dialog.showModal();
    } else if (event.key === "t") {
      nextTheme();
    }
  });
}

/** Fills the page's head. Returns what marks the present page and what shows the connection. */
export function shell(top, onLogout) {
  const links = PAGES.map(([href, title]) => el("a", { href }, title));
  const connection = el("span.connection", { "data-connection": "still" });
  const leave = el("button.plain", { type: "button", hidden: true }, "Log out");
  leave.addEventListener("click", () => logout().then(onLogout, onLogout));
  const { button, next } = themeButton();
  const dialog = keysDialog();
  const help = el("button.plain", { type: "button", "aria-haspopup": "dialog" },
    el("span", { "aria-hidden": "true" }, "?"), el("span.hidden-text", {}, "Keys"));
  help.addEventListener("click", () => dialog.dialog.showModal());
  top.replaceChildren(
    el("a.brand", { href: "/jobs" }, el("img", { src: "/favicon.svg", alt: "", width: 22, height: 22 }), "Sailfish"),
    el("nav", { "aria-label": "Pages" }, el("ul", {}, links.map((link) => el("li", {}, link)))),
    connection,
    leave,
    button,
    help,
    dialog.dialog,
  );
  listen(dialog, next);
  return {
    /** Marks the page that a path belongs to. */
    here(pathname) {
      for (const link of links) {
        const base = link.getAttribute("href");
        const inside = pathname === base || pathname.startsWith(`${base}/`) || (pathname === "/" && base === "/jobs");
        attribute(link, "aria-current", inside ? (pathname === base ? "page" : "true") : null);
      }
    },
    connection(state) {
      text(connection, CONNECTIONS[state]);
      connection.dataset.connection = state;
    },
    /** Offers to log out, once somebody has logged in. */
    loggedIn() {
      leave.hidden = false;
    },
  };
}
