// The lineage store: what it has, what waits for a checkpoint, what is not well.

import { el, reconcile } from "../dom.js";
import { age, bytes, count, known, localTime, plural } from "../format.js";
import { Resource } from "../live.js";
import { page, panel } from "../panel.js";
import { level, outside, tiles } from "../parts.js";
import { table } from "../table.js";
import { condition, tierList } from "./cluster.js";

/** Where a file of the store is shown. */
export function fileHref(path) {
  return `/store/files?path=${encodeURIComponent(path)}`;
}

/** The directory of a path. */
export function parent(path) {
  const cut = path.replace(/\/+$/, "").lastIndexOf("/");
  return cut <= 0 ? "/" : path.slice(0, cut);
}

function keyFigures() {
  const shown = tiles([
    { id: "names", label: "Files and directories", kind: "count" },
    { id: "usedBytes", label: "In memory and on disks", kind: "bytes" },
    { id: "workersUp", label: "Workers up", kind: "exact" },
    { id: "pins", label: "Pins", kind: "exact" },
    { id: "waiting", label: "Wait for a checkpoint", kind: "exact" },
    { id: "savedBytes", label: "Kept off the under store", kind: "bytes" },
  ]);
  return {
    node: shown.node,
    update(data) {
      const tiers = data.workers.flatMap((worker) => worker.tiers ?? []);
      const total = (of) => tiers.reduce((sum, tier) => sum + (of(tier) ?? 0), 0);
      const checkpoints = data.checkpoints ?? {};
      shown.update({
        names: data.names,
        usedBytes: total((tier) => tier.usedBytes),
        workersUp: data.workers.filter((worker) => worker.up).length,
        pins: data.pins ?? null,
        waiting: checkpoints.waiting ?? null,
        savedBytes: checkpoints.savedBytes ?? null,
      }, {
        names: known(data.writing) && data.writing > 0 ? `${count(data.writing)} being written` : "",
        usedBytes: `of ${bytes(total((tier) => tier.capacityBytes))}`,
        workersUp: `of ${count(data.workers.length)}`,
        waiting: known(checkpoints.waitingBytes) ? bytes(checkpoints.waitingBytes) : "",
        savedBytes: known(checkpoints.writtenBytes) ? `${bytes(checkpoints.writtenBytes)} written there` : "",
      });
    },
  };
}

function troublePanel() {
  const shown = panel("What is not well", { style: "wide" });
  const list = el("ul.advice");
  shown.body.append(list);
  return {
    node: shown.node,
    update(resource, current) {
      const sentences = resource.data?.unhealthy ?? [];
      const empty = resource.data !== null && sentences.length === 0 ? "All files can be read." : null;
      if (shown.show(resource, { ...current, empty })) {
        reconcile(list, sentences.map((text, at) => ({ text, at })), (one) => `${one.at} ${one.text}`, ({ text }) =>
          el("li.level-bad", {}, level("bad"), el("p", {}, text)));
      }
    },
  };
}

function workerPanel() {
  const shown = panel("Workers", { style: "wide" });
  const rows = table({
    caption: "Workers",
    key: (worker) => worker.address,
    rowClass: (worker) => (condition(worker).level === "bad" ? "row-bad" : ""),
    columns: [
      { id: "name", title: "Worker", head: true, value: (worker) => worker.name || worker.address,
        sign: (worker) => [worker.name, worker.address, worker.web],
        node: (worker) => outside(worker.web, worker.name || worker.address) ?? (worker.name || worker.address) },
      { id: "state", title: "State", sign: (worker) => condition(worker), node: (worker) => {
        const { level: grade, words } = condition(worker);
        return el("span.with-level", {}, level(grade), ` ${words}`);
      } },
      { id: "tiers", title: "Tiers", sign: (worker) => worker.tiers, node: (worker) => tierList(worker.tiers) },
      { id: "heard", title: "Heard", from: "mid", sign: (worker) => worker.heardMs,
        node: (worker) => age(worker.heardMs) },
    ],
  });
  shown.body.append(rows.node);
  return {
    node: shown.node,
    update(resource, current) {
      const workers = resource.data?.workers ?? [];
      const empty = resource.data !== null && workers.length === 0 ? "No worker has registered with the master." : null;
      if (shown.show(resource, { ...current, empty })) {
        rows.update(workers);
      }
    },
  };
}

function queuePanel() {
  const shown = panel("Queue of checkpoints", { style: "wide" });
  const rows = table({
    caption: "Queue of checkpoints",
    virtual: true,
    key: (one) => `${one.fid} ${one.path}`,
    columns: [
      { id: "place", title: "Place", numeric: true, width: 60, text: (one) => String(one.place) },
      { id: "path", title: "File", head: true, width: 320, value: (one) => one.path, sign: (one) => one.path,
        node: (one) => el("a", { href: `${fileHref(parent(one.path))}&file=${encodeURIComponent(one.path)}`,
          title: one.path }, one.path) },
      { id: "bytes", title: "Bytes", kind: "bytes", value: (one) => one.bytes },
      { id: "why", title: "Why", width: 420, text: (one) => one.why ?? "", hint: (one) => one.why },
    ],
  });
  shown.body.append(rows.node);
  return {
    node: shown.node,
    update(resource, current) {
      const checkpoints = resource.data?.checkpoints ?? {};
      const queue = checkpoints.queue ?? [];
      const empty = resource.data !== null && queue.length === 0
        ? "No file waits to be copied to the under store." : null;
      if (shown.show(resource, { ...current, empty })) {
        const waiting = checkpoints.waiting ?? queue.length;
        shown.note(`${plural(waiting, "file waits", "files wait")}`
          + `${waiting > queue.length ? `; the first ${count(queue.length)} are shown` : ""}.`
          + `${checkpoints.oldestMs > 0 ? ` The oldest waits since ${localTime(checkpoints.oldestMs)}.` : ""}`
          + `${checkpoints.runningBytes > 0 ? ` ${bytes(checkpoints.runningBytes)} are being copied.` : ""}`
          + `${resource.data.synchronous ? " New files are copied before their writers go on." : ""}`);
        rows.update(queue.map((one, at) => ({ ...one, place: at + 1 })));
      } else {
        shown.note("");
      }
    },
  };
}

/** The page of the store. */
export function storePage() {
  const figures = keyFigures();
  const panels = [troublePanel(), queuePanel(), workerPanel()];
  const body = el("div.page", {}, figures.node, el("div.panels", {}, panels.map((one) => one.node)));
  const absent = el("div.missing", { hidden: true },
    el("p", {}, "This cluster has no lineage store, or these pages are not told where its masters are: "
      + "set sailfish.web.lineage.masters."));
  const browse = el("p.actions", {}, el("a.button", { href: fileHref("/") }, "Browse the files"));
  const resource = new Resource("/store", { topic: "store", changed: draw });

  function draw() {
    const { data } = resource;
    const there = data === null || data.present !== false;
    absent.hidden = there;
    body.hidden = !there;
    browse.hidden = !there;
    figures.node.hidden = data === null;
    if (!there) {
      return;
    }
    if (data !== null) {
      data.workers ??= [];
      figures.update(data);
    }
    panels.forEach((one) => one.update(resource, { heardMs: data?.heardMs ?? null, live: true }));
  }

  return {
    title: "Store",
    node: page("Store", browse, absent, body).node,
    close: () => resource.close(),
  };
}
