// What stands out in a job: slow tasks, heavy keys, what happened; and its counters.

import { el, refill } from "../dom.js";
import { count, known, percent, plural, time } from "../format.js";
import { panel } from "../panel.js";
import { bar, searchField } from "../parts.js";
import { query } from "../router.js";
import { table } from "../table.js";
import { currency } from "./frame.js";
import { isLive } from "./jobs.js";

const KINDS = {
  MAP_RUNS_AGAIN: ["map runs again", "poor"],
  ALL_MAPS_RUN_AGAIN: ["all maps run again", "poor"],
  PLAN_MADE: ["plan made", "good"],
  PLAN_REFUSED: ["not planned", "waiting"],
  FAILED: ["failed", "poor"],
};

/** Tasks that take much longer than others of their kind. */
export function stragglerPanel() {
  const shown = panel("Stragglers", { style: "wide" });
  const rows = table({
    caption: "Stragglers",
    key: (one) => `${one.task} ${one.attempt}`,
    sort: { id: "elapsed", down: true },
    columns: [
      { id: "task", title: "Task", head: true, value: (one) => one.task,
        text: (one) => `${one.task}${known(one.attempt) ? ` · attempt ${one.attempt}` : ""}` },
      { id: "type", title: "Kind", value: (one) => one.type, text: (one) => one.type },
      { id: "host", title: "Host", value: (one) => one.host, text: (one) => one.host ?? "" },
      { id: "elapsed", title: "Took", kind: "duration", value: (one) => one.elapsedMs },
      { id: "median", title: "Median", kind: "duration", value: (one) => one.medianMs, from: "mid" },
      { id: "times", title: "× median", numeric: true, value: (one) => one.elapsedMs / one.medianMs,
        text: (one) => (one.medianMs > 0 ? (one.elapsedMs / one.medianMs).toFixed(1) : "–") },
      { id: "bytes", title: "Bytes", kind: "bytes", value: (one) => one.bytes },
      { id: "why", title: "Why", style: "words", text: (one) => one.why ?? "" },
    ],
  });
  shown.body.append(rows.node);
  return {
    node: shown.node,
    update(job, resource) {
      const items = job.stragglers ?? [];
      const empty = items.length === 0 ? "No task takes much longer than others of its kind." : null;
      if (shown.show(resource, { ...currency(job), empty })) {
        rows.update(items);
      }
    },
  };
}

/** Keys with more bytes than a reduce task shall have. */
export function keyPanel() {
  const shown = panel("Skewed keys");
  let most = 0;
  let all = 0;
  const rows = table({
    caption: "Skewed keys",
    key: (one) => `${one.partition} ${one.key}`,
    sort: { id: "bytes", down: true },
    columns: [
      { id: "key", title: "Key", head: true, style: "words key-cell", value: (one) => one.key, text: (one) => one.key },
      { id: "partition", title: "Partition", numeric: true, value: (one) => one.partition,
        text: (one) => String(one.partition) },
      { id: "bytes", title: "Bytes", kind: "bytes", value: (one) => one.bytes },
      { id: "share", title: "Of the job", numeric: true, sign: (one) => [one.bytes, most, all],
        node: (one) => el("span.done", {}, bar(one.bytes, most), el("span", {}, percent(one.bytes, all))) },
    ],
  });
  shown.body.append(rows.node);
  return {
    node: shown.node,
    update(job, resource) {
      const items = job.heavyKeys ?? [];
      const empty = items.length === 0 ? "No key has more bytes than a reduce task shall have." : null;
      most = Math.max(0, ...items.map((one) => one.bytes));
      all = job.appendedBytes ?? 0;
      if (shown.show(resource, { ...currency(job), empty })) {
        rows.update(items);
      }
    },
  };
}

function lossNote(again, id) {
  return [
    `${plural(again, "map runs again because its output was lost", "maps run again because their output was lost")}: `,
    el("a", { href: `/jobs/${encodeURIComponent(id)}/ifiles?state=lost` }, "I-files with lost chunks"),
    ".",
  ];
}

/** Decisions, losses and failures, the newest first. */
export function eventPanel(id) {
  const shown = panel("What happened", { style: "wide" });
  const note = el("p.note");
  const rows = table({
    caption: "What happened",
    key: (event) => event.at,
    sort: { id: "ms", down: true },
    columns: [
      { id: "ms", title: "Time", head: true, value: (event) => event.ms, sign: (event) => event.ms,
        node: (event) => time(event.ms) },
      { id: "kind", title: "What", value: (event) => event.kind, sign: (event) => event.kind,
        node: (event) => {
          const [name, style] = KINDS[event.kind] ?? [event.kind.toLowerCase().replaceAll("_", " "), "plain-state"];
          return el("span.badge", { class: style }, name);
        } },
      { id: "task", title: "Task", from: "mid", value: (event) => event.task, text: (event) => event.task ?? "" },
      { id: "text", title: "Why", style: "words", text: (event) => event.text ?? "" },
    ],
  });
  shown.body.append(note, rows.node);
  return {
    node: shown.node,
    update(job, resource) {
      const items = (job.events ?? []).map((event, at) => ({ ...event, at }));
      const empty = items.length === 0
        ? `Nothing was lost, and the ApplicationMaster ${isLive(job) ? "has told" : "told"} of no decision.`
        : null;
      if (shown.show(resource, { ...currency(job), empty })) {
        const lost = items.filter((event) => event.kind === "MAP_RUNS_AGAIN");
        const again = new Set(lost.map((event) => event.task)).size; // several reduce tasks may miss one
        note.hidden = again === 0;
        refill(note, again, () => lossNote(again, id));
        shown.note(job.eventsLeftOut > 0 ? `${count(job.eventsLeftOut)} older events are left out.` : "");
        rows.update(items);
      }
    },
  };
}

/** Counters of the job, with the name of stock's that means the same. */
export function counterPanel() {
  const shown = panel("Counters", { style: "wide" });
  const field = searchField("Find a counter", "counter");
  const rows = table({
    caption: "Counters beside stock’s names",
    virtual: true,
    key: (one) => `${one.group} ${one.name}`,
    columns: [
      { id: "name", title: "Counter", head: true, width: 250, value: (one) => one.name, text: (one) => one.name,
        hint: (one) => one.name },
      { id: "stock", title: "Stock’s name", width: 210, value: (one) => one.stock, text: (one) => one.stock ?? "–",
        hint: (one) => one.stock },
      { id: "group", title: "Group", width: 190, value: (one) => one.group,
        text: (one) => one.group.slice(one.group.lastIndexOf(".") + 1), hint: (one) => one.group },
      { id: "map", title: "Map", kind: "exact", width: 130, value: (one) => one.map },
      { id: "reduce", title: "Reduce", kind: "exact", width: 130, value: (one) => one.reduce },
      { id: "total", title: "Total", kind: "exact", width: 130, value: (one) => one.total },
    ],
  });
  shown.tools.append(field.node);
  shown.body.append(rows.node);
  let items = [];

  function draw() {
    const words = (query().counter ?? "").toLowerCase();
    const found = items.filter((one) => `${one.name} ${one.stock ?? ""} ${one.group}`.toLowerCase().includes(words));
    shown.note(words === "" ? "" : `${found.length} of ${items.length} counters.`);
    rows.update(found);
  }

  return {
    node: shown.node,
    query(parameters) {
      field.set(parameters.counter);
      draw();
    },
    update(job, resource) {
      items = job.counters ?? [];
      const empty = items.length === 0 ? "No task has told its counters yet." : null;
      if (shown.show(resource, { ...currency(job), empty })) {
        draw();
      }
    },
  };
}
