// What the three pages of a job share: its name and state, the verdict, silent sources, the way between them.

import { attribute, el, refill, text } from "../dom.js";
import { age, time } from "../format.js";
import { Resource } from "../live.js";
import { instead, page } from "../panel.js";
import { level, outside, state, tabs } from "../parts.js";
import { isLive } from "./jobs.js";

function facts(job) {
  return [
    state(job.state),
    el("code", {}, job.id),
    el("span", {}, "user ", el("b", {}, job.user ?? "not known")),
    el("span", {}, "queue ", el("b", {}, job.queue ?? "not known")),
    el("span", {}, "mode ", el("b", {}, job.mode ?? "unknown")),
    el("span", {}, "submitted ", time(job.submittedMs)),
    outside(job.links?.yarn, "YARN"),
    outside(job.links?.history, "History server"),
  ];
}

function silent(sources) {
  return el(
    "ul",
    {},
    sources.map((source) =>
      el("li", {}, el("b", {}, source.name), `: ${source.error} `,
        source.heardMs === null ? "Never heard." : ["Last heard ", age(source.heardMs), "."])),
  );
}

/**
 * Makes a page of a job.
 *
 * @param id the job's
 * @param tab which of the pages: overview, ifiles or plan
 * @param title what the page is called behind the job's name
 * @param content nodes below the frame
 * @param draw called with the job when it has changed
 * @param close called when the page is left
 */
export function jobFrame(id, { tab, title, content, draw, query, close }) {
  const base = `/jobs/${encodeURIComponent(id)}`;
  const line = el("div.facts");
  const verdict = el("div.verdict", { role: "status", hidden: true });
  const sources = el("div.silent", { role: "status", hidden: true });
  const stateLine = el("p.note", { role: "status" });
  const { node, heading } = page(
    id,
    line,
    verdict,
    sources,
    stateLine,
    tabs("Pages of the job", [
      ["overview", "Overview", base],
      ["ifiles", "I-files", `${base}/ifiles`],
      ["plan", "Plan", `${base}/plan`],
    ], tab),
    content,
  );
  heading.before(el("nav.crumbs", { "aria-label": "Way back" }, el("a", { href: "/jobs" }, "Jobs"), " ›"));
  const resource = new Resource(base, { topic: `job:${id}`, changed: update });
  let gone = false;

  function noSuchJob() {
    gone = true;
    document.title = "No such job · Sailfish";
    instead(
      node,
      "No such job",
      `There is no job ${id}, its history has been dropped, or it is not yours to see.`,
      el("a", { href: "/jobs" }, "To the jobs"),
    );
  }

  function update() {
    const { data: job, error, loading } = resource;
    if (error?.status === 404 || error?.status === 400) {
      noSuchJob();
      return;
    }
    if (gone) {
      location.reload(); // it has come up meanwhile
      return;
    }
    text(stateLine, error !== null ? `${error.title}: ${error.message}` : loading && job === null ? "Loading …" : "");
    attribute(stateLine, "hidden", stateLine.textContent === "");
    if (job === null) {
      return;
    }
    document.title = `${job.name || id}${title === "" ? "" : `: ${title}`} · Sailfish`;
    text(heading, job.name || id);
    refill(line, [job.state, job.mode, job.user, job.queue, job.submittedMs, job.links], () => facts(job));
    attribute(verdict, "hidden", !job.verdict);
    verdict.className = `verdict level-${job.level ?? "unknown"}`;
    refill(verdict, [job.level, job.verdict], () => [level(job.level), el("p", {}, job.verdict)]);
    const faults = (job.sources ?? []).filter((source) => source.error);
    attribute(sources, "hidden", faults.length === 0);
    refill(sources, faults.map(({ name, error: fault, heardMs }) => [name, fault, heardMs === null]), () =>
      silent(faults));
    draw(job, resource);
  }

  return {
    title: title === "" ? id : `${id}: ${title}`,
    node,
    query,
    close() {
      resource.close();
      close?.();
    },
  };
}

/** What a panel of a job tells of how current it is. */
export function currency(job) {
  return { heardMs: job?.heardMs ?? null, live: job !== null && job !== undefined && isLive(job) };
}
