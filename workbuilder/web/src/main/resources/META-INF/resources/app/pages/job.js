// One job: its phases, its progress, what it cost, what happened.

import { bytesAxis, chart, countAxis, elapsedAxis, fromZero } from "../chart.js";
import { el, everySecond, refill } from "../dom.js";
import { bytes, change, count, duration, figure, known, percent, time } from "../format.js";
import { panel } from "../panel.js";
import { folded, tiles } from "../parts.js";
import { table } from "../table.js";
import { timeline } from "../timeline.js";
import { counterPanel, eventPanel, keyPanel, stragglerPanel } from "./findings.js";
import { currency, jobFrame } from "./frame.js";
import { isLive, wallMs } from "./jobs.js";

const BYTES = [
  { id: "appendedBytes", name: "Appended", style: "one" },
  { id: "sortedBytes", name: "Sorted", style: "two", dash: [6, 3] },
  { id: "reducedBytes", name: "Reduced", style: "three", dash: [2, 3] },
];

function share(part, all) {
  return known(part) && all > 0 ? percent(part, all) : "";
}

function keyFigures() {
  const shown = tiles([
    { id: "mapsDone", label: "Maps done", kind: "exact" },
    { id: "appendedBytes", label: "Appended", kind: "bytes" },
    { id: "sortedBytes", label: "Sorted", kind: "bytes" },
    { id: "reducedBytes", label: "Reduced", kind: "bytes" },
    { id: "reducesDone", label: "Reduces done", kind: "exact" },
    { id: "wallMs", label: "Time", kind: "duration" },
    { id: "taskCpuMs", label: "CPU of tasks", kind: "duration" },
  ]);
  let job = null;

  function draw() {
    if (job === null) {
      return;
    }
    shown.update({ ...job, wallMs: wallMs(job), taskCpuMs: job.cost?.taskCpuMs }, {
      mapsDone: `of ${count(job.maps)}`,
      reducesDone: known(job.reduces) ? `of ${count(job.reduces)}` : "not planned yet",
      sortedBytes: share(job.sortedBytes, job.appendedBytes),
      reducedBytes: share(job.reducedBytes, job.appendedBytes),
      wallMs: isLive(job) ? "so far" : "",
    });
  }

  everySecond(shown.node, draw);
  return {
    node: shown.node,
    update(data) {
      job = data;
      draw();
    },
  };
}

function lines(palette, series, yAxis, yRange) {
  return {
    scales: { x: { time: false }, y: { range: yRange } },
    axes: [elapsedAxis(palette), yAxis],
    series: [
      {},
      ...series.map(({ style, dash }) => ({
        stroke: palette[style],
        width: 2,
        dash,
        points: { show: false },
      })),
    ],
    cursor: { sync: { key: "job" } },
  };
}

function progressCharts() {
  let shown = null;
  const begun = () => shown.startedMs ?? shown.submittedMs ?? shown.series[0].ms;
  const at = (index) => `after ${duration((shown.series[index]?.ms ?? begun()) - begun())}`;
  const rest = () => (shown !== null && shown.series.length > 0 ? shown.series.length - 1 : null);
  const data = chart({
    label: "Bytes appended, sorted and reduced over time",
    height: 210,
    make: (palette) => lines(palette, BYTES, bytesAxis(palette), fromZero),
    legend: BYTES.map(({ id, name, style }) => ({ name, style, value: (index) => bytes(shown.series[index]?.[id]) })),
    headline: at,
    rest,
  });
  const kinds = [
    { id: "mapsDone", all: "maps", name: "Maps done", style: "one" },
    { id: "reducesDone", all: "reduces", name: "Reduces done", style: "three", dash: [2, 3] },
  ];
  const done = chart({
    label: "Tasks done over time",
    height: 210,
    make: (palette) => lines(palette, kinds, countAxis(palette, (value) => `${value} %`, { size: 52 }), () => [0, 105]),
    legend: kinds.map(({ id, all, name, style }) => ({
      name,
      style,
      value: (index) => `${count(shown.series[index]?.[id])} of ${count(shown[all])}`,
    })),
    headline: at,
    rest,
  });
  return {
    node: el("div.charts", {}, data.node, done.node),
    update(job) {
      shown = job;
      const x = job.series.map((point) => point.ms - begun());
      const partDone = (value, all) => (known(value) && all > 0 ? (100 * value) / all : null);
      data.update([x, ...BYTES.map(({ id }) => job.series.map((point) => point[id] ?? null))]);
      done.update([x, ...kinds.map(({ id, all }) => job.series.map((point) => partDone(point[id], job[all])))]);
    },
  };
}

function progressPanel() {
  const shown = panel("Progress", { style: "wide" });
  const charts = progressCharts();
  let job = null;
  const rows = table({
    caption: "Progress over time",
    virtual: true,
    key: (point) => point.ms,
    columns: [
      { id: "ms", title: "Time", head: true, width: 110, value: (point) => point.ms, sign: (point) => point.ms,
        node: (point) => time(point.ms) },
      { id: "mapsDone", title: "Maps", kind: "exact", value: (point) => point.mapsDone },
      ...BYTES.map(({ id, name }) => ({ id, title: name, kind: "bytes", value: (point) => point[id] })),
      { id: "reducesDone", title: "Reduces", kind: "exact", value: (point) => point.reducesDone },
    ],
  });
  const figures = folded("The figures as a table", (body) => {
    if (!body.hasChildNodes()) {
      body.append(rows.node);
    }
    rows.update(job.series);
  });
  shown.body.append(charts.node, figures.node);
  return {
    node: shown.node,
    update(data, resource) {
      job = data;
      const empty = (data.series ?? []).length === 0 ? "Nothing has been seen of its progress." : null;
      if (shown.show(resource, { ...currency(data), empty })) {
        charts.update(data);
        figures.update();
      }
    },
  };
}

function phasePanel() {
  const shown = panel("Phases", { style: "wide" });
  const bars = timeline();
  shown.body.append(bars.node);
  return {
    node: shown.node,
    update(job, resource) {
      const begun = (job.phases ?? []).some((phase) => known(phase.fromMs));
      const empty = begun ? null : isLive(job) ? "No map has begun yet." : "Nothing is known of its phases.";
      if (shown.show(resource, { ...currency(job), empty })) {
        bars.update(job.phases, isLive(job) ? null : job.finishedMs ?? job.heardMs);
      }
    },
  };
}

function costRow([name, kind, value, before]) {
  const worse = known(value) && known(before) && before > 0 ? (value - before) / before : 0;
  const style = Math.abs(worse) < 0.05 ? "same" : worse > 0 ? "more" : "less";
  return el(
    "tr",
    { "data-cost": name },
    el("th", { scope: "row" }, name),
    el("td.number", {}, figure(kind, value)),
    el("td.number", {}, figure(kind, before)),
    el("td.number", {}, el("span.change", { class: style }, change(value, before))),
  );
}

function costTable(job) {
  const before = job.previous;
  const rows = [
    ["Time", "duration", job.cost?.wallMs ?? wallMs(job), before?.wallMs],
    ["CPU of tasks", "duration", job.cost?.taskCpuMs, before?.taskCpuMs],
    ["CPU of sorts at servers", "duration", job.cost?.sortCpuMs, before?.sortCpuMs],
    ["Appended", "bytes", job.appendedBytes, before?.appendedBytes],
  ];
  return el(
    "table",
    {},
    el("caption.hidden-text", {}, "What the job cost, and the run before"),
    el("thead", {}, el("tr", {},
      el("th", { scope: "col" }, "Cost"),
      el("th.number", { scope: "col" }, isLive(job) ? "So far" : "This run"),
      el("th.number", { scope: "col" }, "The run before"),
      el("th.number", { scope: "col" }, "Difference"))),
    el("tbody", {}, rows.map(costRow)),
  );
}

function costPanel() {
  const shown = panel("Cost");
  return {
    node: shown.node,
    update(job, resource) {
      if (shown.show(resource, currency(job))) {
        refill(shown.body, [job.cost, job.previous, job.appendedBytes, job.state], () => [
          el("div.table-scroll", { tabindex: "0", role: "group", "aria-label": "Cost" }, costTable(job)),
          job.previous
            ? el("p.note", {}, "The run before: ",
              el("a", { href: `/jobs/${encodeURIComponent(job.previous.id)}` }, job.previous.id),
              ", ended ", time(job.previous.finishedMs), ".")
            : el("p.note", {}, "No run before with this name and user is in the history."),
          el("p.note", {}, "Sorts are measured chunk by chunk. What servers take to receive and to serve bytes is done ",
            "for many jobs at once and is not in here."),
        ]);
      }
    },
  };
}

/** The page of a job. */
export function jobPage(id) {
  const figures = keyFigures();
  const counters = counterPanel();
  const panels = [phasePanel(), progressPanel(), stragglerPanel(), keyPanel(), costPanel(), eventPanel(id), counters];
  return jobFrame(id, {
    tab: "overview",
    title: "",
    content: [figures.node, el("div.panels", {}, panels.map((one) => one.node))],
    query: (parameters) => counters.query(parameters),
    draw(job, resource) {
      figures.update(job);
      panels.forEach((one) => one.update(job, resource));
    },
  });
}
