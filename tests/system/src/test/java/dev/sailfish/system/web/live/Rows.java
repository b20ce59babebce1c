package dev.sailfish.system.web.live;

import dev.sailfish.system.web.Browser;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The rows of a table on a page, those too that have to be scrolled to. */
record Rows(Map<String, Map<String, String>> byKey) {
  private static final String WALK =
      """
      const scroller = document.querySelector(`[role=group][aria-label='${arguments[0]}']`);
      const rows = new Map();
      const take = () => {
        for (const row of scroller.querySelectorAll("tbody tr[data-key]")) {
          const cells = [...row.children].filter((cell) => cell.dataset.column !== undefined);
          rows.set(row.dataset.key, cells.map((cell) => {
            const figure = cell.dataset.value !== undefined ? cell : cell.querySelector("[data-value]");
            return [cell.dataset.column, figure?.dataset.value ?? cell.title ?? "", cell.textContent, cell.title];
          }));
        }
      };
      return new Promise((done) => {
        scroller.scrollTop = 0;
        const step = () => requestAnimationFrame(() => requestAnimationFrame(() => {
          take();
          const before = scroller.scrollTop;
          scroller.scrollTop = before + 200;
          if (scroller.scrollTop === before) {
            done([...rows]);
          } else {
            step();
          }
        }));
        step();
      });
      """;

  /**
   * Reads a table: of each row by its key what columns show. A figure counts with its exact value,
   * a cell without one with its words.
   *
   * @param caption of the table
   */
  static Rows of(Browser browser, String caption) {
    Map<String, Map<String, String>> all = new LinkedHashMap<>();
    for (Object row : (List<?>) browser.script(WALK, caption)) {
      List<?> pair = (List<?>) row;
      Map<String, String> cells = new LinkedHashMap<>();
      for (Object cell : (List<?>) pair.get(1)) {
        List<?> parts = (List<?>) cell;
        String exact = String.valueOf(parts.get(1));
        String words = String.valueOf(parts.get(2));
        cells.put(String.valueOf(parts.get(0)), exact.isEmpty() ? words : exact);
      }
      all.put(String.valueOf(pair.get(0)), cells);
    }
    return new Rows(all);
  }

  /** What a cell shows. */
  String at(String key, String column) {
    Map<String, String> row = byKey.get(key);
    return row == null ? "no row " + key : row.getOrDefault(column, "no column " + column);
  }
}
