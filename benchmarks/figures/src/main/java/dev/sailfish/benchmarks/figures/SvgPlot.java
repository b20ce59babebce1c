package dev.sailfish.benchmarks.figures;

import dev.sailfish.benchmarks.figures.Figure.Kind;
import dev.sailfish.benchmarks.figures.Figure.Series;
import java.util.List;
import java.util.Locale;

/**
 * Draws a figure as SVG: axes, a legend, bars or lines. Each value is shown where one points; where
 * lines have too many points for that, the names of the series are.
 */
final class SvgPlot {
  private static final int WIDTH = 960;
  private static final int HEIGHT = 480;
  private static final int LEFT = 80;
  private static final int RIGHT = 20;
  private static final int TOP = 60;
  private static final int BOTTOM = 130;
  private static final int BOTTOM_OF_SHORT_LABELS = 60;
  private static final int SHORT_LABEL = 4;
  private static final int ABOUT_TICKS = 5;
  private static final int MOST_POINTS = 200;
  private static final int LEGEND_ROW = 18;
  private static final int LEGEND_TEXT = 18;
  private static final int LEAST_LEGEND_COLUMN = 160;
  private static final int CHARACTER = 7;
  private static final int SLANTED_LABEL = 20;
  private static final double BAR_SHARE = 0.8;
  private static final String[] COLOURS = {
    "#4878a8", "#e08b3c", "#6aa56a", "#b05a78", "#7b68b0", "#8c6d4f", "#3fa7a3", "#777777"
  };

  private final Figure figure;
  private final int labels;
  private final double step;
  private final int ticks;
  private final boolean longLabels;
  private final int bottom;
  private final int legendColumns;
  private final int top;
  private final StringBuilder svg = new StringBuilder();

  SvgPlot(Figure figure) {
    this.figure = figure;
    labels = figure.labels().size();
    step = niceStep(greatest() / ABOUT_TICKS);
    longLabels = figure.labels().stream().anyMatch(label -> label.length() > SHORT_LABEL);
    bottom = HEIGHT - (longLabels ? BOTTOM : BOTTOM_OF_SHORT_LABELS);
    legendColumns = (WIDTH - LEFT - RIGHT) / legendColumn();
    top = TOP + LEGEND_ROW * ((figure.series().size() - 1) / legendColumns);
    ticks = (int) Math.ceil(greatest() / step);
  }

  /** The whole document. */
  String render() {
    svg.setLength(0);
    add("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d'", WIDTH, HEIGHT);
    add(" font-family='sans-serif' font-size='12'>\n");
    add("<rect width='%d' height='%d' fill='white'/>\n", WIDTH, HEIGHT);
    text(WIDTH / 2.0, 22, "middle", "font-size='16'", figure.title());
    legend();
    axes();
    for (int i = 0; i < figure.series().size(); i++) {
      if (figure.kind() == Kind.LINES) {
        line(i);
      } else {
        bars(i);
      }
    }
    return add("</svg>\n").toString();
  }

  /** The greatest value that is drawn; of stacked ones, the greatest sum; above 0. */
  private double greatest() {
    double greatest = 0;
    for (int i = 0; i < labels; i++) {
      double sum = 0;
      for (Series one : figure.series()) {
        double value = Double.isNaN(one.at(i)) ? 0 : one.at(i);
        sum = figure.kind() == Kind.STACKED ? sum + value : Math.max(sum, value);
      }
      greatest = Math.max(greatest, sum);
    }
    return greatest > 0 ? greatest : 1;
  }

  /** The least of 1, 2 and 5 times a power of ten that is not below. */
  private static double niceStep(double least) {
    double power = Math.pow(10, Math.floor(Math.log10(least)));
    for (int times : new int[] {1, 2, 5}) {
      if (times * power >= least) {
        return times * power;
      }
    }
    return 10 * power;
  }

  private double x(double category) {
    return LEFT + category * (WIDTH - LEFT - RIGHT) / Math.max(1, labels);
  }

  private double y(double value) {
    return bottom - value / (step * ticks) * (bottom - top);
  }

  private void legend() {
    List<Series> series = figure.series();
    for (int i = 0; i < series.size(); i++) {
      int x = LEFT + legendColumn() * (i % legendColumns);
      int y = 34 + LEGEND_ROW * (i / legendColumns);
      add("<rect x='%d' y='%d' width='12' height='12' fill='%s'/>\n", x, y, colour(i));
      text(x + LEGEND_TEXT, y + 10, "start", "", series.get(i).name());
    }
  }

  /** Room for the longest name, but never more than there is. */
  private int legendColumn() {
    int longest = figure.series().stream().mapToInt(one -> one.name().length()).max().orElse(0);
    int column = Math.max(LEAST_LEGEND_COLUMN, LEGEND_TEXT + CHARACTER * longest);
    return Math.min(column, WIDTH - LEFT - RIGHT);
  }

  private void axes() {
    for (int i = 0; i <= ticks; i++) {
      double y = y(i * step);
      add("<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' ", LEFT, WIDTH - RIGHT, y, y);
      add("stroke='%s'/>\n", i == 0 ? "black" : "#dddddd");
      text(LEFT - 8, y + 4, "end", "", Figure.number(i * step));
    }
    double middle = (bottom + top) / 2.0;
    text(20, middle, "middle", rotated(-90, 20, middle), figure.unit());
    text(WIDTH / 2.0, HEIGHT - 8, "middle", "", figure.categories());
    for (int i = 0; i < labels; i += labelStep()) {
      double x = x(i + 0.5);
      String turned = longLabels ? rotated(-35, x, y(0) + 16) : "";
      text(x, y(0) + 16, longLabels ? "end" : "middle", turned, figure.labels().get(i));
    }
  }

  /** Every label, or every 2nd, 5th, 10th and so on, as far as there is room for them. */
  private int labelStep() {
    int longest = figure.labels().stream().mapToInt(String::length).max().orElse(0);
    int width = longLabels ? SLANTED_LABEL : CHARACTER * longest + CHARACTER / 2;
    return (int) niceStep(Math.max(1, width / (x(1) - x(0))));
  }

  private void bars(int series) {
    boolean grouped = figure.kind() == Kind.GROUPED;
    int side = grouped ? figure.series().size() : 1;
    double width = (x(1) - x(0)) * BAR_SHARE / side;
    for (int i = 0; i < labels; i++) {
      double value = figure.series().get(series).at(i);
      if (Double.isNaN(value)) {
        continue;
      }
      double below = grouped ? 0 : sumBelow(series, i);
      double x = x(i + (1 - BAR_SHARE) / 2) + (grouped ? series * width : 0);
      double top = y(below + value);
      add("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' ", x, top, width, y(below) - top);
      add("fill='%s'>", colour(series));
      tip(series, i, value);
      add("</rect>\n");
    }
  }

  private double sumBelow(int series, int category) {
    return figure.series().subList(0, series).stream()
        .mapToDouble(one -> one.at(category))
        .filter(value -> !Double.isNaN(value))
        .sum();
  }

  private void line(int series) {
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < labels; i++) {
      double value = figure.series().get(series).at(i);
      if (Double.isNaN(value)) {
        continue;
      }
      points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(i + 0.5), y(value)));
      if (labels <= MOST_POINTS) {
        add("<circle cx='%.1f' cy='%.1f' r='3' ", x(i + 0.5), y(value));
        add("fill='%s'>", colour(series));
        tip(series, i, value);
        add("</circle>\n");
      }
    }
    add("<polyline points='%s' ", points.toString().trim());
    add("fill='none' stroke-width='2' stroke='%s'", colour(series));
    if (liesOnAnother(series)) {
      add(" stroke-dasharray='8 8'");
    }
    if (labels <= MOST_POINTS) {
      add("/>\n");
    } else {
      String name = escaped(figure.series().get(series).name());
      add("><title>%s</title></polyline>\n", name);
    }
  }

  /** It would hide the earlier line. */
  private boolean liesOnAnother(int series) {
    List<Double> values = figure.series().get(series).values();
    return figure.series().subList(0, series).stream()
        .anyMatch(earlier -> earlier.values().equals(values));
  }

  private void tip(int series, int category, double value) {
    String name = figure.series().get(series).name();
    String label = figure.labels().get(category);
    String number = Figure.number(value);
    add("<title>%s</title>", escaped(label + ", " + name + ": " + number + " " + figure.unit()));
  }

  private void text(double x, double y, String anchor, String attributes, String text) {
    add("<text x='%.1f' y='%.1f' text-anchor='%s' %s>", x, y, anchor, attributes);
    add("%s</text>\n", escaped(text));
  }

  private static String rotated(int degrees, double x, double y) {
    return String.format(Locale.ROOT, "transform='rotate(%d %.1f %.1f)'", degrees, x, y);
  }

  private static String colour(int series) {
    return COLOURS[series % COLOURS.length];
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private StringBuilder add(String format, Object... values) {
    return svg.append(String.format(Locale.ROOT, format, values));
  }
}
