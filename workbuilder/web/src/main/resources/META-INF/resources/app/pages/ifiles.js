// The I-files of a job: a bar for each, and where the bytes of a chosen one lie.

import { aroundBars, barSeries, bytesAxis, chart, countAxis, cutOff, upTo, write, writeCutOff } from "../chart.js";
import { el, refill } from "../dom.js";
import { bytes, compact, count, figure, known, plural } from "../format.js";
import { Resource } from "../live.js";
import { panel } from "../panel.js";
import { choice, folded } from "../parts.js";
import { query, setQuery } from "../router.js";
import { table } from "../table.js";
import { currency, jobFrame } from "./frame.js";
import { isLive } from "./jobs.js";

const STATES = [
  { id: "sorted", name: "Sorted", style: "two" },
  { id: "stable", name: "Waits for its sort", style: "one" },
  { id: "open", name: "Takes appends", style: "four" },
  { id: "lost", name: "Has lost chunks", style: "bad" },
];

/** The state of an I-file is that of its chunk that is furthest from being sorted; lost comes before all. */
export function ifileState(item) {
  return ["lost", "open", "stable", "sorted"].find((state) => item[state] > 0) ?? "empty";
}

function stateName(id) {
  return STATES.find((state) => state.id === id)?.name.toLowerCase() ?? id;
}

function mark(plot, index, colour) {
  if (index < 0) {
    return;
  }
  const { ctx, bbox } = plot;
  const x = plot.valToPos(index, "x", true);
  ctx.save();
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top + bbox.height);
  ctx.lineTo(x - 6, bbox.top + bbox.height + 9);
  ctx.lineTo(x + 6, bbox.top + bbox.height + 9);
  ctx.fill();
  ctx.restore();
}

function ifileChart(shown) {
  const drawn = chart({
    label: "Bytes of each I-file",
    height: 220,
    make: (palette, library) => ({
      scales: { x: { time: false, range: aroundBars }, y: { range: upTo(() => shown.limit) } },
      axes: [
        countAxis(palette, (at) => (Number.isInteger(at) ? String(shown.items[at]?.partition ?? "") : "")),
        bytesAxis(palette),
      ],
      series: [
        {},
        ...STATES.map(({ style }) => barSeries(library, palette[style])),
      ],
      hooks: {
        draw: [(plot) => {
          mark(plot, shown.items.findIndex((item) => item.partition === shown.chosen), palette.ink);
          writeCutOff(plot, shown.items.map((item) => item.bytes), shown.limit, palette.ink, palette.surface);
        }],
      },
    }),
    legend: STATES.map(({ id, name, style }) => ({
      name,
      style,
      value: (index) => {
        const item = shown.items[index];
        return item !== undefined && ifileState(item) === id ? bytes(item.bytes) : "";
      },
    })),
    headline: (index) => `I-file ${shown.items[index]?.partition ?? ""}`,
    pick: (index) => setQuery({ partition: shown.items[index]?.partition }, true),
  });
  return {
    node: drawn.node,
    update() {
      const x = shown.items.map((item, at) => at);
      shown.limit = cutOff(shown.items.map((item) => item.bytes));
      const series = STATES.map(({ id }) =>
        shown.items.map((item) => (ifileState(item) === id ? item.bytes : null)));
      const label = `Bytes of ${plural(shown.items.length, "I-file")}, by state; the table has them all`;
      drawn.update([x, ...series], label);
    },
  };
}

function columns() {
  return [
    { id: "partition", title: "I-file", long: "Partition", head: true, numeric: true, width: 90,
      value: (item) => item.partition, sign: (item) => item.partition,
      node: (item) => el("button.link", {
        type: "button",
        title: "Show where its bytes lie",
        on: { click: () => setQuery({ partition: item.partition }, true) },
      }, String(item.partition)) },
    { id: "state", title: "State", width: 150, value: (item) => ifileState(item),
      sign: (item) => ifileState(item),
      node: (item) => el("span.badge", { class: `ifile-${ifileState(item)}` }, stateName(ifileState(item))) },
    { id: "bytes", title: "Bytes", kind: "bytes", width: 100, value: (item) => item.bytes },
    { id: "storedBytes", title: "Stored", long: "Bytes on disk or in memory, after compression", kind: "bytes",
      width: 100, value: (item) => item.storedBytes },
    { id: "records", title: "Records", kind: "count", width: 100, value: (item) => item.records },
    { id: "chunks", title: "Chunks", kind: "exact", width: 80, value: (item) => item.chunks },
    { id: "sorted", title: "Sorted", kind: "exact", width: 80, value: (item) => item.sorted },
    { id: "stable", title: "Stable", long: "Full, not sorted yet", kind: "exact", width: 80,
      value: (item) => item.stable },
    { id: "open", title: "Open", long: "Takes appends", kind: "exact", width: 80, value: (item) => item.open },
    { id: "lost", title: "Lost", kind: "exact", width: 80, value: (item) => item.lost },
    { id: "racks", title: "Racks", width: 160, value: (item) => item.racks.join(", "),
      text: (item) => item.racks.join(", "), hint: (item) => item.racks.join(", ") },
  ];
}

function summary(items) {
  if (items.length === 0) {
    return "";
  }
  const sorted = [...items].sort((left, right) => left.bytes - right.bytes);
  const total = items.reduce((sum, item) => sum + item.bytes, 0);
  const median = sorted[Math.floor(sorted.length / 2)].bytes;
  const largest = sorted[sorted.length - 1];
  const times = median > 0 ? `, ${(largest.bytes / median).toFixed(1)} × the median` : "";
  return `${plural(items.length, "I-file")} with ${bytes(total)}; half have less than ${bytes(median)}. `
    + `The largest is ${largest.partition} with ${bytes(largest.bytes)}${times}.`;
}

function matches(item, parameters) {
  return (!parameters.state || ifileState(item) === parameters.state)
    && (!parameters.rack || item.racks.includes(parameters.rack));
}

function ifilePanel() {
  const shown = panel("I-files", { style: "wide" });
  const state = choice("State", "state", "all states", stateName);
  const rack = choice("Rack", "rack", "all racks");
  const view = { items: [], chosen: null, limit: null };
  const bars = ifileChart(view);
  const rows = table({
    caption: "I-files",
    virtual: true,
    columns: columns(),
    key: (item) => item.partition,
    rowClass: (item) => (item.partition === view.chosen ? "chosen" : item.lost > 0 ? "row-bad" : ""),
  });
  const none = el("p.note", { role: "status" }, "No I-file matches these filters.");
  shown.tools.append(state.node, rack.node);
  shown.body.append(bars.node, none, rows.node);
  return {
    node: shown.node,
    update(job, resource) {
      const parameters = query();
      const all = resource.data?.items ?? [];
      const empty = resource.data !== null && all.length === 0
        ? isLive(job) ? "No map has appended anything yet." : "Its I-files are gone: they go when a job has ended."
        : null;
      state.set(parameters.state, STATES.map((one) => one.id));
      rack.set(parameters.rack, [...new Set(all.flatMap((item) => item.racks))].sort());
      view.chosen = chosen(parameters);
      view.items = all.filter((item) => matches(item, parameters));
      if (shown.show(resource, { heardMs: resource.data?.heardMs, live: isLive(job), empty })) {
        shown.note(summary(view.items));
        none.hidden = view.items.length > 0;
        bars.update();
        rows.update(view.items);
      } else {
        shown.note("");
      }
    },
  };
}

function splitPlaces(data) {
  return (data.splits ?? []).map((split) => {
    const found = split.bar ?? data.bars.findIndex((one) => one.key >= split.key);
    return { ...split, at: found < 0 ? data.bars.length : found };
  });
}

function drawSplits(plot, splits, palette) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = palette.ink;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.lineWidth = devicePixelRatio;
  let free = -Infinity;
  for (const split of splits) {
    const x = plot.valToPos(split.at - 0.5, "x", true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const start = x + 5 * devicePixelRatio;
    if (start > free && known(split.work)) {
      free = write(plot, `work ${split.work}`, start, bbox.top + 12 * devicePixelRatio, palette.ink, palette.surface);
    }
  }
  ctx.restore();
}

function histogramChart(shown) {
  const heavy = (index) => shown.heavy.has(shown.bars[index]?.key);
  const drawn = chart({
    label: "Bytes by key",
    height: 240,
    make: (palette, library) => ({
      scales: { x: { time: false, range: aroundBars }, y: { range: upTo(() => shown.limit) } },
      axes: [
        countAxis(palette, (at) => (shown.bars[at]?.key ?? "").slice(0, 12), { space: 110 }),
        bytesAxis(palette),
      ],
      series: [
        {},
        barSeries(library, palette.two),
        barSeries(library, palette.watch),
      ],
      hooks: {
        draw: [(plot) => {
          drawSplits(plot, shown.splits, palette);
          writeCutOff(plot, shown.bars.map((one) => one.bytes), shown.limit, palette.ink, palette.surface);
        }],
      },
    }),
    legend: [
      { name: "Entries of the index", style: "two", value: (at) => (heavy(at) ? "" : bytes(shown.bars[at]?.bytes)) },
      { name: "Heavy key", style: "watch", value: (at) => (heavy(at) ? bytes(shown.bars[at]?.bytes) : "") },
    ],
    headline: (at) => `from ${shown.bars[at]?.key ?? ""}: ${compact(shown.bars[at]?.records)} records`,
  });
  return {
    node: drawn.node,
    update(label) {
      shown.limit = cutOff(shown.bars.map((one) => one.bytes));
      const pick = (wanted) => shown.bars.map((one, at) => (heavy(at) === wanted ? one.bytes : null));
      drawn.update([shown.bars.map((one, at) => at), pick(false), pick(true)], label);
    },
  };
}

function splitList(data, base) {
  const heavy = data.heavyKeys ?? [];
  return [
    data.splits.length === 0
      ? el("p", {}, "It is not split: one reduce task reads all of it.")
      : el("div", {}, el("h3", {}, "Split points"), el("ol.splits", {}, data.splits.map((split) =>
        el("li", {}, el("code.key-cell", {}, split.key), known(split.work)
          ? [" begins ", el("a", { href: `${base}/plan?work=${split.work}` }, `work ${split.work}`)]
          : null)))),
    heavy.length === 0
      ? null
      : el("div", {}, el("h3", {}, "Heavy keys"), el("ul.splits", {}, heavy.map((key) =>
        el("li", {}, el("code.key-cell", {}, key.key), " ", figure("bytes", key.bytes))))),
  ];
}

function histogramPanel(base) {
  const shown = panel("Where its bytes lie", { style: "wide" });
  const view = { bars: [], splits: [], heavy: new Set(), limit: null };
  const bars = histogramChart(view);
  const lists = el("div.side-by-side");
  const rows = table({
    caption: "Bytes by key",
    virtual: true,
    key: (one) => one.at,
    columns: [
      { id: "key", title: "From key", head: true, width: 260, text: (one) => one.key, hint: (one) => one.key },
      { id: "bytes", title: "Bytes", kind: "bytes", value: (one) => one.bytes },
      { id: "records", title: "Records", kind: "exact", value: (one) => one.records },
    ],
  });
  const figures = folded("The figures as a table", (body) => {
    if (!body.hasChildNodes()) {
      body.append(rows.node);
    }
    rows.update(view.bars.map((one, at) => ({ ...one, at })));
  });
  shown.body.append(bars.node, lists, figures.node);
  return {
    node: shown.node,
    update(resource, partition) {
      const { data } = resource;
      const none = "Choose an I-file, in the table or by a click on its bar, to see where its bytes lie and where they"
        + " are split.";
      const empty = partition === null ? none : data !== null && data.bars.length === 0
        ? `None of the chunks of I-file ${partition} has been sorted yet, so it has no index.`
        : null;
      if (shown.show(resource, { empty })) {
        view.bars = data.bars;
        view.splits = splitPlaces(data);
        view.heavy = new Set((data.heavyKeys ?? []).map((key) => key.key));
        shown.note(`I-file ${data.partition}: ${plural(data.bars.length, "bar")}, `
          + `${plural(data.splits.length, "split point")}.`
          + `${data.unsorted > 0 ? ` ${plural(data.unsorted, "chunk")} without an index are not in it.` : ""}`);
        bars.update(`Bytes by key of I-file ${data.partition}, with ${count(data.splits.length)} split points`);
        refill(lists, [data.splits, data.heavyKeys], () => splitList(data, base));
        figures.update();
      } else {
        shown.note("");
      }
    },
  };
}

function chosen({ partition }) {
  return /^\d+$/.test(partition ?? "") ? Number(partition) : null;
}

/** The page of a job's I-files. */
export function ifilesPage(id) {
  const base = `/jobs/${encodeURIComponent(id)}`;
  const list = ifilePanel();
  const histogram = histogramPanel(base);
  let job = null;
  const items = new Resource(`${base}/ifiles`, { changed: draw });
  const keys = new Resource(null, { changed: draw });

  function draw() {
    if (job !== null) {
      list.update(job, items);
      histogram.update(keys, chosen(query()));
    }
  }

  return jobFrame(id, {
    tab: "ifiles",
    title: "I-files",
    content: el("div.panels", {}, list.node, histogram.node),
    query(parameters) {
      const partition = chosen(parameters);
      keys.go(partition === null ? null : `${base}/ifiles/${partition}/histogram`);
      draw();
    },
    draw(data) {
      if (job !== null && currency(data).live && job.heardMs !== data.heardMs) {
        items.refresh(3_000);
        keys.refresh(10_000);
      } else if (job !== null && job.state !== data.state) {
        items.refresh();
      }
      job = data;
      draw();
    },
    close() {
      items.close();
      keys.close();
    },
  });
}
