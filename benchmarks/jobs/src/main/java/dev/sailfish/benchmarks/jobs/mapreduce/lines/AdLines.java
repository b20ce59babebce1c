package dev.sailfish.benchmarks.jobs.mapreduce.lines;

/**
 * Ads that users saw, and clicks on some of them, a line of {@value #BYTES} bytes for each: time,
 * kind, user, campaign, verdict, token. A user saw a campaign's ad {@value #VIEWS} times; a click
 * in twenty lines, and every other one is a robot's. The clicks are the last lines.
 */
public final class AdLines implements LineSource {
  private static final int BYTES = 100;
  private static final int VIEWS = 4;
  private static final int LINES_PER_CLICK = 20;
  private static final int CAMPAIGNS = 5_000;
  private static final int CAMPAIGN_DIGITS = 6;
  private static final byte[] VIEW = Line.ascii("\tview\t");
  private static final byte[] CLICK = Line.ascii("\tclick\t");
  private static final byte[] CAMPAIGN = Line.ascii("\tc");
  private static final byte[] PERSON = Line.ascii("\tperson\t");
  private static final byte[] ROBOT = Line.ascii("\trobot\t");

  private final long views;
  private final long clicks;
  private final long pairs;
  private final int maps;
  private final long seed;

  AdLines(long inputBytes, int maps, long seed) {
    long records = inputBytes / BYTES;
    this.clicks = records / LINES_PER_CLICK;
    this.views = records - clicks;
    this.pairs = Math.max(1, views / VIEWS);
    this.maps = maps;
    this.seed = seed;
  }

  @Override
  public long[] splits() {
    return LineSource.even(views + clicks, maps);
  }

  @Override
  public int longest() {
    return BYTES;
  }

  /** Each click that no robot made: every other one. */
  @Override
  public long results() {
    return (clicks + 1) / 2;
  }

  @Override
  public long write(long index, Line line) {
    long random = RecordHash.mix(seed + RecordHash.mix(index));
    boolean view = index < views;
    long pair = view ? index % pairs : (index - views) * (pairs / clicks);
    boolean robot = !view && (index - views) % 2 == 1;
    long value = line.clear().time(random).hashOfHead(0);
    int key = line.put(view ? VIEW : CLICK).length();
    line.user(pair).put(CAMPAIGN).decimal(pair % CAMPAIGNS, CAMPAIGN_DIGITS);
    long hash = RecordHash.of(line.hashFrom(key), value);
    line.put(robot ? ROBOT : PERSON).fillTo(BYTES, random);
    return hash;
  }
}
