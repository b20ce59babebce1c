// All jobs, live and ended.

import { el } from "../dom.js";
import { count, duration, known, now, plural, time } from "../format.js";
import { path, Resource } from "../live.js";
import { page, panel } from "../panel.js";
import { bar, choice, level, pager, searchField, state } from "../parts.js";
import { query, setQuery, withQuery } from "../router.js";
import { table } from "../table.js";

const STATES = ["SUBMITTED", "RUNNING", "SUCCEEDED", "FAILED", "KILLED"];
const MODES = ["auto", "fixed", "plug-in", "unknown"];
const LEVELS = ["ok", "watch", "bad"];
const FILTERS = ["text", "state", "user", "queue", "mode", "level"];

/** Whether a job may still change. */
export function isLive(job) {
  return !["SUCCEEDED", "FAILED", "KILLED"].includes(job.state);
}

/** How long a job has taken until now, in ms; null before it has begun. */
export function wallMs(job) {
  const begun = job.startedMs ?? job.submittedMs;
  if (!known(begun) || (!isLive(job) && !known(job.finishedMs))) {
    return null;
  }
  return Math.max(0, (job.finishedMs ?? now()) - begun);
}

function tasks(done, all) {
  return el("span.done", {}, bar(done, all), el("span", {}, `${count(done)} / ${count(all)}`));
}

const COLUMNS = [
  {
    id: "level",
    title: "",
    long: "Level",
    node: (job) => level(job.level),
    sign: (job) => job.level,
  },
  {
    id: "name",
    title: "Job",
    head: true,
    value: (job) => job.name,
    sign: (job) => [job.id, job.name],
    node: (job) => [
      el("a.job-name", { href: `/jobs/${encodeURIComponent(job.id)}` }, job.name || job.id),
      el("span.sub", {}, job.id),
    ],
  },
  { id: "state", title: "State", value: (job) => job.state, sign: (job) => job.state, node: (job) => state(job.state) },
  { id: "verdict", title: "Verdict", from: "wide", style: "words", text: (job) => job.verdict ?? "" },
  { id: "user", title: "User", from: "mid", value: (job) => job.user, text: (job) => job.user ?? "" },
  { id: "queue", title: "Queue", from: "wide", value: (job) => job.queue, text: (job) => job.queue ?? "" },
  { id: "mode", title: "Mode", from: "mid", text: (job) => job.mode ?? "" },
  {
    id: "maps",
    title: "Maps",
    numeric: true,
    from: "mid",
    sign: (job) => [job.mapsDone, job.maps],
    node: (job) => tasks(job.mapsDone, job.maps),
  },
  {
    id: "reduces",
    title: "Reduces",
    numeric: true,
    from: "mid",
    sign: (job) => [job.reducesDone, job.reduces],
    node: (job) => tasks(job.reducesDone, job.reduces),
  },
  { id: "appended", title: "Appended", kind: "bytes", value: (job) => job.appendedBytes },
  { id: "sorted", title: "Sorted", kind: "bytes", value: (job) => job.sortedBytes, sorts: false, from: "huge" },
  { id: "reduced", title: "Reduced", kind: "bytes", value: (job) => job.reducedBytes, sorts: false, from: "huge" },
  {
    id: "duration",
    title: "Took",
    numeric: true,
    value: (job) => wallMs(job),
    text: (job) => duration(wallMs(job)),
  },
  {
    id: "submitted",
    title: "Submitted",
    numeric: true,
    from: "mid",
    value: (job) => job.submittedMs,
    sign: (job) => job.submittedMs,
    node: (job) => time(job.submittedMs),
  },
];

function sortOf(parameters) {
  const wanted = parameters.sort ?? "-submitted";
  const down = wanted.startsWith("-");
  return { id: down ? wanted.slice(1) : wanted, down };
}

function apiPath(parameters) {
  const asked = Object.fromEntries([...FILTERS, "sort", "page"].map((name) => [name, parameters[name]]));
  return path("/jobs", asked);
}

function filterBar() {
  const text = searchField("Search", "text");
  const choices = {
    state: choice("State", "state", "all states", (value) => value.toLowerCase()),
    user: choice("User", "user", "all users"),
    queue: choice("Queue", "queue", "all queues"),
    mode: choice("Mode", "mode", "all modes"),
    level: choice("Level", "level", "all levels"),
  };
  const clear = el("button.plain", { type: "button", hidden: true }, "Clear");
  clear.addEventListener("click", () => setQuery(Object.fromEntries(FILTERS.map((name) => [name, ""])), true));
  const node = el(
    "form.filters",
    { role: "search", "aria-label": "Jobs", on: { submit: (event) => event.preventDefault() } },
    text.node,
    Object.values(choices).map((one) => one.node),
    clear,
  );
  return {
    node,
    update(parameters, data) {
      text.set(parameters.text);
      choices.state.set(parameters.state, STATES);
      choices.user.set(parameters.user, data?.users ?? []);
      choices.queue.set(parameters.queue, data?.queues ?? []);
      choices.mode.set(parameters.mode, MODES);
      choices.level.set(parameters.level, LEVELS);
      clear.hidden = !FILTERS.some((name) => parameters[name]);
    },
  };
}

function nothing(parameters, data) {
  if (!known(data.heardMs)) {
    return "Nobody who knows of jobs has answered yet: neither a metaserver nor the ResourceManager.";
  }
  return FILTERS.some((name) => parameters[name])
    ? "No job matches these filters."
    : "No job has run yet. Jobs show here as soon as they are submitted, for example with “bin/sailfish jar”.";
}

/** The page of all jobs. */
export function jobsPage() {
  const filters = filterBar();
  const jobs = table({
    caption: "Jobs",
    columns: COLUMNS,
    key: (job) => job.id,
    rowClass: (job) => (job.level === "bad" ? "row-bad" : ""),
    sort: sortOf(query()),
    sortedElsewhere: true,
    onSort: ({ id, down }) => {
      const written = `${down ? "-" : ""}${id}`;
      setQuery({ sort: written === "-submitted" ? "" : written, page: "" });
    },
  });
  const pages = pager((number) => withQuery({ page: number === 0 ? "" : number }));
  const list = panel("All jobs", { style: "wide" });
  list.body.append(jobs.node, pages.node);
  const resource = new Resource(apiPath(query()), {
    topic: "jobs",
    takes: (asked) => asked === "/jobs",
    changed: draw,
  });

  function draw() {
    const parameters = query();
    const { data } = resource;
    filters.update(parameters, data);
    const total = data?.total ?? 0;
    const empty = data !== null && data.items.length === 0 ? nothing(parameters, data) : null;
    if (list.show(resource, { empty, heardMs: data?.heardMs, live: true })) {
      const running = data.items.filter((job) => job.state === "RUNNING").length;
      list.note(`${plural(total, "job")}${running > 0 ? `; ${running} of those shown run now` : ""}.`);
      jobs.update(data.items);
      pages.update(data.page, data.size, total);
    } else {
      list.note("");
    }
  }

  const { node } = page("Jobs", filters.node, list.node);
  return {
    title: "Jobs",
    node,
    query(parameters) {
      jobs.sortBy(sortOf(parameters));
      resource.go(apiPath(parameters));
      draw();
    },
    close: () => resource.close(),
  };
}
