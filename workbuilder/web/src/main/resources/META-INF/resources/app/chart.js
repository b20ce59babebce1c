// Charts by uPlot, with a legend that is text. Figures of a chart are in a table beside it, too.

import { el, text } from "./dom.js";
import { bytes, shortDuration } from "./format.js";

const LIBRARY = "/webjars/uplot/1.6.30/dist/uPlot.esm.js";
const COLOURS = ["ink", "muted", "line", "surface", "accent", "one", "two", "three", "four", "bad", "watch"];
const charts = new Set();
let loading = null;

function load() {
  loading ??= import(LIBRARY).then((module) => module.default);
  return loading;
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

function redrawAll() {
  for (const chart of charts) {
    if (chart.node.isConnected) {
      chart.rebuild();
    } else {
      chart.end();
    }
  }
}

document.addEventListener("sailfish:theme", redrawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);

const BINARY = Array.from({ length: 54 }, (_, power) => 2 ** power);
const DURATIONS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400, 172_800];

function axis(palette, values, more) {
  return {
    stroke: palette.muted,
    grid: { stroke: palette.line, width: 1 },
    ticks: { stroke: palette.line, width: 1, size: 4 },
    font: "11px system-ui, sans-serif",
    values: (plot, splits) => splits.map(values),
    ...more,
  };
}

/** An axis of bytes. */
export function bytesAxis(palette) {
  return axis(palette, (value) => bytes(value).replace(/\.0+ /, " "), { incrs: BINARY, size: 68 });
}

/** An axis of ms since a beginning. */
export function elapsedAxis(palette) {
  const incrs = [100, 200, 500, ...DURATIONS.map((seconds) => seconds * 1000)];
  return axis(palette, (value) => (value < 1000 && value > 0 ? `${value} ms` : shortDuration(value)), {
    incrs,
    size: 30,
    space: 70,
  });
}

/** An axis of whole numbers. */
export function countAxis(palette, name, more = {}) {
  const incrs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];
  return axis(palette, (value) => (name ? name(value) : String(value)), { incrs, size: 30, ...more });
}

/** From nothing to a little more than the greatest. */
export function fromZero(plot, least, most) {
  return [0, most === null || most <= 0 ? 1 : most * 1.05];
}

/**
 * Up to where an axis goes when few values are so large that the others could not be seen: those are
 * cut off, and `writeCutOff` says how large they are. Null where all can be seen.
 */
export function cutOff(values) {
  const sorted = values.filter((value) => value !== null).sort((left, right) => left - right);
  const usual = sorted[Math.floor(sorted.length * 0.9)] ?? 0;
  const most = sorted[sorted.length - 1] ?? 0;
  return usual > 0 && most > 12 * usual ? 4 * usual : null;
}

/** The range of an axis from nothing to where values are cut off, if they are. */
export function upTo(limitOf) {
  return (plot, least, most) => {
    const limit = limitOf();
    return limit === null ? fromZero(plot, least, most) : [0, limit];
  };
}

/** Writes beside a bar that is cut off how large it is. */
export function writeCutOff(plot, values, limit, colour, background) {
  if (limit === null) {
    return;
  }
  let free = -Infinity;
  values.forEach((value, at) => {
    const x = plot.valToPos(at + 0.5, "x", true) + 4 * devicePixelRatio;
    if (value > limit && x > free) {
      free = write(plot, `↑ ${bytes(value)}`, x, plot.bbox.top + 30 * devicePixelRatio, colour, background);
    }
  });
}

/** Writes on a chart, on a ground of its own. Returns where the words end. */
export function write(plot, words, x, y, colour, background) {
  const { ctx, bbox } = plot;
  const unit = devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * unit}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  const { width } = ctx.measureText(words);
  const left = Math.min(x, bbox.left + bbox.width - width - 4 * unit);
  ctx.fillStyle = background;
  ctx.fillRect(left - 3 * unit, y - 12 * unit, width + 6 * unit, 16 * unit);
  ctx.fillStyle = colour;
  ctx.fillText(words, left, y);
  ctx.restore();
  return left + width + 10 * unit;
}

/** Half a place more on both sides, for bars. */
export function aroundBars(plot, least, most) {
  return [(least ?? 0) - 0.5, (most ?? 0) + 0.5];
}

/** A series of bars. */
export function barSeries(library, fill) {
  return { fill, width: 0, paths: library.paths.bars({ size: [0.86, 60] }), points: { show: false } };
}

class Chart {
  #options;
  #box;
  #values = [];
  #headline;
  #plot = null;
  #maker = null;
  #data = null;

  constructor(options) {
    this.#options = options;
    this.#headline = el("span.legend-head");
    this.#box = el("div.plot", { role: "img", "aria-label": options.label });
    this.#box.style.height = `${options.height}px`;
    const entries = options.legend.map(({ name, style }) => {
      const value = el("b");
      this.#values.push(value);
      return el("li", {}, el("span.key", { class: style, "aria-hidden": "true" }), `${name} `, value);
    });
    const legend = el("figcaption.legend", {}, el("ul", {}, entries), this.#headline);
    this.node = el("figure.chart", {}, this.#box, legend);
    charts.add(this);
    new ResizeObserver(() => this.#size()).observe(this.#box);
    load().then(
      (maker) => {
        this.#maker = maker;
        this.#draw();
      },
      () => {
        loading = null;
        text(this.#box, "The chart cannot be drawn: its library was not loaded. The table below has the figures.");
      },
    );
  }

  /** Shows data as uPlot takes it: an array of x, then one for each series. */
  update(data, label = null) {
    this.#data = data;
    if (label !== null) {
      this.#box.setAttribute("aria-label", label);
    }
    this.#draw();
    this.#legend(this.#plot?.cursor.idx ?? null);
  }

  /** Draws it anew with the colours of the present theme. */
  rebuild() {
    this.#plot?.destroy();
    this.#plot = null;
    this.#draw();
  }

  /** Draws what lies on top of the series anew. */
  redraw() {
    this.#plot?.redraw(false);
  }

  end() {
    charts.delete(this);
    this.#plot?.destroy();
    this.#plot = null;
  }

  #size() {
    const width = Math.floor(this.#box.clientWidth);
    if (this.#plot === null) {
      this.#draw();
    } else if (width > 0 && width !== this.#plot.width) {
      this.#plot.setSize({ width, height: this.#options.height });
    }
  }

  #draw() {
    const width = Math.floor(this.#box.clientWidth);
    if (this.#maker === null || this.#data === null || width === 0) {
      return;
    }
    if (this.#plot !== null) {
      this.#plot.setData(this.#data);
      return;
    }
    const made = this.#options.make(colours(), this.#maker);
    this.#plot = new this.#maker(
      {
        width,
        height: this.#options.height,
        legend: { show: false },
        padding: [8, 12, 0, 0],
        ...made,
        cursor: { drag: { x: false, y: false }, y: false, ...made.cursor },
        hooks: { ...made.hooks, setCursor: [(plot) => this.#legend(plot.cursor.idx)] },
      },
      this.#data,
      this.#box,
    );
    const pick = this.#options.pick;
    if (pick) {
      this.#plot.over.addEventListener("click", () => {
        const at = this.#plot.cursor.idx;
        if (at !== null && at !== undefined) {
          pick(at);
        }
      });
    }
  }

  #legend(index) {
    const here = index === null || index === undefined ? this.#options.rest?.(this.#data) ?? null : index;
    text(this.#headline, here === null ? "" : this.#options.headline(here));
    this.#options.legend.forEach(({ value }, at) => {
      text(this.#values[at], here === null || this.#data === null ? "" : value(here, this.#data));
    });
  }
}

/**
 * Makes a chart; `node` goes on the page.
 *
 * @param options label: what is seen, for screen readers; height in pixels; make: uPlot's options, of the
 *     colours and uPlot itself; legend: name, style and value(index, data) of each key; headline(index): the
 *     place that the legend's values are of; rest(data): that place while no pointer is over the chart;
 *     pick(index): clicked
 */
export function chart(options) {
  return new Chart(options);
}
