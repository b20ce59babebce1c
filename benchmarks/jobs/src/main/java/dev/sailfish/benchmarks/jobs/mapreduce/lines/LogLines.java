package dev.sailfish.benchmarks.jobs.mapreduce.lines;

/**
 * The log of a web site, a line of {@value #BYTES} bytes for each visit: user, time, page, status,
 * bytes, address, browser, session.
 */
public final class LogLines implements LineSource {
  /** What a job groups visits by, and how many its groups are. */
  enum By {
    /** A user has {@value #VISITS_PER_USER} visits. */
    USER,
    /**
     * Each map sees each page several times, and what a combiner leaves of its output is 1/27 of
     * its input.
     */
    PAGE
  }

  private static final int BYTES = 200;
  private static final int VISITS_PER_USER = 8;
  private static final int REDUCTION = 27;

  /** A page, its length, a count, and Hadoop's two lengths around them. */
  private static final int COMBINED_BYTES = 19 + 1 + Long.BYTES + 2;

  /** What a map that gets a large file has, in means of all maps. */
  private static final int HEAVY = 11;

  private static final byte[] PAGES = Line.ascii("/news/");
  private static final byte[] DOT = Line.ascii(".");
  private static final byte[] HTML = Line.ascii(".html");
  private static final byte[][] STATUS = Line.ascii("200", "200", "200", "200", "304", "404");
  private static final byte[][] BROWSERS =
      Line.ascii(
          "Mozilla/5.0 (Windows NT 6.1; WOW64; rv:13.0) Gecko/20100101 Firefox/13.0",
          "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_7_4) AppleWebKit/534.57.2",
          "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0)");

  private final By by;
  private final long[] splits;
  private final long groups;
  private final long seed;

  private LogLines(By by, long[] splits, long groups, long seed) {
    this.by = by;
    this.splits = splits;
    this.groups = Math.max(1, groups);
    this.seed = seed;
  }

  /** For a job that counts the visits of each page, with a combiner. */
  static LogLines byPage(long inputBytes, int maps, long seed) {
    long pages = inputBytes / maps / REDUCTION / COMBINED_BYTES;
    return new LogLines(By.PAGE, LineSource.even(inputBytes / BYTES, maps), pages, seed);
  }

  /** For a job that groups by user; all maps have the same. */
  static LogLines byUser(long inputBytes, int maps, long seed) {
    long lines = inputBytes / BYTES;
    return new LogLines(By.USER, LineSource.even(lines, maps), lines / VISITS_PER_USER, seed);
  }

  /** The same, but that the first map has eleven times the mean of all. */
  static LogLines byUserWithHeavyMap(long inputBytes, int maps, long seed) {
    long lines = inputBytes / BYTES;
    long[] shares = new long[maps];
    shares[0] = HEAVY * lines / maps;
    System.arraycopy(LineSource.even(lines - shares[0], maps - 1), 0, shares, 1, maps - 1);
    return new LogLines(By.USER, shares, lines / VISITS_PER_USER, seed);
  }

  @Override
  public long[] splits() {
    return splits.clone();
  }

  @Override
  public int longest() {
    return BYTES;
  }

  @Override
  public long results() {
    return Math.min(groups, records());
  }

  @Override
  public long write(long index, Line line) {
    long random = RecordHash.mix(seed + RecordHash.mix(index));
    long group = index % groups;
    boolean byUser = by == By.USER;
    long user = line.clear().user(byUser ? group : random >>> 40).hashFrom(0);
    int time = line.tab().length();
    long head = line.time(random).hashOfHead(time);
    int page = line.tab().length();
    int number = RecordHash.scramble((int) (byUser ? random & 0xffff : group));
    long pageHash = line.put(PAGES).hex(number, Integer.BYTES * 2).put(HTML).hashFrom(page);
    line.tab().put(STATUS[(int) (random & 0xff) % STATUS.length]);
    line.tab().decimal(random >>> 44, 6);
    line.tab().decimal(10 + (random >>> 4 & 63), 2).put(DOT).decimal(random >>> 12 & 255, 3);
    line.put(DOT).decimal(random >>> 20 & 255, 3);
    line.tab().put(BROWSERS[(int) (random >>> 32 & 0xff) % BROWSERS.length]);
    line.tab().fillTo(BYTES, random);
    return byUser ? RecordHash.of(user, head) : pageHash;
  }
}
