// The reduce work of a job: what was planned, why, and what came of it.

import { aroundBars, barSeries, bytesAxis, chart, countAxis, cutOff, upTo, write, writeCutOff } from "../chart.js";
import { el, refill } from "../dom.js";
import { bytes, change, count, figure, known, plural } from "../format.js";
import { Resource } from "../live.js";
import { panel } from "../panel.js";
import { choice, state, tiles } from "../parts.js";
import { query } from "../router.js";
import { table } from "../table.js";
import { jobFrame } from "./frame.js";
import { isLive } from "./jobs.js";

const SHOWN = {
  over: "over the target",
  pieces: "pieces of a partition",
  together: "several partitions",
  off: "a quarter off its plan",
};
const NOT_YET = "There is no plan yet: it is made when all maps are done.";
const NEVER = "This job has no plan: it has the reduce tasks that it asked for.";
const WORK_STATES = ["WAITING", "RUNNING", "DONE", "FAILED"];

function isPiece(work, cut) {
  return cut.has(work.first);
}

/** Partitions that have more than one work. */
function cutPartitions(works) {
  const seen = new Set();
  const cut = new Set();
  for (const work of works) {
    if (work.first === work.last) {
      (seen.has(work.first) ? cut : seen).add(work.first);
    }
  }
  return cut;
}

function off(work) {
  return known(work.actualBytes) && work.plannedBytes > 0
    && Math.abs(work.actualBytes - work.plannedBytes) / work.plannedBytes > 0.25;
}

function matches(work, parameters, plan) {
  const kinds = {
    over: () => known(plan.targetBytes) && work.plannedBytes > plan.targetBytes,
    pieces: () => isPiece(work, plan.cut),
    together: () => work.last > work.first,
    off: () => off(work),
  };
  return (kinds[parameters.show]?.() ?? true) && (!parameters.workstate || work.state === parameters.workstate);
}

function drawTarget(plot, target, palette) {
  if (!known(target) || target <= 0) {
    return;
  }
  const { ctx, bbox } = plot;
  const y = plot.valToPos(target, "y", true);
  if (y < bbox.top) {
    return;
  }
  ctx.save();
  ctx.strokeStyle = palette.ink;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
  const above = y - 6 * devicePixelRatio;
  write(plot, `target ${bytes(target)}`, bbox.left + bbox.width, above, palette.ink, palette.surface);
}

function workChart(view) {
  const work = (at) => view.works[at];
  const drawn = chart({
    label: "Planned and actual bytes of each reduce work",
    height: 240,
    make: (palette, library) => ({
      scales: { x: { time: false, range: aroundBars }, y: { range: upTo(() => view.limit) } },
      axes: [
        countAxis(palette, (at) => (Number.isInteger(at) ? String(work(at)?.work ?? "") : "")),
        bytesAxis(palette),
      ],
      series: [
        {},
        barSeries(library, palette.one),
        {
          stroke: palette.three,
          paths: () => null,
          points: { show: true, size: 5, fill: palette.three, stroke: palette.three, width: 0 },
        },
      ],
      hooks: {
        draw: [(plot) => {
          drawTarget(plot, view.targetBytes, palette);
          writeCutOff(plot, view.works.map((one) => one.plannedBytes), view.limit, palette.ink, palette.surface);
        }],
      },
    }),
    legend: [
      { name: "Planned", style: "one", value: (at) => bytes(work(at)?.plannedBytes) },
      { name: "Actual", style: "three round", value: (at) => bytes(work(at)?.actualBytes) },
    ],
    headline: (at) => `work ${work(at)?.work ?? ""}`,
  });
  return {
    node: drawn.node,
    update() {
      view.limit = cutOff(view.works.map((one) => one.plannedBytes));
      drawn.update([
        view.works.map((one, at) => at),
        view.works.map((one) => one.plannedBytes),
        view.works.map((one) => one.actualBytes ?? null),
      ], `Planned and actual bytes of ${plural(view.works.length, "reduce work")}; the table has them all`);
    },
  };
}

function columns(view) {
  const words = (id, title, long) => ({ id, title, long, width: 140, style: "key-cell",
    text: (work) => work[id] ?? "–", hint: (work) => work[id] });
  return [
    { id: "work", title: "Work", head: true, numeric: true, width: 70, value: (work) => work.work,
      text: (work) => String(work.work) },
    { id: "first", title: "Partitions", numeric: true, width: 100, value: (work) => work.first,
      text: (work) => (work.first === work.last ? String(work.first) : `${work.first}–${work.last}`) },
    { id: "range", title: "Piece", numeric: true, width: 70, value: (work) => work.range,
      sign: (work) => [work.range, isPiece(work, view.cut)],
      node: (work) => (isPiece(work, view.cut) ? String(work.range) : "whole") },
    words("from", "From key", "First key, inclusive"),
    words("to", "To key", "Last key, exclusive"),
    { id: "plannedBytes", title: "Planned", kind: "bytes", width: 95, value: (work) => work.plannedBytes },
    { id: "mostBytes", title: "At most", long: "A bound: all entries of the index that touch it", kind: "bytes",
      width: 95, value: (work) => work.mostBytes },
    { id: "actualBytes", title: "Actual", long: "Records that the task has read, with two bytes each for a header; the plan has"
      + " headers as they are, a byte or two more of a record over 127 bytes",
      kind: "bytes", width: 95, value: (work) => work.actualBytes },
    { id: "off", title: "Off by", numeric: true, width: 85,
      value: (work) => (known(work.actualBytes) && work.plannedBytes > 0
        ? Math.abs(work.actualBytes - work.plannedBytes) / work.plannedBytes : null),
      text: (work) => change(work.actualBytes, work.plannedBytes) },
    { id: "fetchedBytes", title: "Fetched", long: "Bytes that came from servers: compressed, with the headers of blocks,"
      + " so that a tiny work has more than it was planned with", kind: "bytes", width: 95,
      value: (work) => work.fetchedBytes },
    { id: "plannedRecords", title: "Records", long: "Planned records", kind: "count", width: 95,
      value: (work) => work.plannedRecords },
    { id: "actualRecords", title: "Actual", long: "Actual records", kind: "count", width: 95,
      value: (work) => work.actualRecords },
    { id: "elapsedMs", title: "Took", kind: "duration", width: 105, value: (work) => work.elapsedMs },
    { id: "state", title: "State", width: 100, value: (work) => work.state, sign: (work) => work.state,
      node: (work) => state(work.state) },
  ];
}

function reasons(plan) {
  const rows = [
    ["Mode", plan.mode, plan.why],
    ["Target", known(plan.targetBytes) ? bytes(plan.targetBytes) : "none", plan.targetReason],
  ];
  return el("dl.reasons", {}, rows.map(([name, value, why]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, el("b", {}, value ?? "not known"), why ? `: ${why}` : ""))));
}

function whyPanel() {
  const shown = panel("Why it is as it is", { style: "wide" });
  const figures = tiles([
    { id: "partitions", label: "Partitions", kind: "exact" },
    { id: "works", label: "Reduce works", kind: "exact" },
    { id: "split", label: "Partitions split", kind: "exact" },
    { id: "together", label: "Works of several", kind: "exact" },
    { id: "largest", label: "Largest work", kind: "bytes" },
    { id: "refusals", label: "Not split, though wanted", kind: "exact" },
  ]);
  const words = el("div");
  shown.body.append(words, figures.node);
  return {
    node: shown.node,
    update(resource, current) {
      const plan = resource.data;
      if (shown.show(resource, current)) {
        refill(words, [plan.mode, plan.why, plan.targetBytes, plan.targetReason], () => reasons(plan));
        figures.update({
          partitions: plan.partitions,
          works: plan.works.length,
          split: plan.cut.size,
          together: plan.works.filter((work) => work.last > work.first).length,
          largest: plan.works.length === 0 ? null : Math.max(...plan.works.map((work) => work.plannedBytes)),
          refusals: plan.refusals.length,
        });
      }
    },
  };
}

function workPanel() {
  const shown = panel("Reduce works", { style: "wide" });
  const kind = choice("Show", "show", "all works", (value) => SHOWN[value] ?? value);
  const states = choice("State", "workstate", "all states", (value) => value.toLowerCase());
  const view = { works: [], targetBytes: null, cut: new Set(), limit: null };
  const bars = workChart(view);
  const rows = table({
    caption: "Reduce works",
    virtual: true,
    columns: columns(view),
    key: (work) => work.work,
    rowClass: (work) => (String(work.work) === query().work ? "chosen" : work.state === "FAILED" ? "row-bad" : ""),
  });
  const none = el("p.note", { role: "status" }, "No reduce work matches these filters.");
  let revealed;

  function reveal(wanted) {
    if (wanted !== revealed) {
      revealed = wanted;
      rows.reveal((work) => String(work.work) === wanted);
    }
  }

  shown.tools.append(kind.node, states.node);
  shown.body.append(bars.node, none, rows.node);
  return {
    node: shown.node,
    update(resource, current) {
      const plan = resource.data;
      const parameters = query();
      kind.set(parameters.show, Object.keys(SHOWN));
      states.set(parameters.workstate, WORK_STATES);
      const empty = plan !== null && plan.works.length === 0
        ? current.live ? NOT_YET : NEVER : null;
      if (shown.show(resource, { ...current, empty })) {
        view.targetBytes = plan.targetBytes;
        view.cut = plan.cut;
        view.works = plan.works.filter((work) => matches(work, parameters, plan));
        const done = plan.works.filter((work) => work.state === "DONE").length;
        shown.note(`${count(done)} of ${plural(plan.works.length, "work")} done`
          + `${view.works.length === plan.works.length ? "" : `; ${count(view.works.length)} shown`}.`
          + `${plan.worksLeftOut > 0 ? ` ${count(plan.worksLeftOut)} more are left out.` : ""}`);
        none.hidden = view.works.length > 0;
        bars.update();
        rows.update(view.works);
        reveal(parameters.work);
      }
    },
  };
}

function refusalPanel() {
  const shown = panel("Partitions that stay whole");
  const rows = table({
    caption: "Partitions that stay whole",
    key: (one) => `${one.partition} ${one.reason}`,
    columns: [
      { id: "partition", title: "Partition", head: true, numeric: true, value: (one) => one.partition,
        text: (one) => String(one.partition) },
      { id: "reason", title: "Why", style: "words", value: (one) => one.reason, text: (one) => one.reason },
    ],
  });
  shown.body.append(rows.node);
  return {
    node: shown.node,
    update(resource) {
      const items = resource.data?.refusals ?? [];
      const empty = resource.data !== null && items.length === 0
        ? "No partition that is larger than the target had to stay whole." : null;
      if (shown.show(resource, { empty })) {
        shown.note(items.length > 300 ? `The first 300 of ${count(items.length)}.` : "");
        rows.update(items.slice(0, 300));
      }
    },
  };
}

function heavyPanel(base) {
  const shown = panel("Heavy keys");
  const rows = table({
    caption: "Heavy keys",
    key: (one) => `${one.partition} ${one.key}`,
    sort: { id: "bytes", down: true },
    columns: [
      { id: "key", title: "Key", head: true, style: "words key-cell", value: (one) => one.key, text: (one) => one.key },
      { id: "partition", title: "I-file", numeric: true, value: (one) => one.partition, sign: (one) => one.partition,
        node: (one) => el("a", { href: `${base}/ifiles?partition=${one.partition}` }, String(one.partition)) },
      { id: "bytes", title: "Bytes", numeric: true, value: (one) => one.bytes, sign: (one) => one.bytes,
        node: (one) => figure("bytes", one.bytes) },
    ],
  });
  shown.body.append(rows.node);
  return {
    node: shown.node,
    update(resource) {
      const items = resource.data?.heavyKeys ?? [];
      const empty = resource.data !== null && items.length === 0 ? "No key is heavier than the target." : null;
      if (shown.show(resource, { empty })) {
        rows.update(items);
      }
    },
  };
}

/** The page of a job's plan. */
export function planPage(id) {
  const base = `/jobs/${encodeURIComponent(id)}`;
  const why = whyPanel();
  const works = workPanel();
  const refusals = refusalPanel();
  const heavy = heavyPanel(base);
  let job = null;
  const plan = new Resource(`${base}/plan`, { changed: draw });

  function draw() {
    if (job === null) {
      return;
    }
    if (plan.data !== null && plan.data.cut === undefined) {
      plan.data.works ??= [];
      plan.data.refusals ??= [];
      plan.data.cut = cutPartitions(plan.data.works);
    }
    const live = isLive(job);
    const current = { heardMs: plan.data?.heardMs ?? job.heardMs, live };
    why.update(plan, current);
    works.update(plan, current);
    refusals.update(plan);
    heavy.update(plan);
  }

  return jobFrame(id, {
    tab: "plan",
    title: "plan",
    content: el("div.panels", {}, why.node, works.node, refusals.node, heavy.node),
    query: draw,
    draw(data) {
      if (job !== null && (job.state !== data.state || (isLive(data) && job.heardMs !== data.heardMs))) {
        plan.refresh(3_000);
      }
      job = data;
      draw();
    },
    close: () => plan.close(),
  });
}
