// What the pages know: answers of the API, kept current by an event stream or by asking again.

import { setClock } from "./format.js";

const API = "/api/v1";
const PATIENCE_MS = 15_000;
const RETRY_MS = 3_000;
const MISSING_RETRY_MS = 10_000;
const MISSING_SOON = 10;
const KEPT = 24;

const kept = new Map();
const resources = new Set();
const watchers = { unauthorized: null, connection: null };

/** What an answer other than 200 says. */
export class ApiError extends Error {
  constructor(status, title, detail) {
    super(detail || title);
    this.status = status;
    this.title = title;
    this.kerberos = false; // whether a Kerberos ticket would have done
  }
}

/** Registers who is told that a token is needed, and who is told how the connection is. */
export function watch({ unauthorized, connection }) {
  watchers.unauthorized = unauthorized;
  watchers.connection = connection;
}

/** A path with a query, of parameters that are not empty. */
export function path(base, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters ?? {})) {
    if (value !== null && value !== undefined && value !== "") {
      query.set(name, value);
    }
  }
  const written = query.toString();
  return written === "" ? base : `${base}?${written}`;
}

async function problem(response) {
  let title = response.statusText || `Status ${response.status}`;
  let detail = "";
  try {
    const body = await response.json();
    title = body.title ?? title;
    detail = body.detail ?? "";
  } catch {
    detail = `The server answered with status ${response.status}.`;
  }
  const error = new ApiError(response.status, title, detail);
  error.kerberos = /\bNegotiate\b/.test(response.headers.get("WWW-Authenticate") ?? "");
  return error;
}

function unreachable(error) {
  return error.name === "TimeoutError"
    ? new ApiError(0, "No answer", `The web process has not answered for ${PATIENCE_MS / 1000} s.`)
    : new ApiError(0, "No connection", "The web process cannot be reached. This page tries again by itself.");
}

async function answer(url, options) {
  let response;
  try {
    response = await fetch(url, { ...options, signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (error) {
    throw unreachable(error);
  }
  setClock(response.headers.get("Date"));
  if (!response.ok) {
    throw await problem(response);
  }
  return response;
}

/** Asks the API once. Throws ApiError. */
export async function ask(apiPath) {
  const response = await answer(API + apiPath, { headers: { Accept: "application/json" } });
  try {
    return await response.json();
  } catch {
    throw new ApiError(0, "Damaged answer", "The answer of the web process is not complete. Asking again.");
  }
}

/** Gives the token to the server, which answers with a cookie. Throws ApiError. */
export async function login(token) {
  await answer("/login", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({ token }),
  });
}

/** Has the server forget the cookie. Throws ApiError. */
export async function logout() {
  kept.clear();
  await answer("/logout", { method: "POST", headers: { Accept: "application/json" } });
}

function keep(apiPath, data) {
  kept.delete(apiPath);
  kept.set(apiPath, data);
  if (kept.size > KEPT) {
    kept.delete(kept.keys().next().value);
  }
}

function tellConnection() {
  let worst = "still";
  for (const resource of resources) {
    const state = resource.connection;
    if (state === "lost" || (state === "live" && worst === "still")) {
      worst = state;
    }
  }
  watchers.connection?.(worst);
}

/**
 * One answer of the API that stays current while it is open. `data`, `error` and `loading` are its
 * state; after a failure the data of before stays. Closes its stream while the page is not seen.
 */
export class Resource {
  #path;
  #topic;
  #every;
  #takes;
  #changed;
  #source = null;
  #timer = null;
  #closed = false;
  #asking = false;
  #again = false;
  #askedAt = 0;
  #missing = 0; // answers one after the other that there is no such thing
  #drawn = false;
  #seen = () => this.#visible();

  data = null;
  error = null;
  loading = true;
  connection = "still";

  /**
   * @param apiPath below /api/v1; null asks for nothing until `go` is called
   * @param topic event stream that says what is new, or null
   * @param every asks again after so many ms, where there is no topic; 0: once
   * @param takes whether the stream's data is the answer to a path; otherwise it is asked for
   * @param changed called once per frame when something has changed
   */
  constructor(apiPath, { topic = null, every = 0, takes = () => true, changed }) {
    this.#path = apiPath;
    this.#topic = topic;
    this.#every = every;
    this.#takes = takes;
    this.#changed = changed;
    this.data = kept.get(apiPath) ?? null;
    resources.add(this);
    document.addEventListener("visibilitychange", this.#seen);
    if (apiPath !== null) {
      this.#ask();
    } else {
      this.loading = false;
    }
    this.#tell();
  }

  /** Asks for another path from now on; the data of before stays until that is there. */
  go(apiPath) {
    if (apiPath !== this.#path) {
      this.#path = apiPath;
      this.loading = apiPath !== null;
      this.error = null;
      this.data = kept.get(apiPath) ?? (apiPath === null ? null : this.data);
      this.#tell();
      this.#ask();
    }
  }

  /** Asks again, unless that was done less than so many ms ago: then when they are over. */
  refresh(leastMs = 0) {
    const wait = this.#askedAt + leastMs - Date.now();
    if (this.#closed || this.#path === null) {
      return;
    }
    if (wait <= 0) {
      this.#ask();
    } else if (this.#timer === null) {
      this.#later(wait);
    }
  }

  /** Ends it. */
  close() {
    this.#closed = true;
    resources.delete(this);
    document.removeEventListener("visibilitychange", this.#seen);
    this.#disconnect();
    tellConnection();
  }

  async #ask() {
    if (this.#closed || this.#path === null) {
      return;
    }
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = true;
    this.#askedAt = Date.now();
    const asked = this.#path;
    try {
      this.#take(asked, await ask(asked));
      this.#connect();
    } catch (error) {
      this.#failed(asked, error);
    } finally {
      this.#asking = false;
    }
    if (this.#again) {
      this.#again = false;
      this.#ask();
    }
  }

  #take(asked, data) {
    keep(asked, data);
    if (asked === this.#path && !this.#closed) {
      this.data = data;
      this.error = null;
      this.loading = false;
      this.#missing = 0;
      this.#tell();
    }
  }

  #failed(asked, error) {
    if (!(error instanceof ApiError)) {
      throw error; // a fault of these pages: the browser's console has it
    }
    if (this.#closed || asked !== this.#path) {
      return;
    }
    this.error = error;
    this.loading = false;
    if (error.status === 404) {
      this.data = null;
      kept.delete(asked);
    }
    this.#tell();
    if (error.status === 401) {
      kept.clear(); // the next who logs in may be another
      watchers.unauthorized?.(error);
      return;
    }
    const gone = error.status === 404 || error.status === 400;
    this.#state(gone ? "still" : "lost");
    if (!gone || this.#topic !== null || this.#every > 0) {
      // The page of a job that has just been submitted is opened before its job is known here.
      const seldom = gone && ++this.#missing > MISSING_SOON;
      this.#later(seldom ? MISSING_RETRY_MS : RETRY_MS);
    }
  }

  #later(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#ask();
    }, ms);
  }

  #connect() {
    if (this.#closed || document.hidden) {
      return;
    }
    if (this.#topic === null) {
      if (this.#every > 0) {
        this.#state("live");
        this.#later(this.#every);
      }
      return;
    }
    if (this.#source !== null) {
      return;
    }
    const source = new EventSource(path(`${API}/events`, { topic: this.#topic }));
    this.#source = source;
    source.addEventListener("open", () => this.#state("live"));
    source.addEventListener(this.#topic, (event) => this.#event(event.data));
    source.addEventListener("error", () => this.#broken(source));
  }

  #event(written) {
    if (this.#takes(this.#path)) {
      this.#take(this.#path, JSON.parse(written));
    } else {
      this.refresh(2_000);
    }
  }

  #broken(source) {
    this.#state("lost");
    if (source.readyState === EventSource.CLOSED && this.#source === source) {
      // The browser does not try again: the answer to a plain request says why.
      this.#source = null;
      this.#later(RETRY_MS);
    }
  }

  #disconnect() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#source?.close();
    this.#source = null;
    this.#state("still");
  }

  #visible() {
    if (document.hidden) {
      this.#disconnect();
    } else {
      this.#ask();
    }
  }

  #state(connection) {
    if (this.connection !== connection) {
      this.connection = connection;
      tellConnection();
      this.#tell();
    }
  }

  #tell() {
    if (!this.#drawn) {
      this.#drawn = true;
      queueMicrotask(() => {
        this.#drawn = false;
        if (!this.#closed) {
          this.#changed(this);
        }
      });
    }
  }
}
