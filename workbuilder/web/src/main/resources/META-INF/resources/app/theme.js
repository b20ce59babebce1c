// Runs before the page is drawn, so that a chosen theme never flashes. No module: modules come later.
(function () {
  "use strict";
  var chosen = null;
  try {
    chosen = localStorage.getItem("sailfish.theme");
  } catch (unavailable) {
    // A browser without storage: the theme is the system's.
  }
  if (chosen === "light" || chosen === "dark") {
    document.documentElement.dataset.theme = chosen;
  }
})();
