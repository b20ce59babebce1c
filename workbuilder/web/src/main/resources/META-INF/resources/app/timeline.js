// The phases of a job on one axis of time, as a table: a row for each, with its bar.

import { el, everySecond, reconcile, text } from "./dom.js";
import { duration, list, now, shortDuration, time } from "./format.js";

const NAMES = { maps: "Maps", appends: "Appends", sorts: "Sorts", plan: "Plan", reduces: "Reduces" };
const STEPS_S = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 28_800, 86_400];

/** What a phase is called. */
export function phaseName(name) {
  return NAMES[name] ?? name;
}

function row(phase) {
  const bar = el("span.phase-bar", { class: `phase-${phase.name}` });
  const begun = el("td.from-mid");
  const took = el("td.number");
  const node = el(
    "tr",
    { "data-phase": phase.name },
    el(
      "th",
      { scope: "row" },
      el("span.key", { class: `phase-${phase.name}`, "aria-hidden": "true" }),
      phaseName(phase.name),
    ),
    el("td.track-cell", { "aria-hidden": "true" }, el("span.track", {}, bar)),
    begun,
    took,
  );
  node.sailfishParts = { bar, begun, took };
  return node;
}

function overlap(one, other, end) {
  return Math.min(one.toMs ?? end, other.toMs ?? end) - Math.max(one.fromMs, other.fromMs);
}

/** What ran beside what, in sentences; empty where nothing did. */
export function overlaps(phases, end) {
  const known = phases.filter((phase) => phase.fromMs !== null);
  const sentences = [];
  known.forEach((phase, at) => {
    const took = (phase.toMs ?? end) - phase.fromMs;
    const beside = known
      .slice(0, at)
      .map((earlier) => ({ name: phaseName(earlier.name).toLowerCase(), ms: overlap(earlier, phase, end) }))
      .filter(({ ms }) => ms > 0 && took > 0 && ms / took >= 0.01);
    if (beside.length > 0) {
      const parts = beside.map(({ name, ms }) => `${duration(ms)} (${Math.round((100 * ms) / took)} %) beside ${name}`);
      sentences.push(`${phaseName(phase.name)} ran ${list(parts)}.`);
    }
  });
  return sentences;
}

function drawAxis(node, from, span) {
  const most = Math.max(2, Math.min(6, Math.floor((node.clientWidth || 600) / 70)));
  const seconds = STEPS_S.find((step) => span / 1000 / step <= most) ?? STEPS_S[STEPS_S.length - 1];
  const ticks = [];
  for (let at = 0; at <= 0.94 * span && ticks.length < 12; at += seconds * 1000) {
    ticks.push(at);
  }
  reconcile(
    node,
    ticks,
    (at) => at,
    (at) => el("span.tick", {}, shortDuration(at)),
    (tick, at) => {
      tick.style.left = `${(100 * at) / span}%`;
    },
  );
}

/** Makes the time line; update takes phases as the API has them, and when the job ended, or null. */
export function timeline() {
  const body = el("tbody");
  const axis = el("span.axis");
  const words = el("p.note");
  const table = el(
    "table.timeline",
    {},
    el("caption.hidden-text", {}, "Phases of the job"),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col" }, "Phase"),
        el("th.track-cell", { scope: "col" }, el("span.hidden-text", {}, "When"), axis),
        el("th.from-mid", { scope: "col" }, "Began"),
        el("th.number", { scope: "col" }, "Took"),
      ),
    ),
    body,
  );
  axis.setAttribute("aria-hidden", "true");
  let shown = { phases: [], endedMs: null };

  function draw() {
    const phases = shown.phases.filter((phase) => phase.fromMs !== null && phase.fromMs !== undefined);
    if (phases.length === 0) {
      return;
    }
    const present = shown.endedMs ?? now();
    const from = Math.min(...phases.map((phase) => phase.fromMs));
    const end = Math.max(present, ...phases.map((phase) => phase.toMs ?? phase.fromMs));
    const span = Math.max(1, end - from);
    drawAxis(axis, from, span);
    reconcile(body, phases, (phase) => phase.name, row, (node, phase) => {
      const { bar, begun, took } = node.sailfishParts;
      const until = phase.toMs ?? end;
      bar.style.left = `${(100 * (phase.fromMs - from)) / span}%`;
      bar.style.width = `${Math.max(0.4, (100 * (until - phase.fromMs)) / span)}%`;
      bar.classList.toggle("running", phase.toMs === null && shown.endedMs === null);
      if (begun.dataset.value !== String(phase.fromMs)) {
        begun.dataset.value = String(phase.fromMs);
        begun.replaceChildren(time(phase.fromMs));
      }
      text(took, duration(until - phase.fromMs) + (phase.toMs === null && shown.endedMs === null ? " so far" : ""));
      took.dataset.value = String(until - phase.fromMs);
    });
    text(words, overlaps(phases, end).join(" "));
  }

  const node = el("div", {}, el("div.table-plain", {}, table), words);
  everySecond(node, () => {
    if (shown.endedMs === null) {
      draw();
    }
  });
  return {
    node,
    update(phases, endedMs) {
      shown = { phases, endedMs };
      draw();
    },
  };
}
