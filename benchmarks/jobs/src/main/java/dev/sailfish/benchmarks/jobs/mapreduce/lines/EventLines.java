package dev.sailfish.benchmarks.jobs.mapreduce.lines;

/**
 * What users did, a line of {@value #BYTES} bytes for each event: user, the page, the query and the
 * ad that it is about, time, and the context that belongs to each of them. A map makes a record of
 * page, query and ad, each with user and context: 2.6 times the bytes.
 */
public final class EventLines implements LineSource {
  private static final int BYTES = 300;
  private static final int EVENTS_PER_USER = 16;
  private static final int FIELD_DIGITS = 13;
  private static final byte[] PAGE = Line.ascii("page=/n");
  private static final byte[] QUERY = Line.ascii("query=q");
  private static final byte[] AD = Line.ascii("banner=");

  private final long records;
  private final int maps;
  private final long users;
  private final long seed;

  EventLines(long inputBytes, int maps, long seed) {
    this.records = inputBytes / BYTES;
    this.maps = maps;
    this.users = Math.max(1, records / EVENTS_PER_USER);
    this.seed = seed;
  }

  @Override
  public long[] splits() {
    return LineSource.even(records, maps);
  }

  @Override
  public int longest() {
    return BYTES;
  }

  /** A model for each user. */
  @Override
  public long results() {
    return Math.min(users, records);
  }

  @Override
  public long write(long index, Line line) {
    long random = RecordHash.mix(seed + RecordHash.mix(index));
    long user = line.clear().user(index % users).hashFrom(0);
    long hashes = 0;
    for (byte[] field : new byte[][] {PAGE, QUERY, AD}) {
      int begin = line.tab().length();
      random = RecordHash.mix(random);
      line.put(field).hex(random, FIELD_DIGITS);
      hashes += RecordHash.of(user, line.hashOfHead(begin));
    }
    line.tab().time(random).tab().fillTo(BYTES, random);
    return hashes;
  }
}
