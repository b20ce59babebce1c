package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * User code that throws where Sailfish calls it: the task fails with the user's exception, nothing
 * stays bound or connected, and the same job works when its code does.
 */
@Timeout(120)
class UserCodeFailureTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int LINES = 3000;
  private static final int KEYS = 1000;
  private static final int CALLS_BEFORE = 700;

  /** Where user code throws. */
  enum Place {
    NOWHERE,
    KEY_WRITE,
    VALUE_WRITE,
    KEY_READ,
    COMPARE,
    COMBINE
  }

  private static volatile Place armed = Place.NOWHERE;
  private static final AtomicInteger CALLS = new AtomicInteger();

  @TempDir static Path temporary;
  private static SailfishDaemons daemons;
  private static int lastJob;

  /** What the user's code throws. */
  private static final class UserCodeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UserCodeException(Place place) {
      super("user code is broken at " + place);
    }
  }

  private static void arm(Place place) {
    CALLS.set(0);
    armed = place;
  }

  /** User code is called here. */
  private static void passes(Place place) {
    if (armed == place && CALLS.incrementAndGet() > CALLS_BEFORE) {
      throw new UserCodeException(place);
    }
  }

  /** A key whose order nobody knows but its class. */
  public static final class Key implements WritableComparable<Key> {
    private int number;

    /** For Hadoop. */
    public Key() {}

    @Override
    public void write(DataOutput out) throws IOException {
      passes(Place.KEY_WRITE);
      out.writeInt(number);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      passes(Place.KEY_READ);
      number = in.readInt();
    }

    @Override
    public int compareTo(Key other) {
      passes(Place.COMPARE);
      return Integer.compare(number, other.number);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.number == number;
    }

    @Override
    public int hashCode() {
      return number;
    }

    @Override
    public String toString() {
      return Integer.toString(number);
    }
  }

  /** A value that can fail. */
  public static final class Value implements Writable {
    private int number = 1;

    /** For Hadoop. */
    public Value() {}

    @Override
    public void write(DataOutput out) throws IOException {
      passes(Place.VALUE_WRITE);
      out.writeInt(number);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      number = in.readInt();
    }
  }

  /** Each line's number, folded to few keys. */
  public static final class Numbers extends Mapper<LongWritable, Text, Key, Value> {
    private final Key key = new Key();
    private final Value value = new Value();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      key.number = Integer.parseInt(line.toString()) % KEYS;
      context.write(key, value);
    }
  }

  /** Sums up, as combiner. */
  public static final class Combiner extends Reducer<Key, Value, Key, Value> {
    @Override
    protected void reduce(Key key, Iterable<Value> values, Context context)
        throws IOException, InterruptedException {
      Value sum = new Value();
      sum.number = 0;
      for (Value value : values) {
        passes(Place.COMBINE);
        sum.number += value.number;
      }
      context.write(key, sum);
    }
  }

  /** Sums up. */
  public static final class Sums extends Reducer<Key, Value, Key, IntWritable> {
    @Override
    protected void reduce(Key key, Iterable<Value> values, Context context)
        throws IOException, InterruptedException {
      int sum = 0;
      for (Value value : values) {
        sum += value.number;
      }
      context.write(key, new IntWritable(sum));
    }
  }

  /** Emits keys of no length, or nulls. */
  public static final class Emptiness extends Mapper<LongWritable, Text, Text, Text> {
    static final String KIND = "test.emptiness";

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String kind = context.getConfiguration().get(KIND);
      context.write(
          kind.equals("null key") ? null : new Text(), kind.equals("null value") ? null : line);
    }
  }

  @BeforeAll
  static void startDaemons() throws Exception {
    daemons = SailfishDaemons.start(temporary, 2, Map.of());
  }

  @AfterAll
  static void stopDaemons() throws Exception {
    if (daemons != null) {
      daemons.close();
    }
  }

  private static Job job(String name, int maps) throws Exception {
    Path input = temporary.resolve(name + "-in");
    Files.createDirectories(input);
    for (int map = 0; map < maps; map++) {
      StringBuilder lines = new StringBuilder();
      for (int line = 0; line < LINES; line++) {
        lines.append(line).append('\n');
      }
      Files.writeString(input.resolve("part" + map), lines);
    }
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", temporary.resolve(name + "-tmp").toString());
    Job job = Job.getInstance(conf);
    job.setMapperClass(Numbers.class);
    job.setReducerClass(Sums.class);
    job.setMapOutputKeyClass(Key.class);
    job.setMapOutputValueClass(Value.class);
    job.setOutputKeyClass(Key.class);
    job.setOutputValueClass(IntWritable.class);
    job.setNumReduceTasks(2);
    job.getConfiguration().set(FileInputFormat.INPUT_DIR, input.toUri().toString());
    job.getConfiguration()
        .set(FileOutputFormat.OUTDIR, temporary.resolve(name + "-out").toUri().toString());
    return job;
  }

  private static void run(Job job, String name, InProcessJob.Step betweenMapsAndReduces)
      throws Exception {
    lastJob++;
    File work = temporary.resolve(name + "-work").toFile();
    InProcessJob.runWithLoss(job, daemons.address(), lastJob, work, betweenMapsAndReduces);
  }

  private static void endJob() throws IOException {
    try (MetaserverClient client = daemons.client()) {
      client.deleteJob(String.format("job_1700000000000_%04d", lastJob));
    }
    for (Chunkserver server : daemons.chunkservers()) {
      await()
          .atMost(DEADLINE)
          .untilAsserted(
              () ->
                  assertThat(server.metrics())
                      .containsEntry(ChunkserverMetric.MEMORY_USED_BYTES.fullName(), 0L)
                      .containsEntry(ChunkserverMetric.DISK_USED_BYTES.fullName(), 0L)
                      .containsEntry(ChunkserverMetric.ARRIVING_BYTES.fullName(), 0L));
    }
  }

  /** Connections to the chunkservers; ReduceTask leaves some behind when it fails. */
  private static long connections() {
    return daemons.chunkservers().stream()
        .mapToLong(server -> server.metrics().get(ServerMetric.CONNECTIONS.fullName()))
        .sum();
  }

  private static void checkNothingIsBound(long connectionsBefore) throws IOException {
    try (MetaserverClient client = daemons.client()) {
      await()
          .atMost(DEADLINE)
          .untilAsserted(
              () ->
                  assertThat(client.status().getCountersMap())
                      .containsEntry(MetaserverMetric.APPENDERS_BOUND.fullName(), 0L));
    }
    await()
        .atMost(DEADLINE)
        .untilAsserted(() -> assertThat(connections()).isLessThanOrEqualTo(connectionsBefore));
  }

  private static void checkSums(String name, int maps) throws Exception {
    SortedMap<String, String> output = OutputFiles.read(temporary.resolve(name + "-out"));
    String all = String.join("", output.values());
    assertThat(all.lines().count()).as("lines of %s", output.keySet()).isEqualTo(KEYS);
    assertThat(all.lines()).allMatch(line -> line.endsWith("\t" + maps * LINES / KEYS));
  }

  @ParameterizedTest
  @EnumSource(
      value = Place.class,
      names = {"NOWHERE"},
      mode = EnumSource.Mode.EXCLUDE)
  void aMapTaskFailsWithTheUsersException(Place place) throws Exception {
    String name = "map-" + place;
    Job job = job(name, 1);
    if (place == Place.COMBINE) {
      job.setCombinerClass(Combiner.class);
    }
    long connections = connections();
    arm(place);
    Throwable failure = catchThrowable(() -> run(job, name, () -> arm(Place.NOWHERE)));
    arm(Place.NOWHERE);
    assertThat(failure)
        .hasRootCauseInstanceOf(UserCodeException.class)
        .hasRootCauseMessage("user code is broken at " + place);
    checkNothingIsBound(connections);
    endJob();
    run(job(name + "-again", 1), name + "-again", () -> {});
    checkSums(name + "-again", 1);
    endJob();
  }

  @ParameterizedTest
  @EnumSource(
      value = Place.class,
      names = {"KEY_READ", "COMPARE"})
  void aReduceTaskFailsWithTheUsersException(Place place) throws Exception {
    String name = "reduce-" + place;
    Job job = job(name, 2);
    Throwable failure = catchThrowable(() -> run(job, name, () -> arm(place)));
    arm(Place.NOWHERE);
    assertThat(failure)
        .hasRootCauseInstanceOf(UserCodeException.class)
        .hasRootCauseMessage("user code is broken at " + place);
    endJob();
    run(job(name + "-again", 2), name + "-again", () -> {});
    checkSums(name + "-again", 2);
    endJob();
  }

  private static Job emptiness(String kind, String name) throws Exception {
    Job job = job(name, 1);
    job.setMapperClass(Emptiness.class);
    job.setReducerClass(Reducer.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(Text.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    job.getConfiguration().set(Emptiness.KIND, kind);
    return job;
  }

  @ParameterizedTest
  @ValueSource(strings = {"null key", "null value"})
  void nullsFailTheTaskAsTheyDoWithStock(String kind) throws Exception {
    String name = kind.replace(' ', '-');
    Job job = emptiness(kind, name);
    long connections = connections();
    Throwable failure = catchThrowable(() -> run(job, name, () -> {}));
    assertThat(failure).hasRootCauseInstanceOf(NullPointerException.class);
    checkNothingIsBound(connections);
    endJob();
  }

  @Test
  void keysOfNoLengthAreKeys() throws Exception {
    run(emptiness("empty", "empty"), "empty", () -> {});
    SortedMap<String, String> output = OutputFiles.read(temporary.resolve("empty-out"));
    assertThat(String.join("", output.values()).lines().sorted())
        .hasSize(LINES)
        .allMatch(line -> line.startsWith("\t"));
    endJob();
  }
}
