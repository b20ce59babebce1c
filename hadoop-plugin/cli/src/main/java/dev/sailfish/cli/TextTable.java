package dev.sailfish.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table for the terminal: the first column flush left, the others flush right. */
public final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();

  /** A table with these headings, a bar between two. */
  public TextTable(String headings) {
    rows.add(List.of(headings.split("\\|")));
  }

  /** Adds a row, which must have as many cells as there are headings; fractions get one decimal. */
  public void add(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(String.format(Locale.ROOT, cell instanceof Double ? "%.1f" : "%s", cell));
    }
    if (row.size() != rows.get(0).size()) {
      throw new IllegalArgumentException("cells=" + row + " headings=" + rows.get(0));
    }
    rows.add(row);
  }

  /** The lines, each with its line end. */
  public String render() {
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        String format = column == 0 ? "%-" + width(column) + "s" : "  %" + width(column) + "s";
        line.append(format.formatted(row.get(column)));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(1);
  }
}
