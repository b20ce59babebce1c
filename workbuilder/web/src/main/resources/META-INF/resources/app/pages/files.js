// Files of the store, and what a chosen one was made of.

import { el, refill } from "../dom.js";
import { bytes, figure, known, percent, plural, time } from "../format.js";
import { graph } from "../graph.js";
import { path, Resource } from "../live.js";
import { page, panel } from "../panel.js";
import { bar, folded } from "../parts.js";
import { query, withQuery } from "../router.js";
import { table } from "../table.js";
import { fileHref, parent } from "./store.js";

const STATES = {
  stored: "good",
  checkpointing: "live",
  below: "waiting",
  lost: "poor",
  recomputing: "live",
  interrupted: "poor",
  writing: "live",
};

function join(directory, name) {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

function lineageHref(directory, file) {
  return `${fileHref(directory)}&file=${encodeURIComponent(file)}`;
}

function crumbs(directory) {
  const names = directory.split("/").filter(Boolean);
  const links = names.map((name, at) => [name, `/${names.slice(0, at + 1).join("/")}`]);
  return el("ol", {}, [["/", "/"], ...links].map(([name, to], at) =>
    el("li", {}, el("a", { href: fileHref(to), "aria-current": at === names.length ? "page" : null }, name))));
}

function progress(value) {
  if (!known(value) || value === "") {
    return null;
  }
  return typeof value === "number"
    ? el("span.done.after", {}, bar(value, 1), el("span", {}, percent(value, 1)))
    : el("span.sub-inline", {}, value);
}

function fileState(item) {
  if (item.directory) {
    return "";
  }
  const name = String(item.state ?? "unknown").toLowerCase();
  return [
    el("span.badge", { class: STATES[name] ?? "plain-state" }, name),
    progress(item.progress),
    item.pinned ? el("span.badge.plain-state", {}, "pinned") : null,
  ];
}

function fileColumns(view) {
  return [
    { id: "name", title: "Name", head: true, width: 300, value: (item) => item.name,
      sign: (item) => [view.directory, item.name, item.directory],
      node: (item) => {
        const full = join(view.directory, item.name);
        return item.directory
          ? el("a", { href: fileHref(full) }, `${item.name}/`)
          : el("a", { href: lineageHref(view.directory, full), title: "What it was made of" }, item.name);
      } },
    { id: "bytes", title: "Bytes", numeric: true, width: 90, value: (item) => (item.directory ? null : item.bytes),
      sign: (item) => [item.directory, item.bytes],
      node: (item) => (item.directory ? "" : figure("bytes", item.bytes)) },
    { id: "state", title: "State", width: 190, value: (item) => item.state ?? "", node: fileState },
    { id: "where", title: "Where", width: 220, text: (item) => (item.where ?? []).join(", "),
      hint: (item) => (item.where ?? []).join(", ") },
    { id: "modified", title: "Modified", numeric: true, width: 110, value: (item) => item.modifiedMs,
      sign: (item) => item.modifiedMs, node: (item) => time(item.modifiedMs) },
    { id: "owner", title: "Owner", width: 130, value: (item) => item.owner,
      text: (item) => [item.owner, item.group].filter(Boolean).join(":") },
    { id: "mode", title: "Mode", width: 96, text: (item) => item.mode ?? "" },
  ];
}

function listPanel() {
  const shown = panel("Files", { style: "wide" });
  const view = { directory: "/" };
  const rows = table({
    caption: "Files of the directory",
    virtual: true,
    columns: fileColumns(view),
    key: (item) => item.name,
    rowClass: (item) => (join(view.directory, item.name) === query().file ? "chosen"
      : item.state === "lost" ? "row-bad" : ""),
  });
  const more = el("p.actions");
  shown.body.append(rows.node, more);
  return {
    node: shown.node,
    update(resource) {
      const { data } = resource;
      const empty = data !== null && data.items.length === 0 ? "This directory is empty." : null;
      if (shown.show(resource, { empty })) {
        view.directory = data.path;
        const files = data.items.filter((item) => !item.directory);
        const total = files.reduce((sum, item) => sum + item.bytes, 0);
        shown.note(`${plural(data.items.length - files.length, "directory", "directories")}, `
          + `${plural(files.length, "file")} with ${bytes(total)}${data.more ? " on this page" : ""}.`);
        const last = data.items[data.items.length - 1].name;
        refill(more, [data.more, last], () =>
          (data.more ? el("a.button", { href: withQuery({ after: last }) }, "Further ones") : null));
        rows.update(data.items);
      } else {
        shown.note("");
      }
    },
  };
}

function edgeList({ nodes, edges }) {
  const names = new Map(nodes.map((node) => [node.id, node.name ?? node.id]));
  return el("table", {}, el("caption.hidden-text", {}, "What was made of what"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "From"), el("th", { scope: "col" }, "To"))),
    el("tbody", {}, edges.slice(0, 2000).map(([from, to]) =>
      el("tr", {}, el("td.words", {}, names.get(from) ?? from), el("td.words", {}, names.get(to) ?? to)))));
}

function lineagePanel() {
  const shown = panel("What it was made of", { style: "wide" });
  const picture = el("div");
  let data = null;
  const edges = folded("As a list", (body) => refill(body, data, () =>
    el("div.table-scroll", { tabindex: "0", role: "group", "aria-label": "What was made of what" }, edgeList(data))));
  shown.body.append(picture, edges.node);
  return {
    node: shown.node,
    update(resource, file) {
      data = resource.data;
      const empty = file === null ? "Choose a file to see what it was made of, and what was made of it."
        : data !== null && data.edges.length === 0
          ? `Nothing is recorded of how ${file} was made, and nothing was made of it.` : null;
      shown.note(file ?? "");
      if (shown.show(resource, { empty })) {
        const hrefOf = (name) => (name.startsWith("/") ? lineageHref(parent(name), name) : null);
        refill(picture, [data, file], () => graph(data, { hrefOf, chosen: file }));
        edges.update();
      }
    },
  };
}

/** The page of a directory of the store. */
export function filesPage() {
  const way = el("nav.crumbs", { "aria-label": "Directory" });
  const list = listPanel();
  const lineage = lineagePanel();
  const files = new Resource(null, { every: 3_000, changed: draw });
  const record = new Resource(null, { changed: draw });

  function draw() {
    list.update(files);
    lineage.update(record, query().file ?? null);
  }

  return {
    title: "Files",
    node: page("Files", way, el("div.panels", {}, list.node, lineage.node)).node,
    query(parameters) {
      const directory = parameters.path || "/";
      refill(way, directory, () => crumbs(directory));
      files.go(path("/store/files", { path: directory, after: parameters.after }));
      record.go(parameters.file ? path("/store/lineage", { path: parameters.file }) : null);
      draw();
    },
    close() {
      files.close();
      record.close();
    },
  };
}
