package dev.sailfish.benchmarks.figures;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A table of numbers that can be drawn: a value of each series for each category.
 *
 * @param name of its files, without an ending
 * @param title over the plot
 * @param categories what is on the horizontal axis, from left to right
 * @param unit of the values, on the vertical axis
 * @param kind how it is drawn
 * @param labels the categories' own names
 * @param series the values
 */
public record Figure(
    String name,
    String title,
    String categories,
    String unit,
    Kind kind,
    List<String> labels,
    List<Series> series) {
  /** How values are drawn. */
  public enum Kind {
    /** A bar for each category, of which each series is a part. */
    STACKED,
    /** Bars of all series side by side for each category. */
    GROUPED,
    /** A line for each series. */
    LINES
  }

  /**
   * Values of one kind.
   *
   * @param name in the legend
   * @param values for the first categories, in their order; NaN, and none at the end: there is none
   */
  public record Series(String name, List<Double> values) {
    public Series {
      values = List.copyOf(values);
    }

    /** The value of a category; NaN when there is none. */
    double at(int category) {
      return category < values.size() ? values.get(category) : Double.NaN;
    }
  }

  public Figure {
    labels = List.copyOf(labels);
    series = List.copyOf(series);
  }

  /** A line of headings, and a line for each category; what there is not, is empty. */
  public String csv() {
    List<String> lines = new ArrayList<>();
    List<String> headings = new ArrayList<>(List.of(quoted(categories)));
    series.forEach(one -> headings.add(quoted(one.name() + " " + unit)));
    lines.add(String.join(",", headings));
    for (int i = 0; i < labels.size(); i++) {
      List<String> cells = new ArrayList<>(List.of(quoted(labels.get(i))));
      for (Series one : series) {
        cells.add(Double.isNaN(one.at(i)) ? "" : number(one.at(i)));
      }
      lines.add(String.join(",", cells));
    }
    return String.join("\n", lines) + "\n";
  }

  private static String quoted(String text) {
    return text.matches("[^\",\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  /** At most three decimals, the same in every locale. */
  public static String number(double value) {
    return String.format(Locale.ROOT, "%.3f", value).replaceFirst("\\.?0+$", "");
  }

  /** The same as a drawing: a whole SVG document. */
  public String svg() {
    return new SvgPlot(this).render();
  }
}
