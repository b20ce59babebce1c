// The lineage store: what it has, what waits for a checkpoint, what is not well.

import { el, reconcile } from "../dom.js";
import { age, bytes, count, duration, known, plural } from "../format.js";
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
      shown.show(resource, { ...current, empty });
      reconcile(list, sentences.map((text, at) => ({ text, at })), (one) => `${one.at} ${one.text}`, ({ text }) =>
        el("li.level-bad", {}, level("bad"), el("p", {}, text)));
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

const STAGES = { copying: "live", assigned: "waiting", held: "poor" };

function queuePanel() {
  const shown = panel("Queue of checkpoints", { style: "wide" });
  const rows = table({
    caption: "Queue of checkpoints",
    virtual: true,
    key: (one) => `${one.fid} ${one.path}`,
    columns: [
      { id: "place", title: "Place", numeric: true, width: 60, text: (one) => String(one.place) },
      { id: "path", title: "File", head: true, width: 320, value: (one) => one.path, sign: (one) => one.path,
        node: (one) => fileLink(one.path, one.fid) },
      { id: "bytes", title: "Bytes", kind: "bytes", value: (one) => one.bytes },
      { id: "stage", title: "Stage", width: 100, value: (one) => one.stage, sign: (one) => one.stage,
        node: (one) => el("span.badge", { class: STAGES[one.stage] ?? "plain-state" }, one.stage ?? "waiting") },
      { id: "worker", title: "Worker", width: 170, text: (one) => one.worker ?? "–", hint: (one) => one.worker },
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
          + `${checkpoints.oldestMs > 0 ? ` The oldest has waited for ${duration(checkpoints.oldestMs)}.` : ""}`
          + `${checkpoints.runningBytes > 0 ? ` ${bytes(checkpoints.runningBytes)} are being copied.` : ""}`
          + `${resource.data.synchronous ? " New files are copied before their writers go on." : ""}`);
        rows.update(queue.map((one, at) => ({ ...one, place: at + 1 })));
      } else {
        shown.note("");
      }
    },
  };
}

const LOST = { lost: "poor", recomputing: "live", interrupted: "poor" };

function fileLink(path, fid) {
  return path === "" ? `file ${fid}`
    : el("a", { href: `${fileHref(parent(path))}&file=${encodeURIComponent(path)}`, title: path }, path);
}

function jobLink(application) {
  return el("a", { href: `/jobs/${application.replace("application_", "job_")}` }, application);
}

function lostPanel() {
  const shown = panel("Lost, and being made again", { style: "wide" });
  const rows = table({
    caption: "Lost files",
    key: (one) => one.fid,
    rowClass: (one) => (one.state === "recomputing" ? "" : "row-bad"),
    columns: [
      { id: "path", title: "File", head: true, style: "words", value: (one) => one.path, sign: (one) => one.path,
        node: (one) => fileLink(one.path, one.fid) },
      { id: "state", title: "State", value: (one) => one.state, sign: (one) => one.state,
        node: (one) => el("span.badge", { class: LOST[one.state] ?? "plain-state" }, one.state) },
      { id: "progress", title: "How far", style: "words", text: (one) => one.progress },
      { id: "waiting", title: "Waited for by", from: "mid", sign: (one) => one.waiting,
        node: (one) => one.waiting.map((application) => el("div", {}, jobLink(application))) },
    ],
  });
  shown.body.append(rows.node);
  return {
    node: shown.node,
    update(resource, current) {
      const lost = resource.data?.lost ?? [];
      const empty = resource.data !== null && lost.length === 0 ? "No file that can be made again is lost." : null;
      if (shown.show(resource, { ...current, empty })) {
        shown.note(lost.length >= 100 ? "The first 100 are shown." : "");
        rows.update(lost);
      } else {
        shown.note("");
      }
    },
  };
}

/** The page of the store. */
export function storePage() {
  const figures = keyFigures();
  const panels = [troublePanel(), lostPanel(), queuePanel(), workerPanel()];
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
