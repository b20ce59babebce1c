// Tables that keep their rows' nodes, sort, are walked by arrow keys, and draw only the rows that are seen
// where there may be thousands.

import { attribute, el, refill, text } from "./dom.js";
import { setFigure } from "./format.js";

const ROW_HEIGHT = 31;
const AROUND = 8;
const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity };

function compare(left, right) {
  const unknownLeft = left === null || left === undefined;
  const unknownRight = right === null || right === undefined;
  if (unknownLeft || unknownRight) {
    return unknownLeft && unknownRight ? 0 : unknownLeft ? -1 : 1;
  }
  return typeof left === "string" ? left.localeCompare(right, "en", { numeric: true }) : left - right;
}

function draw(cell, column, row) {
  if (column.kind) {
    setFigure(cell, column.kind, column.value(row));
  } else if (column.text) {
    text(cell, column.text(row));
    if (column.hint) {
      attribute(cell, "title", column.hint(row));
    }
  } else {
    refill(cell, column.sign ? column.sign(row) : row, () => column.node(row));
  }
}

function arrow() {
  return el("span.arrow", { "aria-hidden": "true" });
}

class Table {
  #columns;
  #options;
  #rows = [];
  #shown = new Map();
  #heads = new Map();
  #body = el("tbody");
  #top = null;
  #bottom = null;
  #scroller;
  #sort;
  #current = 0;

  constructor(options) {
    this.#options = options;
    this.#columns = options.columns;
    this.#sort = options.sort ?? null;
    const virtual = options.virtual === true;
    const table = el(
      "table",
      { class: virtual ? "fixed" : null },
      el("caption", { class: options.showCaption ? null : "hidden-text" }, options.caption),
      virtual ? this.#widths() : null,
      el("thead", {}, el("tr", {}, this.#columns.map((column) => this.#head(column)))),
      this.#body,
    );
    this.table = table;
    this.#scroller = el(
      "div.table-scroll",
      { class: virtual ? "virtual" : null, tabindex: "0", role: "group", "aria-label": options.caption },
      table,
    );
    this.node = this.#scroller;
    this.#scroller.addEventListener("keydown", (event) => this.#key(event));
    this.#scroller.addEventListener("focusin", ({ target }) => this.#entered(target.closest("tbody tr")));
    if (virtual) {
      this.#scrolls(table);
    }
    this.#drawSort();
  }

  #scrolls(table) {
    table.style.minWidth = `${this.#columns.reduce((sum, column) => sum + (column.width ?? 90), 0)}px`;
    this.#top = this.#spacer();
    this.#bottom = this.#spacer();
    this.#body.append(this.#top, this.#bottom);
    let asked = false;
    this.#scroller.addEventListener("scroll", () => {
      if (!asked) {
        asked = true;
        requestAnimationFrame(() => {
          asked = false;
          this.#render();
        });
      }
    });
    new ResizeObserver(() => this.#render()).observe(this.#scroller);
  }

  #widths() {
    return el(
      "colgroup",
      {},
      this.#columns.map((column) => {
        const node = el("col", { class: column.from ? `from-${column.from}` : null });
        node.style.width = `${column.width ?? 90}px`;
        return node;
      }),
    );
  }

  #spacer() {
    return el("tr.spacer", { "aria-hidden": "true" }, el("td", { colspan: this.#columns.length }));
  }

  #numeric(column) {
    return Boolean(column.kind || column.numeric);
  }

  #classes(column) {
    return [this.#numeric(column) ? "number" : "", column.from ? `from-${column.from}` : "", column.style]
      .filter(Boolean)
      .join(" ");
  }

  #head(column) {
    const cell = el("th", { scope: "col", class: this.#classes(column) || null });
    if (column.value && column.sorts !== false) {
      cell.append(
        el(
          "button.sort",
          { type: "button", title: column.long ?? null, on: { click: () => this.#sortBy(column) } },
          this.#numeric(column) ? arrow() : null,
          column.title,
          this.#numeric(column) ? null : arrow(),
        ),
      );
    } else {
      cell.append(column.long ? el("abbr", { title: column.long }, column.title) : column.title);
    }
    this.#heads.set(column.id, cell);
    return cell;
  }

  #sortBy(column) {
    const same = this.#sort?.id === column.id;
    const down = same ? !this.#sort.down : this.#numeric(column);
    this.sortBy({ id: column.id, down });
    this.#options.onSort?.(this.#sort);
  }

  #drawSort() {
    for (const [id, cell] of this.#heads) {
      const here = this.#sort?.id === id;
      attribute(cell, "aria-sort", here ? (this.#sort.down ? "descending" : "ascending") : null);
    }
  }

  /** Sorts by a column from now on: {id, down}, or null for the order of the data. */
  sortBy(sort) {
    if (JSON.stringify(sort) !== JSON.stringify(this.#sort)) {
      this.#sort = sort;
      this.#drawSort();
      this.update(this.#rows);
    }
  }

  /** Shows these rows. Keys of rows must differ. */
  update(rows) {
    const column = this.#columns.find((one) => one.id === this.#sort?.id);
    this.#rows = rows;
    if (column?.value && !this.#options.sortedElsewhere) {
      const direction = this.#sort.down ? -1 : 1;
      this.#rows = [...rows].sort((left, right) => direction * compare(column.value(left), column.value(right)));
    }
    this.#render();
  }

  #range() {
    if (this.#top === null) {
      return [0, this.#rows.length];
    }
    const height = this.#scroller.clientHeight || 600;
    const first = Math.floor(this.#scroller.scrollTop / ROW_HEIGHT) - AROUND;
    const last = Math.ceil((this.#scroller.scrollTop + height) / ROW_HEIGHT) + AROUND;
    const length = this.#rows.length;
    const most = Math.max(0, Math.min(first, length - 1));
    return [most, Math.min(length, Math.max(last, most))];
  }

  #render() {
    const [first, last] = this.#range();
    const wanted = this.#rows.slice(first, last);
    const keys = new Set(wanted.map(this.#options.key));
    const active = document.activeElement;
    for (const [key, entry] of this.#shown) {
      if (!keys.has(key)) {
        if (entry.contains(active)) {
          this.#scroller.focus({ preventScroll: true });
        }
        entry.remove();
        this.#shown.delete(key);
      }
    }
    let at = this.#top === null ? this.#body.firstChild : this.#top.nextSibling;
    wanted.forEach((row, offset) => {
      const node = this.#row(row, first + offset);
      if (node === at) {
        at = at.nextSibling;
      } else {
        this.#body.insertBefore(node, at);
      }
    });
    this.#space(first, this.#rows.length - last);
    this.#drawStops();
    if (active !== document.activeElement && this.#body.contains(active)) {
      active.focus({ preventScroll: true }); // it was moved, not left
    }
  }

  #entered(row) {
    if (row !== null) {
      this.#current = row.sailfishIndex;
      this.#drawStops();
    }
  }

  /** Where there may be thousands of rows the Tab key stops at one of them; arrow keys go to the others. */
  #drawStops() {
    if (this.#top === null) {
      return;
    }
    const indexes = [...this.#shown.values()].map((row) => row.sailfishIndex);
    const stop = Math.max(Math.min(...indexes), Math.min(this.#current, Math.max(...indexes)));
    for (const row of this.#shown.values()) {
      const control = row.querySelector("a, button");
      if (control !== null) {
        attribute(control, "tabindex", row.sailfishIndex === stop ? null : "-1");
      }
    }
  }

  #space(above, below) {
    if (this.#top !== null) {
      this.#top.firstChild.style.height = `${above * ROW_HEIGHT}px`;
      this.#bottom.firstChild.style.height = `${below * ROW_HEIGHT}px`;
      this.#top.hidden = above === 0;
      this.#bottom.hidden = below === 0;
      attribute(this.table, "aria-rowcount", this.#rows.length + 1);
    }
  }

  #row(row, index) {
    const key = this.#options.key(row);
    let node = this.#shown.get(key);
    if (node === undefined) {
      node = el("tr", { "data-key": key }, this.#columns.map((column) =>
        el(column.head ? "th" : "td", {
          scope: column.head ? "row" : null,
          class: this.#classes(column) || null,
          "data-column": column.id,
        })));
      this.#shown.set(key, node);
    }
    node.sailfishIndex = index;
    if (this.#top !== null) {
      attribute(node, "aria-rowindex", index + 2);
    }
    const style = this.#options.rowClass?.(row) ?? "";
    const sign = JSON.stringify(row) + style;
    if (node.sailfishRow !== sign) {
      node.sailfishRow = sign;
      attribute(node, "class", style || null);
      this.#columns.forEach((column, at) => draw(node.children[at], column, row));
    }
    return node;
  }

  #key(event) {
    const row = event.target.closest("tbody tr");
    const step = STEPS[event.key];
    if (row === null || step === undefined || event.target.closest("input, select, textarea") !== null) {
      return;
    }
    if (event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    this.focusRow(Math.max(0, Math.min(this.#rows.length - 1, row.sailfishIndex + step)));
  }

  #scrollTo(index) {
    const top = index * ROW_HEIGHT;
    const room = this.#scroller.clientHeight - 3 * ROW_HEIGHT;
    if (top < this.#scroller.scrollTop) {
      this.#scroller.scrollTop = top;
    } else if (top > this.#scroller.scrollTop + room) {
      this.#scroller.scrollTop = top - room;
    }
    this.#render();
  }

  /** Scrolls to the first row that is wanted, in a virtual table. */
  reveal(wanted) {
    const index = this.#rows.findIndex(wanted);
    if (index >= 0) {
      this.#scrollTo(index);
    }
  }

  /** Moves the keyboard's focus to the link or button of a row. */
  focusRow(index) {
    if (this.#top !== null) {
      this.#scrollTo(index);
    }
    const node = this.#shown.get(this.#options.key(this.#rows[index]));
    node?.querySelector("a, button")?.focus({ preventScroll: this.#top !== null });
  }
}

/**
 * Makes a table; `node` goes on the page.
 *
 * Columns: id, title, long (full name), head (names the row), from ("mid", "wide" or "huge": only where there is
 * so much room), width (pixels, of virtual tables), value (what is sorted by), and one of kind (a figure of
 * `value`), text (words, with hint as title) or node (drawn anew when `sign`, or else the row, has changed).
 *
 * @param options caption, columns, key, rowClass, sort, onSort, sortedElsewhere, virtual, showCaption
 */
export function table(options) {
  return new Table(options);
}
