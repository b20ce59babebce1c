package dev.sailfish.benchmarks.jobs.mapreduce.lines;

/**
 * Models of users' interests over N days, a line of {@value #NDAY_BYTES} bytes for each user, and
 * over one day, a line of {@value #DAY_BYTES} bytes for each user who was there that day: user,
 * data set, interests with their weights. The first half of the maps reads the former, 22 times the
 * bytes of the other half.
 */
public final class ModelLines implements LineSource {
  private static final int NDAY_BYTES = 400;
  private static final int DAY_BYTES = 100;

  /** 10 GB of an N-day map to 450 MB of a 1-day map. */
  private static final double HEAVY = 10_000.0 / 450;

  private static final byte[] NDAY = Line.ascii("nday\tu1.");
  private static final byte[] DAY = Line.ascii("1day\tu1.");
  private static final byte[][] INTERESTS =
      Line.ascii(
          ",sports:",
          ",news:",
          ",music:",
          ",games:",
          ",travel:",
          ",food:",
          ",autos:",
          ",money:",
          ",homes:",
          ",health:",
          ",style:",
          ",films:",
          ",pets:",
          ",books:",
          ",jobs:",
          ",phones:");
  private static final int TOKEN_DIGITS = 16;
  private static final int WEIGHT_DIGITS = 4;
  private static final int LONGEST_INTEREST = 8 + WEIGHT_DIGITS;

  private final long users;
  private final long active;
  private final int maps;
  private final long seed;

  /**
   * Both data sets.
   *
   * @param maps at least 2
   */
  ModelLines(long inputBytes, int maps, long seed) {
    this.maps = maps;
    this.seed = seed;
    long nday = (long) (inputBytes * HEAVY / (HEAVY + 1));
    users = Math.max(1, nday / NDAY_BYTES);
    active = Math.max(1, (inputBytes - nday) / DAY_BYTES);
  }

  @Override
  public long[] splits() {
    long[] all = new long[maps];
    int half = maps / 2;
    System.arraycopy(LineSource.even(users, half), 0, all, 0, half);
    System.arraycopy(LineSource.even(active, maps - half), 0, all, half, maps - half);
    return all;
  }

  @Override
  public int lineBytes(long index) {
    return index < users ? NDAY_BYTES : DAY_BYTES;
  }

  @Override
  public int longest() {
    return NDAY_BYTES;
  }

  /** Every user who was there that day has a model over N days. */
  @Override
  public long results() {
    return active;
  }

  @Override
  public long write(long index, Line line) {
    boolean nday = index < users;
    long user = nday ? index : (index - users) * (users / active);
    long random = RecordHash.mix(seed + RecordHash.mix(index));
    long key = line.clear().user(user).hashFrom(0);
    int value = line.tab().length();
    line.put(nday ? NDAY : DAY).hex(random, TOKEN_DIGITS);
    long hash = RecordHash.of(key, line.hashOfHead(value));
    int end = lineBytes(index);
    long bits = random;
    while (line.length() + LONGEST_INTEREST <= end) {
      bits = RecordHash.mix(bits + 1);
      line.put(INTERESTS[(int) bits & (INTERESTS.length - 1)]).decimal(bits >>> 8, WEIGHT_DIGITS);
    }
    line.fillTo(end, bits);
    return hash;
  }
}
