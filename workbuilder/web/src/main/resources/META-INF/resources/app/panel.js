// A part of a page that says how current it is: loading, empty, stale, failed, or simply there.

import { attribute, el, everySecond, fill, freshId, refill, text } from "./dom.js";
import { ago, known, now, utc } from "./format.js";

/** What is asked for every few seconds counts as stale when it is older. */
export const STALE_MS = 6_000;

function skeleton() {
  return el("div.skeleton", { "aria-hidden": "true" }, el("span"), el("span"), el("span"));
}

function failure(error, again) {
  const box = el("div.failure", {}, el("strong", {}, error.title), el("p", {}, error.message));
  if (again !== null) {
    box.append(el("button.plain", { type: "button", on: { click: again } }, "Try again"));
  }
  return box;
}

/**
 * Makes a panel: `node` goes on the page, `body` takes the content, `tools` what stands in its head.
 *
 * @param title heading
 * @param note a sentence below it, or null
 * @param level 2, or 3 inside another panel
 * @param style further classes
 */
export function panel(title, { note = null, level = 2, style = "" } = {}) {
  const id = freshId("panel");
  const heading = el(`h${level}`, { id }, title);
  const heard = el("span.heard");
  const tools = el("div.tools");
  const hint = el("p.note", { hidden: note === null }, note);
  const state = el("div.state", { role: "status", hidden: true });
  const body = el("div.body", { hidden: true });
  const node = el(
    "section.panel",
    { "aria-labelledby": id, class: style },
    el("header.panel-head", {}, heading, tools, heard),
    hint,
    state,
    body,
  );
  let clock = { heardMs: null, live: false };

  function drawHeard() {
    const never = !known(clock.heardMs);
    const stale = clock.live && (never || now() - clock.heardMs > STALE_MS);
    node.classList.toggle("stale", stale);
    attribute(heard, "title", stale && !never ? `heard ${utc(clock.heardMs)}` : null);
    text(heard, stale ? (never ? "not heard yet" : `last heard ${ago(clock.heardMs)}`) : "");
  }

  function say(kind, make, sign) {
    attribute(state, "hidden", kind === "there");
    attribute(node, "data-state", kind);
    state.className = `state ${kind}`;
    refill(state, [kind, sign], make);
  }

  everySecond(node, drawHeard);

  return {
    node,
    body,
    tools,
    /** Changes the sentence below the heading; an empty one hides it. */
    note(sentence) {
      attribute(hint, "hidden", !sentence);
      text(hint, sentence);
    },
    /**
     * Shows how the data is; the caller draws it into `body` when this returns true.
     *
     * @param resource what is asked for
     * @param empty a sentence when there is nothing to show, else null
     * @param heardMs when the source was last heard
     * @param live whether it is expected to be heard all the time
     */
    show(resource, { empty = null, heardMs = null, live = false } = {}) {
      clock = { heardMs, live: live && resource.data !== null };
      drawHeard();
      const { data, error, loading } = resource;
      const again = () => resource.refresh();
      if (data === null) {
        body.hidden = true;
        if (error !== null) {
          say("failed", () => failure(error, again), [error.title, error.message]);
        } else if (loading) {
          say("loading", () => [el("span.hidden-text", {}, "Loading"), skeleton()], 0);
        } else {
          say("empty", () => el("p", {}, empty ?? "Nothing to show."), empty);
        }
        return false;
      }
      if (error !== null) {
        say("old", () => failure(error, again), [error.title, error.message]);
      } else if (empty !== null) {
        say("empty", () => el("p", {}, empty), empty);
      } else {
        say("there", () => null, 0);
      }
      body.hidden = empty !== null;
      return empty === null;
    },
  };
}

/** A page's outermost node with its heading; pages add panels. */
export function page(title, ...children) {
  const heading = el("h1", {}, title);
  const node = el("div.page", {}, heading, ...children);
  return { node, heading };
}

/** Replaces what a page shows by a sentence, as for an id that nobody may see. */
export function instead(node, title, sentence, link) {
  fill(
    node,
    el("h1", {}, title),
    el("div.missing", {}, el("p", {}, sentence), link === null ? null : el("p", {}, link)),
  );
}
