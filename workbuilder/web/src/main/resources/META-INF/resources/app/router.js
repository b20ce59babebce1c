// Real paths, one page at a time. What a page filters by is in the query, so that a link shows the same.

let routes = [];
let missing = null;
let current = null;
let show = null;

function match(pathname) {
  for (const [pattern, page] of routes) {
    const found = pattern.exec(pathname);
    if (found !== null) {
      try {
        return { page, parameters: found.slice(1).map(decodeURIComponent) };
      } catch {
        break; // not the encoding of any text
      }
    }
  }
  return { page: missing, parameters: [pathname] };
}

/** What is asked for in the address bar, as a plain object. */
export function query() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

function address(parameters) {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) {
      written.set(name, String(value));
    }
  }
  const search = written.toString();
  return location.pathname + (search === "" ? "" : `?${search}`);
}

/**
 * Changes parts of the query. The page stays and is told.
 *
 * @param remember whether the back button leads to what was before
 */
export function setQuery(changes, remember = false) {
  const wanted = address({ ...query(), ...changes });
  if (wanted !== location.pathname + location.search) {
    history[remember ? "pushState" : "replaceState"](null, "", wanted);
    current?.page.query?.(query());
  }
}

/** The path of this page with parts of the query changed, for links. */
export function withQuery(changes) {
  return address({ ...query(), ...changes });
}

function render(moveFocus) {
  if (current !== null && current.pathname === location.pathname) {
    current.page.query?.(query());
    return;
  }
  const { page: make, parameters } = match(location.pathname);
  current?.page.close?.();
  const page = make(...parameters);
  current = { page, pathname: location.pathname };
  show(page);
  page.query?.(query());
  if (moveFocus) {
    window.scrollTo(0, 0);
    const heading = page.node.querySelector("h1");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
  }
}

/** Goes to a path of these pages. */
export function go(to) {
  history.pushState(null, "", to);
  render(true);
}

/** Draws the page anew, as after a login. */
export function reload() {
  if (current !== null) {
    current.pathname = null;
  }
  render(true);
}

function ours(event) {
  const link = event.target.closest?.("a[href]");
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!plain || event.defaultPrevented || link === null || link === undefined) {
    return null;
  }
  const href = link.getAttribute("href");
  if (href === null || link.getAttribute("target") !== null || href.startsWith("#")) {
    return null;
  }
  const url = new URL(href, location.href);
  const elsewhere = url.origin !== location.origin || /^\/(api|q|metrics|webjars|app)(\/|$)/.test(url.pathname);
  return elsewhere ? null : url.pathname + url.search;
}

/**
 * Begins.
 *
 * @param table pairs of a pattern of paths and what makes a page of its groups
 * @param otherwise makes the page of an unknown path
 * @param draw puts a page on the screen
 */
export function start(table, otherwise, draw) {
  routes = table;
  missing = otherwise;
  show = draw;
  document.addEventListener("click", (event) => {
    const to = ours(event);
    if (to !== null) {
      event.preventDefault();
      if (to !== location.pathname + location.search) {
        go(to);
      }
    }
  });
  window.addEventListener("popstate", () => render(true));
  render(false);
}
