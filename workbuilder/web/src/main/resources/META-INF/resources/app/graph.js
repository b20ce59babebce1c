// The lineage graph around a file: layers from left to right, files made of what stands left of them.

import { el, svg } from "./dom.js";

const WIDTH = 190;
const HEIGHT = 44;
const ACROSS = 56;
const DOWN = 16;
const MARGIN = 12;
const MOST = 400;

function shorten(name, most) {
  const half = Math.floor(most / 2);
  return name.length <= most ? name : `${name.slice(0, half - 1)}…${name.slice(-half)}`;
}

function neighbours(nodes, edges) {
  const made = new Map(nodes.map((node) => [node.id, []]));
  const makes = new Map(nodes.map((node) => [node.id, []]));
  for (const [from, to] of edges) {
    if (made.has(from) && made.has(to)) {
      makes.get(from).push(to);
      made.get(to).push(from);
    }
  }
  return { made, makes };
}

/** The layer of each node: one more than the greatest of what it is made of. */
export function layers(nodes, edges) {
  const { made, makes } = neighbours(nodes, edges);
  const open = new Map(nodes.map((node) => [node.id, made.get(node.id).length]));
  const rank = new Map(nodes.map((node) => [node.id, 0]));
  const ready = nodes.filter((node) => open.get(node.id) === 0).map((node) => node.id);
  while (ready.length > 0) {
    const id = ready.shift();
    for (const next of makes.get(id)) {
      rank.set(next, Math.max(rank.get(next), rank.get(id) + 1));
      open.set(next, open.get(next) - 1);
      if (open.get(next) === 0) {
        ready.push(next);
      }
    }
  }
  const found = [];
  for (const node of nodes) {
    const at = rank.get(node.id);
    found[at] ??= [];
    found[at].push(node.id);
  }
  return { rows: found.filter(Boolean), made, makes };
}

function byMiddle(layer, beside, places) {
  const middle = new Map(
    layer.map((id, at) => {
      const known = beside.get(id).filter((other) => places.has(other));
      const sum = known.reduce((total, other) => total + places.get(other), 0);
      return [id, known.length === 0 ? at : sum / known.length];
    }),
  );
  layer.sort((left, right) => middle.get(left) - middle.get(right));
}

function untangle({ rows, made, makes }) {
  const places = new Map();
  const note = (layer) => layer.forEach((id, at) => places.set(id, at - layer.length / 2));
  rows.forEach(note);
  for (let round = 0; round < 4; round++) {
    for (const layer of rows) {
      byMiddle(layer, made, places);
      note(layer);
    }
    for (const layer of [...rows].reverse()) {
      byMiddle(layer, makes, places);
      note(layer);
    }
  }
}

function box(node, { x, y }, { hrefOf, chosen }) {
  const name = node.name ?? node.id;
  const below = [node.kind === "dependency" ? node.type ?? "job" : null, (node.state ?? "").toLowerCase()]
    .filter(Boolean)
    .join(" · ");
  const here = name === chosen;
  const shape = svg("rect", { x, y, width: WIDTH, height: HEIGHT, rx: node.kind === "dependency" ? 22 : 6 });
  const shownName = node.kind === "dependency" ? name : name.slice(name.lastIndexOf("/") + 1) || name;
  const parts = [
    svg("title", {}, `${name}${below === "" ? "" : `, ${below}`}`),
    shape,
    svg("text.node-name", { x: x + WIDTH / 2, y: y + 19 }, shorten(shownName, 26)),
    svg("text.node-state", { x: x + WIDTH / 2, y: y + 34 }, below),
  ];
  const style = `node ${node.kind} state-${(node.state ?? "unknown").toLowerCase()}${here ? " here" : ""}`;
  const href = node.kind === "file" ? hrefOf(name) : null;
  return href === null
    ? svg("g", { class: style }, parts)
    : svg("a", { class: style, href, "aria-current": here ? "true" : null }, parts);
}

/**
 * Draws a graph.
 *
 * @param graph nodes and edges as the API has them
 * @param options hrefOf: where a file's node leads; chosen: the name of the file that was asked for
 */
export function graph({ nodes, edges }, options) {
  const drawn = nodes.slice(0, MOST);
  const layout = layers(drawn, edges);
  untangle(layout);
  const tallest = Math.max(1, ...layout.rows.map((layer) => layer.length));
  const height = tallest * (HEIGHT + DOWN) - DOWN + 2 * MARGIN;
  const width = layout.rows.length * (WIDTH + ACROSS) - ACROSS + 2 * MARGIN;
  const places = new Map();
  layout.rows.forEach((layer, column) => {
    const top = (height - (layer.length * (HEIGHT + DOWN) - DOWN)) / 2;
    layer.forEach((id, row) =>
      places.set(id, { x: MARGIN + column * (WIDTH + ACROSS), y: top + row * (HEIGHT + DOWN) }));
  });
  const lines = edges
    .filter(([from, to]) => places.has(from) && places.has(to))
    .map(([from, to]) => {
      const start = places.get(from);
      const end = places.get(to);
      const [x1, y1, x2, y2] = [start.x + WIDTH, start.y + HEIGHT / 2, end.x, end.y + HEIGHT / 2];
      const bend = Math.max(20, (x2 - x1) / 2);
      return svg("path", { d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` });
    });
  const picture = svg(
    "svg.graph",
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "group",
      "aria-label": `What ${options.chosen} is made of`,
    },
    svg("g.edges", { "aria-hidden": "true" }, lines),
    drawn.map((node) => box(node, places.get(node.id), options)),
  );
  const left = nodes.length - drawn.length;
  return el(
    "div",
    {},
    el("div.graph-scroll", { tabindex: "0", role: "group", "aria-label": "Lineage graph" }, picture),
    left > 0 ? el("p.note", {}, `${left} more are not drawn; the list below has all.`) : null,
  );
}
