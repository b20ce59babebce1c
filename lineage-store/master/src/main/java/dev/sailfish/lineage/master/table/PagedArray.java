package dev.sailfish.lineage.master.table;

import dev.sailfish.ground.journal.Freeze;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Rows in pages that a snapshot keeps as they were.
 *
 * @param <P> holds {@link #ROWS} rows
 */
final class PagedArray<P> {
  /** How many rows a page has. */
  static final int ROWS = 512;

  /** Never changed by the table once a snapshot that began after {@code since} has it. */
  private record Page<P>(P content, int since) {}

  private final Freeze freeze;
  private final Supplier<P> empty;
  private final UnaryOperator<P> copy;
  private Page<P>[] pages;

  /**
   * An array without a page.
   *
   * @param freeze tells whether a snapshot is being written
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  PagedArray(Freeze freeze, Supplier<P> empty, UnaryOperator<P> copy) {
    this.freeze = freeze;
    this.empty = empty;
    this.copy = copy;
    this.pages = new Page[1];
  }

  /** Where a row is in its page. */
  static int index(int row) {
    return row % ROWS;
  }

  /** Makes a page for a row; all rows before it have one. */
  void makeRoom(int row) {
    int page = row / ROWS;
    if (page == pages.length) {
      pages = Arrays.copyOf(pages, page + Math.max(1, page / 4));
    }
    if (pages[page] == null) {
      pages[page] = new Page<>(empty.get(), freeze.number());
    }
  }

  /** The page of a row; not to be changed. */
  P page(int row) {
    return pages[row / ROWS].content;
  }

  /** The same, for a change at once. */
  P mutable(int row) {
    Page<P> page = pages[row / ROWS];
    if (freeze.concerns(page.since)) {
      page = new Page<>(copy.apply(page.content), freeze.number());
      pages[row / ROWS] = page;
    }
    return page.content;
  }

  /** Gives the page of a row as it is now, until the freeze ends. */
  IntFunction<P> image() {
    Page<P>[] now = pages.clone();
    return row -> now[row / ROWS].content;
  }
}
