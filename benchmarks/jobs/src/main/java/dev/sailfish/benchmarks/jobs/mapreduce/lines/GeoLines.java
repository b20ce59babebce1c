package dev.sailfish.benchmarks.jobs.mapreduce.lines;

import java.util.stream.LongStream;

/**
 * Ads that were seen or clicked, and where, a line of {@value #BYTES} bytes for each: campaign,
 * country, state, city, time, kind, token, browser. A map makes three records of a line, one for
 * the country, one for the state and one for the city, each with the fields from the time to the
 * token: 1.8 times the bytes. A campaign has {@value #EVENTS} events in each city, and every fourth
 * campaign has clicks among them.
 */
public final class GeoLines implements LineSource {
  /** Records that a map makes of a line. */
  public static final int LEVELS = 3;

  private static final int BYTES = 240;
  private static final int EVENTS = 8;
  private static final int VALUE_BYTES = 124;
  private static final int CLICKED = 4;
  private static final int CAMPAIGN_DIGITS = 6;
  private static final byte[] CAMPAIGN = Line.ascii("c");
  private static final byte[] VIEW = Line.ascii("\tview\t");
  private static final byte[] CLICK = Line.ascii("\tclick\t");
  private static final byte[] BROWSER =
      Line.ascii("\tMozilla/5.0 (Windows NT 6.1) Gecko/20100101 ");

  /** Country, state and city, with tabs between. */
  private static final String[][] PLACES = {
    {"US", "CA", "San Jose"}, {"US", "CA", "Los Angeles"}, {"US", "CA", "Sunnyvale"},
    {"US", "NY", "New York"}, {"US", "NY", "Buffalo"}, {"US", "TX", "Austin"},
    {"US", "TX", "Houston"}, {"US", "WA", "Seattle"}, {"US", "IL", "Chicago"},
    {"IN", "KA", "Bengaluru"}, {"IN", "MH", "Mumbai"}, {"IN", "DL", "New Delhi"},
    {"DE", "BE", "Berlin"}, {"DE", "BY", "Munich"}, {"DE", "HH", "Hamburg"},
    {"GB", "EN", "London"}, {"GB", "SC", "Glasgow"}, {"FR", "75", "Paris"},
    {"BR", "SP", "Campinas"}, {"JP", "13", "Tokyo"}
  };

  private static final byte[][][] ENCODED = new byte[PLACES.length][][];

  static {
    for (int i = 0; i < PLACES.length; i++) {
      ENCODED[i] = Line.ascii(PLACES[i]);
    }
  }

  private final long records;
  private final int maps;
  private final long campaigns;
  private final long seed;

  GeoLines(long inputBytes, int maps, long seed) {
    this.records = inputBytes / BYTES;
    this.maps = maps;
    this.campaigns = Math.max(1, records / PLACES.length / EVENTS);
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

  /** Each click, once for each of its segments. */
  @Override
  public long results() {
    return LEVELS * LongStream.range(0, records).filter(this::isClick).count();
  }

  private long campaign(long index) {
    return index / PLACES.length % campaigns;
  }

  private boolean isClick(long index) {
    long pass = index / PLACES.length / campaigns;
    return campaign(index) % CLICKED == 0 && pass % 2 == 0;
  }

  @Override
  public long write(long index, Line line) {
    long random = RecordHash.mix(seed + RecordHash.mix(index));
    line.clear().put(CAMPAIGN).decimal(campaign(index), CAMPAIGN_DIGITS);
    long[] keys = new long[LEVELS];
    byte[][] place = ENCODED[(int) (index % PLACES.length)];
    for (int level = 0; level < LEVELS; level++) {
      keys[level] = line.tab().put(place[level]).hashFrom(0);
    }
    int value = line.tab().length();
    long head = line.time(random).hashOfHead(value);
    line.put(isClick(index) ? CLICK : VIEW)
        .fillTo(value + VALUE_BYTES, random)
        .put(BROWSER)
        .fillTo(BYTES, random >>> 1);
    long hashes = 0;
    for (long key : keys) {
      hashes += RecordHash.of(key, head);
    }
    return hashes;
  }
}
