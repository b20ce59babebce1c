// Units and times as people read them. The exact value, and UTC, are in the title.

import { el, everySecond, text } from "./dom.js";

export const UNKNOWN = "–";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const COUNTS = ["", " k", " M", " G", " T"];
const whole = new Intl.NumberFormat("en");
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const minute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const year = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

let clockOffsetMs = 0;

/** Whether a figure is known. */
export function known(value) {
  return value !== null && value !== undefined && !Number.isNaN(value);
}

/** Takes over the server's clock: the header Date of an answer, which has whole seconds. */
export function setClock(date) {
  const served = Date.parse(date);
  if (!Number.isNaN(served)) {
    const offset = served + 500 - Date.now();
    clockOffsetMs = Math.abs(offset - clockOffsetMs) > 1500 ? offset : clockOffsetMs;
  }
}

/** The server's time, in ms since 1970. */
export function now() {
  return Date.now() + clockOffsetMs;
}

function scaled(value, base, units) {
  let scale = 0;
  let rest = value;
  while (Math.abs(rest) >= 999.5 && scale < units.length - 1) {
    rest /= base;
    scale += 1;
  }
  if (scale === 0) {
    return `${Math.round(rest)}${base === 1024 ? " " : ""}${units[0]}`;
  }
  const size = Math.abs(rest);
  const digits = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return `${rest.toFixed(digits)}${base === 1024 ? " " : ""}${units[scale]}`;
}

/** Three digits and a unit: 1.25 GiB. */
export function bytes(value) {
  return known(value) ? scaled(value, 1024, UNITS) : UNKNOWN;
}

/** All digits, in groups: 12,345. */
export function count(value) {
  return known(value) ? whole.format(value) : UNKNOWN;
}

/** Three digits from 100,000 on: 1.25 M. */
export function compact(value) {
  if (!known(value)) {
    return UNKNOWN;
  }
  return Math.abs(value) < 100_000 ? whole.format(value) : scaled(value, 1000, COUNTS);
}

/** 340 ms, 12.4 s, 3 min 12 s, 1 h 03 min, 2 d 4 h. */
export function duration(ms) {
  if (!known(ms)) {
    return UNKNOWN;
  }
  if (ms < 0) {
    return `−${duration(-ms)}`;
  }
  if (ms < 999.5) {
    return `${Math.round(ms)} ms`;
  }
  if (ms < 59_950) {
    return `${(ms / 1000).toFixed(1)} s`;
  }
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) {
    return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
  }
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) {
    return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
  }
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Whole units for axes: 90 s, 12 min, 3 h. */
export function shortDuration(ms) {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) {
    return `${seconds} s`;
  }
  if (seconds < 7200) {
    return seconds % 60 === 0 ? `${seconds / 60} min` : `${(seconds / 60).toFixed(1)} min`;
  }
  return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${(seconds / 3600).toFixed(1)} h`;
}

/** 12 s ago. */
export function ago(ms) {
  const passed = Math.max(0, now() - ms);
  if (passed < 1500) {
    return "1 s ago";
  }
  const seconds = Math.round(passed / 1000);
  if (seconds < 60) {
    return `${seconds} s ago`;
  }
  if (seconds < 3600) {
    return `${Math.floor(seconds / 60)} min ago`;
  }
  if (seconds < 86_400) {
    return `${Math.floor(seconds / 3600)} h ago`;
  }
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** 23 %; below 10 % with one digit more. */
export function percent(part, all) {
  if (!known(part) || !known(all) || all === 0) {
    return UNKNOWN;
  }
  const value = (100 * part) / all;
  return `${value > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} %`;
}

/** A difference in percent with its sign; ±0 % where there is none. */
export function change(value, before) {
  if (!known(value) || !known(before) || before === 0) {
    return UNKNOWN;
  }
  const difference = (100 * (value - before)) / before;
  if (Math.abs(difference) < 0.05) {
    return "±0 %";
  }
  const size = Math.abs(difference);
  return `${difference < 0 ? "−" : "+"}${size < 9.95 ? size.toFixed(1) : Math.round(size)} %`;
}

/** 2026-11-26 14:03:12 UTC. */
export function utc(ms) {
  const iso = new Date(ms).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/** Local time, as short as it can be without being taken for another day. */
export function localTime(ms) {
  const then = new Date(ms);
  const present = new Date(now());
  if (then.toDateString() === present.toDateString()) {
    return clock.format(then);
  }
  if (then.getFullYear() === present.getFullYear()) {
    return `${day.format(then)} ${minute.format(then)}`;
  }
  return year.format(then);
}

/** A time with UTC in its title; a dash where it is unknown. */
export function time(ms) {
  if (!known(ms)) {
    return el("span", {}, UNKNOWN);
  }
  return el("time", { datetime: new Date(ms).toISOString(), title: utc(ms) }, localTime(ms));
}

/** "12 s ago", which goes on by itself, with UTC in its title. */
export function age(ms) {
  if (!known(ms)) {
    return el("span", {}, UNKNOWN);
  }
  const node = el("time", { datetime: new Date(ms).toISOString(), title: utc(ms) });
  everySecond(node, () => text(node, ago(ms)));
  return node;
}

const FORMATS = {
  bytes: [bytes, (value) => `${whole.format(value)} bytes`],
  count: [compact, (value) => whole.format(value)],
  exact: [count, () => null],
  duration: [duration, (value) => `${whole.format(value)} ms`],
};

/** What a figure reads like, by kind: bytes, count, exact or duration. */
export function written(kind, value) {
  return FORMATS[kind][0](value);
}

/** A figure with its exact value in the title. `name` says which one it is, for tests and scripts. */
export function figure(kind, value, name) {
  const node = el("span.figure", { "data-figure": name });
  setFigure(node, kind, value);
  return node;
}

/** Changes the figure that a node shows. */
export function setFigure(node, kind, value) {
  const [write, exact] = FORMATS[kind];
  text(node, write(value));
  if (known(value)) {
    const title = exact(value);
    if (title !== null) {
      node.title = title;
    }
    node.dataset.value = String(value);
  } else {
    node.removeAttribute("title");
    delete node.dataset.value;
  }
}

/** Several words as people list them: a, b and c. */
export function list(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

/** "1 map", "2 maps". */
export function plural(value, one, several) {
  return `${count(value)} ${value === 1 ? one : several ?? `${one}s`}`;
}
