package dev.sailfish.benchmarks.profile;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Draws sampled stacks as an SVG flame graph: a box per method, as wide as its share of the
 * samples, above the method that called it. Reads collapsed stacks, as async-profiler writes them,
 * of one or more processes together:
 *
 * <pre>
 *   caller;callee;...;leaf COUNT
 * </pre>
 */
public final class FlameGraph {
  private static final int WIDTH = 1200;
  private static final int ROW = 17;
  private static final int MARGIN = 10;
  private static final int TITLE = 30;
  private static final double NARROWEST = 1.5;
  private static final double LETTER = 6.6;
  private static final int SHORTEST_TEXT = 3;

  private final Box root = new Box("all");
  private int depth;

  /** A method, below the ones that it calls. */
  private static final class Box {
    private final String name;
    private final Map<String, Box> called = new TreeMap<>();
    private long samples;

    Box(String name) {
      this.name = name;
    }
  }

  private FlameGraph() {}

  /** Draws {@code OUTPUT.svg TITLE INPUT...}. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length < 3) {
      throw new IllegalArgumentException("usage: FlameGraph OUTPUT.svg TITLE INPUT...");
    }
    FlameGraph graph = new FlameGraph();
    for (int i = 2; i < arguments.length; i++) {
      for (String line : Files.readAllLines(Path.of(arguments[i]))) {
        graph.add(line);
      }
    }
    graph.write(Path.of(arguments[0]), arguments[1]);
  }

  private void add(String line) {
    int blank = line.lastIndexOf(' ');
    if (blank < 0) {
      return;
    }
    long samples = Long.parseLong(line.substring(blank + 1));
    Box box = root;
    box.samples += samples;
    for (String name : line.substring(0, blank).split(";")) {
      box = box.called.computeIfAbsent(simple(name), Box::new);
      box.samples += samples;
    }
  }

  /** Class and method without the package, so that something can be read in a narrow box. */
  private static String simple(String name) {
    int slash = name.lastIndexOf('/');
    String simple = name.indexOf('.') > slash ? name.substring(slash + 1) : name;
    return simple.replaceAll("0x[0-9a-f]+|\\$\\$Lambda.*", "");
  }

  private void write(Path file, String title) throws IOException {
    List<String> boxes = new ArrayList<>();
    draw(root, MARGIN, 0, boxes);
    int height = TITLE + (depth + 1) * ROW + MARGIN;
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
      out.printf(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
              + " font-family=\"monospace\" font-size=\"11\">%n",
          WIDTH, height);
      out.println("<rect width=\"100%\" height=\"100%\" fill=\"#fffdf6\"/>");
      out.printf(
          "<text x=\"%d\" y=\"20\" font-size=\"14\">%s: %d samples</text>%n",
          MARGIN, escape(title), root.samples);
      out.printf("<g transform=\"translate(0,%d)\">%n", height - MARGIN - ROW);
      boxes.forEach(out::println);
      out.println("</g>");
      out.println("</svg>");
    }
  }

  private void draw(Box box, double x, int level, List<String> boxes) {
    double width = box.samples * (WIDTH - 2.0 * MARGIN) / root.samples;
    if (width < NARROWEST) {
      return;
    }
    depth = Math.max(depth, level);
    double share = 100.0 * box.samples / root.samples;
    boxes.add(
        String.format(
            Locale.ROOT,
            "<g><title>%s: %.1f %%</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\""
                + " fill=\"%s\" stroke=\"#fffdf6\" stroke-width=\"0.5\"/>%s</g>",
            escape(box.name),
            share,
            x,
            -level * ROW,
            width,
            ROW - 1,
            color(box.name),
            text(box.name, x, width, level)));
    double left = x;
    for (Box called : box.called.values()) {
      draw(called, left, level + 1, boxes);
      left += called.samples * (WIDTH - 2.0 * MARGIN) / root.samples;
    }
  }

  private static String text(String name, double x, double width, int level) {
    int letters = (int) ((width - 4) / LETTER);
    if (letters < SHORTEST_TEXT) {
      return "";
    }
    String shown = name.length() <= letters ? name : name.substring(0, letters - 1) + "…";
    return String.format(
        Locale.ROOT,
        "<text x=\"%.1f\" y=\"%d\">%s</text>",
        x + 2,
        -level * ROW + ROW - 5,
        escape(shown));
  }

  /** The same colour for the same name, in every picture. */
  private static String color(String name) {
    int hash = name.hashCode() * 0x9E3779B9 >>> 8;
    return String.format(
        Locale.ROOT, "rgb(%d,%d,%d)", 205 + hash % 50, 90 + hash / 50 % 110, hash / 5500 % 70);
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
