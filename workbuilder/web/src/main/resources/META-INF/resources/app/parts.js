// Small parts that several pages use.

import { attribute, el, freshId, text } from "./dom.js";
import { figure, known, setFigure } from "./format.js";
import { setQuery } from "./router.js";

const LEVELS = {
  ok: { mark: "✓", name: "fine" },
  watch: { mark: "!", name: "watch" },
  bad: { mark: "×", name: "bad" },
};

/** A mark for a level: shape, colour and a word for screen readers. */
export function level(value) {
  const { mark, name } = LEVELS[value] ?? { mark: "?", name: "not known" };
  return el(
    "span.level",
    { class: LEVELS[value] ? value : "unknown", title: name },
    el("span", { "aria-hidden": "true" }, mark),
    el("span.hidden-text", {}, name),
  );
}

const STATES = {
  RUNNING: "live",
  SUBMITTED: "waiting",
  WAITING: "waiting",
  SUCCEEDED: "good",
  DONE: "good",
  FAILED: "poor",
  KILLED: "poor",
};

/** A state as people read it: running, not RUNNING. */
export function state(value) {
  const name = String(value ?? "UNKNOWN");
  return el("span.badge", { class: STATES[name] ?? "plain-state" }, name.toLowerCase().replaceAll("_", " "));
}

/** A link to a page that is not ours; nothing for what is no web address. */
export function outside(address, label) {
  if (typeof address !== "string" || !/^https?:\/\//i.test(address)) {
    return null;
  }
  return el(
    "a.outside",
    { href: address, target: "_blank", rel: "noopener noreferrer" },
    label,
    el("span", { "aria-hidden": "true" }, " ↗"),
    el("span.hidden-text", {}, " (opens in a new tab)"),
  );
}

/** Key figures in a row. `entries`: id, label, kind. Update takes values and small print by id. */
export function tiles(entries) {
  const shown = new Map();
  const node = el("dl.tiles");
  for (const { id, label, kind } of entries) {
    const value = figure(kind, null, id);
    const small = el("span.small");
    shown.set(id, { kind, value, small });
    node.append(el("div.tile", {}, el("dt", {}, label), el("dd", {}, value, small)));
  }
  return {
    node,
    update(values, smallPrint = {}) {
      for (const [id, { kind, value, small }] of shown) {
        setFigure(value, kind, values[id]);
        text(small, smallPrint[id]);
      }
    },
  };
}

/** A bar that is filled by a part; the words beside it say the same. */
export function bar(part, all, style = "") {
  const fillNode = el("span.fill");
  fillNode.style.width = `${known(part) && all > 0 ? Math.min(100, (100 * part) / all) : 0}%`;
  return el("span.bar", { class: style, "aria-hidden": "true" }, fillNode);
}

/** A field for words that filter, with its label; keeps the query's parameter `name`. */
export function searchField(label, name) {
  const id = freshId("search");
  let timer = null;
  const input = el("input", {
    id,
    type: "search",
    autocomplete: "off",
    spellcheck: "false",
    "data-shortcut": "search",
    on: {
      input: () => {
        clearTimeout(timer);
        timer = setTimeout(() => setQuery({ [name]: input.value.trim(), page: "" }), 250);
      },
    },
  });
  return {
    node: el("div.field.grows", {}, el("label", { for: id }, label), input),
    set(value) {
      if (document.activeElement !== input && input.value !== (value ?? "")) {
        input.value = value ?? "";
      }
    },
  };
}

/** A choice that filters; keeps the query's parameter `name`. `written` says what a value reads like. */
export function choice(label, name, all, written = String) {
  const id = freshId("choice");
  const select = el("select", {
    id,
    on: { change: () => setQuery({ [name]: select.value, page: "" }, true) },
  });
  let shown = null;
  let wanted = "";

  function options(values) {
    const offered = values.includes(wanted) || wanted === "" ? values : [...values, wanted];
    const sign = JSON.stringify(offered);
    if (sign !== shown) {
      shown = sign;
      select.replaceChildren(
        el("option", { value: "" }, all),
        ...offered.map((value) => el("option", { value }, written(value))),
      );
    }
    select.value = wanted;
  }

  return {
    node: el("div.field", {}, el("label", { for: id }, label), select),
    options,
    set(value, values) {
      wanted = value ?? "";
      options(values);
    },
  };
}

/** What is hidden until it is wanted; `draw` is called when it opens and by `update` while it is open. */
export function folded(summary, draw) {
  const body = el("div.folded-body");
  const node = el("details.folded", {}, el("summary", {}, summary), body);
  node.addEventListener("toggle", () => {
    if (node.open) {
      draw(body);
    }
  });
  return {
    node,
    update() {
      if (node.open) {
        draw(body);
      }
    },
  };
}

/** Links to the parts of one thing, the present one marked. */
export function tabs(label, entries, here) {
  return el(
    "nav.tabs",
    { "aria-label": label },
    el(
      "ul",
      {},
      entries.map(([id, title, href]) =>
        el("li", {}, el("a", { href, "aria-current": id === here ? "page" : null }, title)),
      ),
    ),
  );
}

/** Links to the pages of a long list. Update takes page, size and total. */
export function pager(hrefOf) {
  const place = el("span");
  const before = el("a", {}, "‹ Newer");
  const after = el("a", {}, "Older ›");
  const node = el("nav.pager", { "aria-label": "Pages of the list", hidden: true }, before, place, after);
  return {
    node,
    update(page, size, total) {
      const last = Math.max(0, Math.ceil(total / size) - 1);
      node.hidden = last === 0;
      text(place, `${page * size + 1}–${Math.min(total, (page + 1) * size)} of ${total}`);
      attribute(before, "href", page > 0 ? hrefOf(page - 1) : null);
      attribute(after, "href", page < last ? hrefOf(page + 1) : null);
    },
  };
}
