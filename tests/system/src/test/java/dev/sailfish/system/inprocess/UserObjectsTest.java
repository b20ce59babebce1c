package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sailfish.hadoop.SailfishMapOutputCollector;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
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

/**
 * Objects that user code hands to the map side and that a job did not declare: what the stock
 * collector throws, Sailfish's throws too. Odd ones that stock takes are taken.
 */
@Timeout(120)
class UserObjectsTest {
  private static final String FAULT = "test.fault";
  private static final int LINES = 400;

  /** What is wrong with an object. */
  enum Fault {
    NONE,
    MAP_KEY_CLASS,
    MAP_KEY_SUBCLASS,
    MAP_VALUE_CLASS,
    MAP_NULL_KEY,
    MAP_NULL_VALUE,
    PARTITION_NEGATIVE,
    PARTITION_TOO_LARGE,
    COMBINED_KEY_CLASS,
    COMBINED_KEY_SUBCLASS,
    COMBINED_VALUE_CLASS,
    COMBINED_NULL_KEY,
    COMBINED_NULL_VALUE;

    static Fault of(Configuration conf) {
      return valueOf(conf.get(FAULT, NONE.name()));
    }

    /** The key to be emitted instead of a good one. */
    Object key(Text good) {
      return switch (this) {
        case MAP_KEY_CLASS, COMBINED_KEY_CLASS -> new LongWritable(7);
        case MAP_KEY_SUBCLASS, COMBINED_KEY_SUBCLASS -> new Subtext(good);
        case MAP_NULL_KEY, COMBINED_NULL_KEY -> null;
        default -> good;
      };
    }

    /** The value to be emitted instead of a good one. */
    Object value(int good) {
      return switch (this) {
        case MAP_VALUE_CLASS, COMBINED_VALUE_CLASS -> new LongWritable(good);
        case MAP_NULL_VALUE, COMBINED_NULL_VALUE -> null;
        default -> new IntWritable(good);
      };
    }

    boolean isOfTheMap() {
      return name().startsWith("MAP");
    }

    boolean isOfTheCombiner() {
      return name().startsWith("COMBINED");
    }
  }

  /** Not the class that was declared, although its bytes would do. */
  static final class Subtext extends Text {
    Subtext(Text text) {
      super(text);
    }
  }

  /** Counts words, of which there are few. */
  public static final class Words extends Mapper<LongWritable, Text, Object, Object> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Fault fault = Fault.of(context.getConfiguration());
      Text word = new Text("word-" + Integer.parseInt(line.toString()) % 10);
      boolean wrong = fault.isOfTheMap() && line.toString().equals("9");
      context.write(wrong ? fault.key(word) : word, (wrong ? fault : Fault.NONE).value(1));
    }
  }

  /** Sums up, with the new API. */
  public static final class Sums extends Reducer<Text, IntWritable, Object, Object> {
    @Override
    protected void reduce(Text word, Iterable<IntWritable> counts, Context context)
        throws IOException, InterruptedException {
      Fault fault = Fault.of(context.getConfiguration());
      context.write(fault.key(word), fault.value(sum(counts.iterator())));
    }
  }

  static int sum(Iterator<IntWritable> counts) {
    int sum = 0;
    while (counts.hasNext()) {
      sum += counts.next().get();
    }
    return sum;
  }

  /** May name a partition that there is none of. */
  public static final class Partitions extends Partitioner<Object, Object> implements Configurable {
    private Configuration conf;

    @Override
    public void setConf(Configuration newConf) {
      conf = newConf;
    }

    @Override
    public Configuration getConf() {
      return conf;
    }

    @Override
    public int getPartition(Object key, Object value, int partitions) {
      return switch (Fault.of(conf)) {
        case PARTITION_NEGATIVE -> -1;
        case PARTITION_TOO_LARGE -> partitions;
        default -> 1;
      };
    }
  }

  /** Writes nothing. */
  public static final class Nothing implements WritableComparable<Nothing> {
    /** For Hadoop. */
    public Nothing() {}

    @Override
    public void write(DataOutput out) {}

    @Override
    public void readFields(DataInput in) {}

    @Override
    public int compareTo(Nothing other) {
      return 0;
    }
  }

  /** Emits keys and values without a byte. */
  public static final class Nothings extends Mapper<LongWritable, Text, Writable, Writable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(new Nothing(), new Nothing());
    }
  }

  /** Says how many values there were. */
  public static final class Counts extends Reducer<Object, Object, Text, LongWritable> {
    private long count;

    @Override
    protected void reduce(Object key, Iterable<Object> values, Context context) {
      for (Object value : values) {
        count += value == null ? 0 : 1;
      }
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      context.write(new Text("count"), new LongWritable(count));
    }
  }

  /** Says something else each time. */
  public static final class Moody implements RawComparator<Text> {
    private final SplittableRandom random = new SplittableRandom(1);

    @Override
    public int compare(byte[] left, int from, int length, byte[] right, int from2, int length2) {
      return random.nextInt(3) - 1;
    }

    @Override
    public int compare(Text left, Text right) {
      return random.nextInt(3) - 1;
    }
  }

  @TempDir static Path temporary;
  private static SailfishDaemons daemons;
  private static int lastJob;

  @BeforeAll
  static void startDaemons() throws Exception {
    daemons = SailfishDaemons.start(temporary, 1, Map.of());
  }

  @AfterAll
  static void stopDaemons() throws Exception {
    if (daemons != null) {
      daemons.close();
    }
  }

  private static Job job(String name, Fault fault) throws Exception {
    lastJob++;
    Path input = temporary.resolve(name + "-in");
    Files.createDirectories(input);
    StringBuilder lines = new StringBuilder();
    for (int line = 0; line < LINES; line++) {
      lines.append(line).append('\n');
    }
    Files.writeString(input.resolve("part"), lines);
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", temporary.resolve(name + "-tmp").toString());
    conf.set(FAULT, fault.name());
    conf.setInt(MRJobConfig.IO_SORT_MB, 4);
    Job job = Job.getInstance(conf);
    job.setMapperClass(Words.class);
    job.setPartitionerClass(Partitions.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(IntWritable.class);
    job.setNumReduceTasks(2);
    job.getConfiguration().set(FileInputFormat.INPUT_DIR, input.toUri().toString());
    job.getConfiguration()
        .set(FileOutputFormat.OUTDIR, temporary.resolve(name + "-out").toUri().toString());
    return job;
  }

  private static File work(String name) {
    return temporary.resolve(name + "-work").toFile();
  }

  private static void endJob() throws IOException {
    try (MetaserverClient client = daemons.client()) {
      client.deleteJob(String.format("job_1700000000000_%04d", lastJob));
    }
  }

  /** What the first map of the job fails with. */
  private static Throwable failure(Fault fault, Class<?> collector, boolean old) throws Exception {
    String name = fault + (old ? "-old-" : "-new-") + collector.getSimpleName();
    Job job = job(name, fault);
    if (old) {
      ((JobConf) job.getConfiguration()).setCombinerClass(OldWordSums.class);
    } else if (fault.isOfTheCombiner()) {
      job.setCombinerClass(Sums.class);
    }
    Throwable failure =
        catchThrowable(
            () -> InProcessJob.runFirstMap(job, collector, daemons.address(), lastJob, work(name)));
    endJob();
    return failure;
  }

  private static void checkAsStock(Fault fault, boolean old) throws Exception {
    Throwable expected = failure(fault, MapTask.MapOutputBuffer.class, old);
    Throwable actual = failure(fault, SailfishMapOutputCollector.class, old);
    assertThat(expected).as("stock fails").isNotNull();
    assertThat(actual).as("stock: %s", expected).hasSameClassAs(expected);
    // The JDK writes the message of a NullPointerException.
    if (expected instanceof IOException) {
      assertThat(actual).hasMessage(expected.getMessage());
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void whatWasNotDeclaredFailsTheMapAsWithStock(Fault fault) throws Exception {
    checkAsStock(fault, false);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = "COMBINED.*")
  void whatWasNotDeclaredFailsAnOldCombinerAsWithStock(Fault fault) throws Exception {
    checkAsStock(fault, true);
  }

  private static void checkCount(Job job, String name) throws Exception {
    job.setReducerClass(Counts.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    InProcessJob.runWithLoss(job, daemons.address(), lastJob, work(name), () -> {});
    String output = String.join("", OutputFiles.read(temporary.resolve(name + "-out")).values());
    long count = output.lines().mapToLong(line -> Long.parseLong(line.split("\t")[1])).sum();
    assertThat(count).as(output).isEqualTo(LINES);
    endJob();
  }

  @Test
  void recordsWithoutAByteAreRecords() throws Exception {
    Job job = job("nothing", Fault.NONE);
    job.setMapperClass(Nothings.class);
    job.setMapOutputKeyClass(Nothing.class);
    job.setMapOutputValueClass(Nothing.class);
    checkCount(job, "nothing");
  }

  @Test
  void aComparatorThatContradictsItselfLosesNothing() throws Exception {
    Job job = job("moody", Fault.NONE);
    job.setSortComparatorClass(Moody.class);
    checkCount(job, "moody");
  }
}
