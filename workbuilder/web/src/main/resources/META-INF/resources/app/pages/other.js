// The form that asks for the token, and the page of a path that leads nowhere.

import { attribute, el, text } from "../dom.js";
import { login } from "../live.js";
import { page } from "../panel.js";

const TOKEN = "These pages want the token that the operator of this cluster has set.";
const KERBEROS = [
  "The browser has sent no Kerberos ticket: get one (kinit), let the browser send it to ",
  el("code", {}, location.hostname),
  ", and load this page again. Administrators may log in with the token.",
];

/**
 * Asks for the token that the pages want; `done` is called when the server has taken it.
 *
 * @param kerberos whether a Kerberos ticket, which the browser sends by itself, does as well
 */
export function loginPage(kerberos, done) {
  const input = el("input", { id: "token", type: "password", autocomplete: "current-password", required: true });
  const button = el("button.main", { type: "submit" }, "Log in");
  const fault = el("p.fault", { role: "alert", id: "token-fault" });
  const form = el(
    "form.login",
    {},
    el("p", {}, kerberos ? KERBEROS : TOKEN),
    el("label", { for: "token" }, "Token"),
    input,
    fault,
    button,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    text(fault, "");
    try {
      await login(input.value);
      done();
    } catch (error) {
      text(fault, error.status === 401 ? "That is not the token." : error.message);
      attribute(input, "aria-describedby", "token-fault");
      attribute(input, "aria-invalid", error.status === 401 ? "true" : null);
      input.select();
      input.focus();
    } finally {
      button.disabled = false;
    }
  });
  return { title: "Log in", isLogin: true, node: page("Log in", form).node };
}

/** Says that nothing is at this path. */
export function missingPage(pathname) {
  return {
    title: "No such page",
    node: page(
      "No such page",
      el("div.missing", {},
        el("p", {}, "There is no page at ", el("code", {}, pathname), "."),
        el("p", {}, el("a", { href: "/jobs" }, "To the jobs"))),
    ).node,
  };
}
