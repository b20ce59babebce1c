// The servers, what they have and lack, and what an operator should do.

import { el, reconcile, refill } from "../dom.js";
import { age, bytes, count, figure, known, now, plural, utc } from "../format.js";
import { Resource } from "../live.js";
import { page, panel } from "../panel.js";
import { bar, choice, level, outside, searchField, tiles } from "../parts.js";
import { query } from "../router.js";
import { table } from "../table.js";

const KINDS = ["metaserver", "chunkserver", "lineage-master", "lineage-worker", "workflow", "web"];
const RANK = { bad: 0, watch: 1, ok: 2 };
const CONDITIONS = { poor: "not healthy", draining: "draining", leads: "that lead" };

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

/** Whole days that a server's certificate is still good, below 0 when it is no more; null where it has none. */
function daysLeft(server) {
  return known(server.certificateEndMs) ? Math.floor((server.certificateEndMs - now()) / DAY_MS) : null;
}

/** How a server is, in words and a level. */
export function condition(server) {
  if (!server.up) {
    return { level: "bad", words: "does not answer" };
  }
  if (!server.ready) {
    return { level: "watch", words: "not ready" };
  }
  if (server.draining) {
    const left = known(server.chunksLeft) ? `, ${count(server.chunksLeft)} left` : "";
    return { level: "watch", words: `draining${left}` };
  }
  if ((server.warnings ?? []).length + (server.failing ?? []).length > 0) {
    return { level: "watch", words: "warns" };
  }
  const days = daysLeft(server);
  if (days !== null && days < SOON_DAYS) {
    return { level: days < 0 ? "bad" : "watch", words: days < 0 ? "certificate ended" : "certificate ends" };
  }
  return { level: "ok", words: server.leads ? "leads" : "up" };
}

function tier({ name, usedBytes, capacityBytes }) {
  const full = known(usedBytes) && capacityBytes > 0 ? usedBytes / capacityBytes : 0;
  const style = full > 0.95 ? "bad" : full > 0.85 ? "watch" : "";
  return el("li", {}, el("span.tier-name", {}, name), bar(usedBytes, capacityBytes, style),
    el("span", {}, `${bytes(usedBytes)} of ${bytes(capacityBytes)}`));
}

/** Bars of the tiers of a server. */
export function tierList(tiers) {
  return (tiers ?? []).length === 0 ? "–" : el("ul.tiers", {}, tiers.map(tier));
}

function troubles(server) {
  const words = [...(server.failing ?? []), ...(server.warnings ?? [])];
  return words.length === 0 ? "" : el("ul.troubles", {}, words.map((sentence) => el("li", {}, sentence)));
}

function backlog({ backlogChunks, backlogBytes }) {
  if (!known(backlogChunks)) {
    return "–";
  }
  return backlogChunks === 0 ? "none" : `${plural(backlogChunks, "chunk")}, ${bytes(backlogBytes)}`;
}

function certificate(server) {
  const days = daysLeft(server);
  if (days === null) {
    return "–";
  }
  const words = days < 0 ? "ended" : plural(days, "day");
  return el("span.with-level", { title: utc(server.certificateEndMs) },
    days < SOON_DAYS ? level(days < 0 ? "bad" : "watch") : null, ` ${words}`);
}

const COLUMNS = [
  { id: "name", title: "Server", head: true, value: (server) => server.name || server.address,
    sign: (server) => [server.name, server.address, server.web],
    node: (server) => [
      outside(server.web, server.name || server.address) ?? el("span", {}, server.name || server.address),
      server.name && server.name !== server.address ? el("span.sub", {}, server.address) : null,
    ] },
  { id: "kind", title: "Kind", value: (server) => server.kind, text: (server) => server.kind },
  { id: "state", title: "State", value: (server) => RANK[condition(server).level],
    sign: (server) => condition(server),
    node: (server) => {
      const { level: grade, words } = condition(server);
      return el("span.with-level", {}, level(grade), ` ${words}`);
    } },
  { id: "tiers", title: "Tiers", sign: (server) => server.tiers, node: (server) => tierList(server.tiers) },
  { id: "backlog", title: "To sort", long: "Chunks that wait for their sort, and their bytes", numeric: true,
    from: "mid", value: (server) => server.backlogBytes,
    text: backlog },
  { id: "rack", title: "Rack", from: "mid", value: (server) => server.rack, text: (server) => server.rack ?? "–" },
  { id: "version", title: "Version", from: "wide", value: (server) => server.version,
    text: (server) => server.version ?? "–" },
  { id: "certificate", title: "Certificate", long: "How long the certificate of its ports is good", numeric: true,
    from: "wide", value: (server) => server.certificateEndMs, sign: (server) => daysLeft(server), node: certificate },
  { id: "heard", title: "Heard", from: "mid", value: (server) => server.heardMs, sign: (server) => server.heardMs,
    node: (server) => age(server.heardMs) },
  { id: "troubles", title: "What is wrong", style: "words", from: "mid",
    sign: (server) => [server.failing, server.warnings], node: (server) => troubles(server) },
];

function advicePanel() {
  const shown = panel("What to do", { style: "wide" });
  const list = el("ul.advice");
  shown.body.append(list);
  return {
    node: shown.node,
    update(resource, current) {
      const advice = [...(resource.data?.advice ?? [])]
        .map((one, at) => ({ ...one, key: `${one.level} ${one.server} ${one.text} ${at}` }))
        .sort((left, right) => RANK[left.level] - RANK[right.level]);
      const empty = resource.data !== null && advice.length === 0 ? "Nothing: all that is known is healthy." : null;
      shown.show(resource, { ...current, empty });
      // Also when there is nothing: what was advised before is not on the page then, hidden or not.
      reconcile(list, advice, (one) => one.key, (one) =>
        el("li", { class: `level-${one.level}` }, level(one.level),
          el("p", {}, one.server ? el("b", {}, `${one.server} `) : null, one.text)));
    },
  };
}

function sum(servers, of) {
  return servers.reduce((total, server) => total + (of(server) ?? 0), 0);
}

function keyFigures() {
  const shown = tiles([
    { id: "up", label: "Servers up", kind: "exact" },
    { id: "poor", label: "Not healthy", kind: "exact" },
    { id: "used", label: "Bytes kept", kind: "bytes" },
    { id: "backlogBytes", label: "To sort", kind: "bytes" },
    { id: "draining", label: "Draining", kind: "exact" },
    { id: "ifiles", label: "I-files", kind: "exact" },
  ]);
  return {
    node: shown.node,
    update({ servers, users, quota }) {
      const tiers = servers.filter((server) => server.kind === "chunkserver").flatMap((server) => server.tiers ?? []);
      shown.update({
        up: servers.filter((server) => server.up).length,
        poor: servers.filter((server) => condition(server).level !== "ok").length,
        used: sum(tiers, (one) => one.usedBytes),
        backlogBytes: sum(servers, (server) => server.backlogBytes),
        draining: servers.filter((server) => server.draining).length,
        ifiles: sum(users ?? [], (user) => user.ifiles),
      }, {
        up: `of ${count(servers.length)}`,
        used: `of ${bytes(sum(tiers, (one) => one.capacityBytes))} on chunkservers`,
        backlogBytes: plural(sum(servers, (server) => server.backlogChunks), "chunk"),
        ifiles: known(quota?.ifiles) && quota.ifiles > 0 ? `quota ${count(quota.ifiles)} a user` : "",
      });
    },
  };
}

function matches(server, parameters) {
  const words = (parameters.text ?? "").toLowerCase();
  const kept = {
    poor: condition(server).level !== "ok",
    draining: server.draining === true,
    leads: server.leads === true,
  };
  return (!parameters.kind || server.kind === parameters.kind)
    && (!parameters.condition || kept[parameters.condition] === true)
    && `${server.name} ${server.address} ${server.rack ?? ""} ${server.version ?? ""}`.toLowerCase().includes(words);
}

function versions(servers) {
  const found = [...new Set(servers.map((server) => server.version).filter(known))].sort();
  return found.length > 1 ? ` Versions differ: ${found.join(", ")}.` : "";
}

function serverPanel() {
  const shown = panel("Servers", { style: "wide" });
  const field = searchField("Find a server", "text");
  const kind = choice("Kind", "kind", "all kinds");
  const how = choice("Show", "condition", "all", (value) => CONDITIONS[value] ?? value);
  const rows = table({
    caption: "Servers",
    columns: COLUMNS,
    key: (server) => `${server.kind} ${server.address}`,
    rowClass: (server) => (condition(server).level === "bad" ? "row-bad" : ""),
  });
  const none = el("p.note", { role: "status" }, "No server matches these filters.");
  shown.tools.append(field.node, kind.node, how.node);
  shown.body.append(none, rows.node);
  return {
    node: shown.node,
    update(resource, current) {
      const parameters = query();
      const all = resource.data?.servers ?? [];
      field.set(parameters.text);
      kind.set(parameters.kind, KINDS);
      how.set(parameters.condition, Object.keys(CONDITIONS));
      const empty = resource.data !== null && all.length === 0
        ? "No server is known: no metaserver has been heard." : null;
      if (shown.show(resource, { ...current, empty })) {
        const found = all.filter((server) => matches(server, parameters));
        shown.note(`${count(found.length)} of ${plural(all.length, "server")}.${versions(all)}`);
        none.hidden = found.length > 0;
        rows.update(found);
      }
    },
  };
}

function userPanel() {
  const shown = panel("Users and quotas", { style: "wide" });
  let quota = {};
  const against = (value, limit, kind) => (known(limit) && limit > 0
    ? el("span.done", {}, bar(value, limit, value > 0.9 * limit ? "watch" : ""), figure(kind, value))
    : figure(kind, value));
  const rows = table({
    caption: "Users",
    key: (user) => user.user,
    sort: { id: "bytes", down: true },
    columns: [
      { id: "user", title: "User", head: true, value: (user) => user.user, text: (user) => user.user },
      { id: "jobs", title: "Jobs", kind: "exact", value: (user) => user.jobs },
      { id: "kept", title: "Of them kept", long: "Ended jobs whose I-files are kept", kind: "exact",
        value: (user) => user.kept },
      { id: "ifiles", title: "I-files", numeric: true, value: (user) => user.ifiles,
        sign: (user) => [user.ifiles, quota.ifiles], node: (user) => against(user.ifiles, quota.ifiles, "exact") },
      { id: "bytes", title: "Bytes", numeric: true, value: (user) => user.bytes,
        sign: (user) => [user.bytes, quota.bytes], node: (user) => against(user.bytes, quota.bytes, "bytes") },
    ],
  });
  shown.body.append(rows.node);
  return {
    node: shown.node,
    update(resource, current) {
      const users = resource.data?.users ?? [];
      const empty = resource.data === null || users.length > 0 ? null
        : known(current.heardMs) ? "No user has a job." : "No metaserver that leads has been heard yet.";
      quota = resource.data?.quota ?? {};
      if (shown.show(resource, { ...current, empty })) {
        const limits = [
          quota.ifiles > 0 ? plural(quota.ifiles, "I-file") : "",
          quota.bytes > 0 ? bytes(quota.bytes) : "",
        ].filter(Boolean);
        shown.note(limits.length > 0 ? `A user may have ${limits.join(" and ")}.` : "No quota is set.");
        rows.update(users);
      }
    },
  };
}

/** The page of the cluster. */
export function clusterPage() {
  const figures = keyFigures();
  const brake = el("div.verdict.level-bad", { role: "status", hidden: true });
  const advice = advicePanel();
  const servers = serverPanel();
  const users = userPanel();
  const resource = new Resource("/cluster", { topic: "cluster", changed: draw });
  figures.node.hidden = true;

  function draw() {
    const { data } = resource;
    const current = { heardMs: data?.heardMs ?? null, live: true };
    figures.node.hidden = data === null;
    brake.hidden = !data?.brake;
    refill(brake, data?.brake ?? "", () => [level("bad"), el("p", {}, data?.brake ?? "")]);
    if (data !== null) {
      figures.update(data);
    }
    advice.update(resource, current);
    servers.update(resource, current);
    users.update(resource, { heardMs: data?.ledMs ?? null, live: true });
  }

  return {
    title: "Cluster",
    node: page("Cluster", brake, figures.node, el("div.panels", {}, advice.node, servers.node, users.node)).node,
    query: draw,
    close: () => resource.close(),
  };
}
