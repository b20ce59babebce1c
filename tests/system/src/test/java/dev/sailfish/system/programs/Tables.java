package dev.sailfish.system.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The log of a web site and what belongs to it, as tab-separated text with empty fields here and
 * there: what Pig scripts read. Few users and pages have most of the visits. Money is a multiple of
 * a quarter, so that sums do not depend on the order of their terms.
 */
final class Tables {
  private static final int VISITS = 20_000;
  private static final int USERS = 600;
  private static final int PAGES = 300;
  private static final int STATES = 40;
  private static final int START = 1_700_000_000;
  private static final int DAY = 86_400;
  private static final String[] CATEGORIES = {"news", "sport", "shop", "mail", "maps", ""};

  private final Path directory;
  private final SplittableRandom random = new SplittableRandom(11);

  private Tables(Path directory) {
    this.directory = directory;
  }

  /** Writes them, each as a directory of two files. */
  static void write(Path directory) throws IOException {
    Tables tables = new Tables(directory);
    tables.write("visits", IntStream.range(0, VISITS).mapToObj(i -> tables.visit()));
    tables.write("users", IntStream.range(0, USERS).filter(i -> i % 7 != 0).mapToObj(tables::user));
    tables.write(
        "pages", IntStream.range(0, PAGES).filter(i -> i % 11 != 0).mapToObj(tables::page));
    tables.write("states", IntStream.range(1, STATES).mapToObj(i -> "s" + i + "\tState " + i * i));
  }

  private String visit() {
    return String.join(
        "\t",
        oftenEmpty("u" + skewed(USERS + 20), 50),
        "http://example.org/" + skewed(PAGES),
        Integer.toString(START + random.nextInt(DAY) / 10 * 10),
        oftenEmpty(Integer.toString(random.nextInt(1000)), 40),
        oftenEmpty(Double.toString(random.nextInt(200) / 4.0), 9));
  }

  private String user(int number) {
    return String.join(
        "\t",
        "u" + number,
        oftenEmpty(Integer.toString(18 + random.nextInt(70)), 20),
        oftenEmpty("s" + random.nextInt(STATES), 20));
  }

  private String page(int number) {
    return String.join(
        "\t",
        "http://example.org/" + number,
        CATEGORIES[random.nextInt(CATEGORIES.length)],
        Integer.toString(random.nextInt(10)));
  }

  /** Small numbers come much more often than large ones. */
  private int skewed(int bound) {
    double share = random.nextDouble();
    return (int) (bound * share * share * share);
  }

  private String oftenEmpty(String field, int in) {
    return random.nextInt(in) == 0 ? "" : field;
  }

  private void write(String name, Stream<String> rows) throws IOException {
    Path table = Files.createDirectories(directory.resolve(name));
    List<String> all = rows.toList();
    Files.write(table.resolve("a"), all.subList(0, all.size() / 2));
    Files.write(table.resolve("b"), all.subList(all.size() / 2, all.size()));
  }
}
