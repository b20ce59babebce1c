// Starts the pages.

import { clusterPage } from "./pages/cluster.js";
import { filesPage } from "./pages/files.js";
import { ifilesPage } from "./pages/ifiles.js";
import { jobPage } from "./pages/job.js";
import { jobsPage } from "./pages/jobs.js";
import { loginPage, missingPage } from "./pages/other.js";
import { planPage } from "./pages/plan.js";
import { storePage } from "./pages/store.js";
import { watch } from "./live.js";
import { reload, start } from "./router.js";
import { shell } from "./shell.js";

const main = document.getElementById("main");
const around = shell(document.getElementById("top"), reload);
let shown = null;

function show(page) {
  shown = page;
  document.title = `${page.title} · Sailfish`;
  around.here(location.pathname);
  main.replaceChildren(page.node);
}

function unauthorized(error) {
  if (shown?.isLogin) {
    return;
  }
  shown?.close?.();
  show(
    loginPage(error.kerberos, () => {
      around.loggedIn();
      reload();
    }),
  );
  main.querySelector("input")?.focus();
}

watch({ unauthorized, connection: around.connection });
start(
  [
    [/^\/(?:jobs\/?)?$/, jobsPage],
    [/^\/jobs\/([^/]+)$/, jobPage],
    [/^\/jobs\/([^/]+)\/ifiles$/, ifilesPage],
    [/^\/jobs\/([^/]+)\/plan$/, planPage],
    [/^\/cluster$/, clusterPage],
    [/^\/store$/, storePage],
    [/^\/store\/files$/, filesPage],
  ],
  missingPage,
  show,
);
