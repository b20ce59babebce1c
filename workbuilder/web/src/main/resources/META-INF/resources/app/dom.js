// Builds and changes DOM nodes. Data only ever becomes text or an attribute, never markup.

const SVG = "http://www.w3.org/2000/svg";

function append(node, children) {
  for (const child of children) {
    if (Array.isArray(child)) {
      append(node, child);
    } else if (child !== null && child !== undefined && child !== false) {
      node.append(child);
    }
  }
}

function build(node, classes, attributes, children) {
  const style = [...classes, attributes?.class].filter(Boolean).join(" ");
  if (style !== "") {
    node.setAttribute("class", style);
  }
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) {
        node.addEventListener(event, listener);
      }
    } else if (name !== "class") {
      attribute(node, name, value);
    }
  }
  append(node, children);
  return node;
}

/** Makes an element: `el("div.panel.wide", {id: "x", on: {click}}, child, "text", [more])`. */
export function el(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  return build(document.createElement(tag), classes, attributes, children);
}

/** Makes an SVG element, as `el` does. */
export function svg(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  return build(document.createElementNS(SVG, tag), classes, attributes, children);
}

/** Sets an attribute, or removes it where the value is null, undefined or false. */
export function attribute(node, name, value) {
  if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
  } else {
    const text = value === true ? "" : String(value);
    if (node.getAttribute(name) !== text) {
      node.setAttribute(name, text);
    }
  }
}

/** Sets text, and touches nothing where it is the same: selections and screen readers stay calm. */
export function text(node, value) {
  const wanted = value ?? "";
  if (node.textContent !== wanted) {
    node.textContent = wanted;
  }
}

/** Replaces all children. */
export function fill(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

/**
 * Replaces children only when what they are made of has changed.
 *
 * @param sign anything that JSON can hold and that says all that is shown
 */
export function refill(node, sign, make) {
  const written = JSON.stringify(sign) ?? "";
  if (node.sailfishSign !== written) {
    node.sailfishSign = written;
    fill(node, make());
  }
}

/**
 * Makes the children of a node those of a list, keeping the nodes of items that stay.
 *
 * @param keyOf what an item is called; unique
 * @param create makes a node of an item
 * @param update changes the node of an item that may have changed
 */
export function reconcile(parent, items, keyOf, create, update) {
  const old = parent.sailfishNodes ?? new Map();
  const nodes = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const node = old.get(key) ?? create(item);
    update?.(node, item);
    nodes.set(key, node);
  }
  for (const [key, node] of old) {
    if (!nodes.has(key)) {
      node.remove();
    }
  }
  let at = parent.firstChild;
  for (const node of nodes.values()) {
    if (node === at) {
      at = at.nextSibling;
    } else {
      parent.insertBefore(node, at);
    }
  }
  parent.sailfishNodes = nodes;
}

const ticking = new Map();

function tick() {
  for (const [node, entry] of ticking) {
    if (node.isConnected) {
      entry.seen = true;
      entry.update();
    } else if (entry.seen || ++entry.missed > 60) {
      ticking.delete(node);
    }
  }
}

/** Calls a function now, and each second while the node is on the page. */
export function everySecond(node, update) {
  if (ticking.size === 0 && !everySecond.started) {
    everySecond.started = true;
    setInterval(tick, 1000);
  }
  ticking.set(node, { update, seen: false, missed: 0 });
  update();
}

let names = 0;

/** An id that no other element of the page has. */
export function freshId(prefix) {
  names += 1;
  return `${prefix}-${names}`;
}

/** Says something to screen readers. */
export function announce(sentence) {
  const announcer = document.getElementById("announcer");
  if (announcer) {
    announcer.textContent = sentence;
  }
}
