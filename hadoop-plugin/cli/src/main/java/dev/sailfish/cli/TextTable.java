package dev.sailfish.cli;

import java.util.ArrayList;
import java.util.List;

/** A table for the terminal: the first column flush left, the others flush right. */
public final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();

  /** A table with these headings. */
  public TextTable(String... headings) {
    rows.add(List.of(headings));
  }

  /** Adds a row, which must have as many cells as there are headings. */
  public void add(String... cells) {
    if (cells.length != rows.get(0).size()) {
      throw new IllegalArgumentException(
          "cells=" + cells.length + " headings=" + rows.get(0).size());
    }
    rows.add(List.of(cells));
  }

  /** The lines, each with its line end. */
  public String render() {
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        int width = width(column);
        line.append(column == 0 ? "" : "  ")
            .append(("%" + (column == 0 ? "-" : "") + width + "s").formatted(row.get(column)));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(1);
  }
}
