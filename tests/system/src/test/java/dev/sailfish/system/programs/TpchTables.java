package dev.sailfish.system.programs;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The eight tables of TPC-H at a small scale, as text with {@code |} between fields. Columns, keys,
 * ranges and the words that queries look for are those of section 4.2 of the specification; the
 * random numbers and most of the prose are not.
 */
final class TpchTables {
  /** One hundredth of scale factor 1. */
  private static final int CUSTOMERS = 1_500;

  private static final int SUPPLIERS = 100;
  private static final int PARTS = 2_000;
  private static final int ORDERS = 15_000;
  private static final int SUPPLIERS_OF_PART = 4;
  private static final LocalDate FIRST_DAY = LocalDate.of(1992, 1, 1);
  private static final int ORDER_DAYS = 2_405;
  private static final LocalDate TODAY = LocalDate.of(1995, 6, 17);

  private static final String[] REGIONS = {"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"};
  private static final String[] NATIONS = {
    "ALGERIA 0",
    "ARGENTINA 1",
    "BRAZIL 1",
    "CANADA 1",
    "EGYPT 4",
    "ETHIOPIA 0",
    "FRANCE 3",
    "GERMANY 3",
    "INDIA 2",
    "INDONESIA 2",
    "IRAN 4",
    "IRAQ 4",
    "JAPAN 2",
    "JORDAN 4",
    "KENYA 0",
    "MOROCCO 0",
    "MOZAMBIQUE 0",
    "PERU 1",
    "CHINA 2",
    "ROMANIA 3",
    "SAUDI ARABIA 4",
    "VIETNAM 2",
    "RUSSIA 3",
    "UNITED KINGDOM 3",
    "UNITED STATES 1"
  };
  private static final String[] SEGMENTS = {
    "AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD"
  };
  private static final String[] PRIORITIES = {
    "1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"
  };
  private static final String[] INSTRUCTIONS = {
    "DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"
  };
  private static final String[] MODES = {"REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"};
  private static final String[][] TYPES = {
    {"STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"},
    {"ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"},
    {"TIN", "NICKEL", "BRASS", "STEEL", "COPPER"}
  };
  private static final String[][] CONTAINERS = {
    {"SM", "LG", "MED", "JUMBO", "WRAP"},
    {"CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM"}
  };
  private static final String[] COLORS = {
    "almond", "azure", "black", "blue", "brown", "coral", "cyan", "forest", "gold", "green",
    "ivory", "khaki", "lime", "linen", "maroon", "navy", "olive", "orchid", "pink", "plum", "red",
    "rose", "salmon", "sienna", "sky", "snow", "tan", "violet", "white", "yellow"
  };
  private static final String[] PROSE = {
    "packages", "deposits", "accounts", "ideas", "sleep", "wake", "quickly", "slowly", "bold",
    "even", "pending", "final", "express", "regular", "about", "above", "among", "the"
  };

  private final Path directory;
  private final SplittableRandom random = new SplittableRandom(13);
  private final Map<String, BufferedWriter> files = new HashMap<>();

  private TpchTables(Path directory) {
    this.directory = directory;
  }

  /** Writes them, each as a directory. */
  static void write(Path directory) throws IOException {
    TpchTables tables = new TpchTables(directory);
    tables.places();
    tables.suppliers();
    tables.customers();
    tables.parts();
    for (int order = 1; order <= ORDERS; order++) {
      tables.order(order);
    }
    for (BufferedWriter file : tables.files.values()) {
      file.close();
    }
  }

  private void places() {
    for (int i = 0; i < REGIONS.length; i++) {
      row("region", i, REGIONS[i], comment());
    }
    for (int i = 0; i < NATIONS.length; i++) {
      int end = NATIONS[i].lastIndexOf(' ');
      row("nation", i, NATIONS[i].substring(0, end), NATIONS[i].substring(end + 1), comment());
    }
  }

  private void suppliers() {
    for (int i = 1; i <= SUPPLIERS; i++) {
      int nation = random.nextInt(NATIONS.length);
      String comment = i % 20 == 0 ? "the Customer said " + comment() + " Complaints" : comment();
      row(
          "supplier",
          i,
          numbered("Supplier", i),
          word(),
          nation,
          phone(nation),
          balance(),
          comment);
    }
  }

  private void customers() {
    for (int i = 1; i <= CUSTOMERS; i++) {
      int nation = random.nextInt(NATIONS.length);
      row(
          "customer",
          i,
          numbered("Customer", i),
          word(),
          nation,
          phone(nation),
          balance(),
          one(SEGMENTS),
          comment());
    }
  }

  private void parts() {
    for (int i = 1; i <= PARTS; i++) {
      int maker = 1 + random.nextInt(5);
      String name =
          IntStream.range(0, 5).mapToObj(n -> one(COLORS)).collect(Collectors.joining(" "));
      row(
          "part",
          i,
          name,
          "Manufacturer#" + maker,
          "Brand#" + maker + (1 + random.nextInt(5)),
          several(TYPES),
          1 + random.nextInt(50),
          several(CONTAINERS),
          money(retailCents(i)),
          comment());
      for (int n = 0; n < SUPPLIERS_OF_PART; n++) {
        long cost = 100 + random.nextInt(99_901);
        row("partsupp", i, supplier(i, n), 1 + random.nextInt(9_999), money(cost), comment());
      }
    }
  }

  private static int supplier(int part, int number) {
    int step = SUPPLIERS / SUPPLIERS_OF_PART + (part - 1) / SUPPLIERS;
    return (part + number * step) % SUPPLIERS + 1;
  }

  private static long retailCents(int part) {
    return 90_000 + part / 10 % 20_001 + 100L * (part % 1_000);
  }

  private void order(int order) {
    // A third of the customers has never ordered anything.
    int customer = 1 + random.nextInt(CUSTOMERS / 3) * 3 + random.nextInt(2);
    LocalDate date = FIRST_DAY.plusDays(random.nextInt(ORDER_DAYS));
    int lines = 1 + random.nextInt(7);
    int open = 0;
    BigDecimal total = BigDecimal.ZERO;
    for (int line = 1; line <= lines; line++) {
      int part = 1 + random.nextInt(PARTS);
      int quantity = 1 + random.nextInt(50);
      BigDecimal price = money(quantity * retailCents(part));
      BigDecimal discount = money(random.nextInt(11));
      BigDecimal tax = money(random.nextInt(9));
      LocalDate shipped = date.plusDays(1 + random.nextInt(121));
      LocalDate received = shipped.plusDays(1 + random.nextInt(30));
      boolean isOpen = shipped.isAfter(TODAY);
      open += isOpen ? 1 : 0;
      total =
          total.add(
              price.multiply(BigDecimal.ONE.add(tax)).multiply(BigDecimal.ONE.subtract(discount)));
      String returned = random.nextBoolean() ? "R" : "A";
      row(
          "lineitem",
          order,
          part,
          supplier(part, random.nextInt(SUPPLIERS_OF_PART)),
          line,
          quantity,
          price,
          discount,
          tax,
          received.isAfter(TODAY) ? "N" : returned,
          isOpen ? "O" : "F",
          shipped,
          date.plusDays(30 + random.nextInt(61)),
          received,
          one(INSTRUCTIONS),
          one(MODES),
          comment());
    }
    String mixed = open == 0 ? "F" : "P";
    row(
        "orders",
        order,
        customer,
        open == lines ? "O" : mixed,
        total.setScale(2, java.math.RoundingMode.HALF_UP),
        date,
        one(PRIORITIES),
        numbered("Clerk", 1 + random.nextInt(10)),
        0,
        random.nextInt(50) == 0 ? "special " + comment() + " requests" : comment());
  }

  private void row(String table, Object... fields) {
    try {
      BufferedWriter file = files.get(table);
      if (file == null) {
        Path of = Files.createDirectories(directory.resolve(table));
        file = Files.newBufferedWriter(of.resolve("a"));
        files.put(table, file);
      }
      for (int i = 0; i < fields.length; i++) {
        file.write(fields[i].toString());
        file.write(i + 1 < fields.length ? '|' : '\n');
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String one(String[] words) {
    return words[random.nextInt(words.length)];
  }

  private String several(String[][] syllables) {
    return IntStream.range(0, syllables.length)
        .mapToObj(i -> one(syllables[i]))
        .collect(Collectors.joining(" "));
  }

  private String comment() {
    return IntStream.range(0, 3 + random.nextInt(5))
        .mapToObj(i -> one(PROSE))
        .collect(Collectors.joining(" "));
  }

  private String word() {
    return Long.toString(random.nextLong(1L << 40), 36);
  }

  private String phone(int nation) {
    return String.format(
        Locale.ROOT,
        "%d-%03d-%03d-%04d",
        10 + nation,
        random.nextInt(100, 1_000),
        random.nextInt(100, 1_000),
        random.nextInt(1_000, 10_000));
  }

  private BigDecimal balance() {
    return money(random.nextInt(-99_999, 1_000_000));
  }

  private static BigDecimal money(long cents) {
    return BigDecimal.valueOf(cents, 2);
  }

  private static String numbered(String what, int number) {
    return String.format(Locale.ROOT, "%s#%09d", what, number);
  }
}
