package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sailfish.hadoop.SailfishMapOutputCollector;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.system.inprocess.InProcessJob.Timing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedComparator;
import org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedPartitioner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Features of Hadoop that lean on the shuffle give what they give with stock. */
@Timeout(180)
class HadoopFeaturesTest {
  private static final int MAPS = 3;
  private static final int LINES = 3000;
  private static final int PREFIXES = 10;

  @TempDir static Path temporary;
  private static SailfishDaemons daemons;
  private static Path input;
  private static int lastJob;

  @BeforeAll
  static void startDaemons() throws Exception {
    input = Files.createDirectories(temporary.resolve("input"));
    SplittableRandom random = new SplittableRandom(5);
    for (int map = 0; map < MAPS; map++) {
      StringBuilder text = new StringBuilder();
      for (int line = 0; line < LINES; line++) {
        text.append("p").append(random.nextInt(PREFIXES)).append(' ');
        text.append(random.nextInt(500)).append(' ').append(map * LINES + line).append('\n');
      }
      Files.writeString(input.resolve("file" + map), text);
    }
    daemons = SailfishDaemons.start(temporary, 2, Map.of());
  }

  @AfterAll
  static void stopDaemons() throws Exception {
    if (daemons != null) {
      daemons.close();
    }
  }

  /** The whole line is the key, 1 the value. */
  public static final class Lines extends Mapper<LongWritable, Text, Text, LongWritable> {
    private final LongWritable one = new LongWritable(1);

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(line, one);
    }
  }

  /** Fails in the first attempt of each map, when much is appended. */
  public static final class FailsOnce extends Mapper<LongWritable, Text, Text, LongWritable> {
    private final LongWritable one = new LongWritable(1);

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      boolean isLate = offset.get() > LINES;
      if (isLate && context.getTaskAttemptID().getId() == 0) {
        throw new IOException("as the first attempt does");
      }
      context.write(line, one);
    }
  }

  /** Sums up what has the key, or the prefix, that groups were made of. */
  public static final class Sum extends Reducer<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void reduce(Text key, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      Text first = new Text(key);
      long sum = 0;
      for (LongWritable value : values) {
        sum += value.get();
      }
      context.write(first, new LongWritable(sum));
    }
  }

  private static Job job(Path output, Consumer<Job> configure) throws IOException {
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", output.resolveSibling(output.getFileName() + "-tmp").toString());
    conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 10);
    Job job = Job.getInstance(conf);
    job.setMapperClass(Lines.class);
    job.setReducerClass(Sum.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    job.setNumReduceTasks(3);
    FileInputFormat.addInputPaths(job, input.toUri().toString());
    configure.accept(job);
    job.getConfiguration().set(FileOutputFormat.OUTDIR, output.toUri().toString());
    return job;
  }

  private static Job stock(String name, Consumer<Job> configure) throws Exception {
    Job job = job(temporary.resolve(name + "-stock"), configure);
    job.getConfiguration().set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    job.waitForCompletion(false);
    return job;
  }

  private static Map<TaskAttemptID, Counters> sailfish(String name, Consumer<Job> configure)
      throws Exception {
    Path work = temporary.resolve(name + "-work");
    Job job = job(temporary.resolve(name + "-sailfish"), configure);
    lastJob++;
    return InProcessJob.run(job, daemons.address(), lastJob, work.toFile(), Timing.PLAIN, 1);
  }

  /** Its output is flushed by Hadoop all the same, and must not count. */
  @Test
  void theNextAttemptOfAMapThatFailedSucceeds() throws Exception {
    assertThat(stock("fails", job -> {}).isSuccessful()).isTrue();
    Job job =
        job(temporary.resolve("fails-sailfish"), made -> made.setMapperClass(FailsOnce.class));
    lastJob++;
    Path work = temporary.resolve("fails-work");
    InProcessJob.runWithFailures(job, daemons.address(), lastJob, work.toFile());
    assertThat(OutputFiles.read(temporary.resolve("fails-sailfish")))
        .isEqualTo(OutputFiles.read(temporary.resolve("fails-stock")));
  }

  private static Map<TaskAttemptID, Counters> compare(String name, Consumer<Job> configure)
      throws Exception {
    assertThat(stock(name, configure).isSuccessful()).as("stock ran %s", name).isTrue();
    Map<TaskAttemptID, Counters> counters = sailfish(name, configure);
    assertThat(OutputFiles.read(temporary.resolve(name + "-sailfish")))
        .isNotEmpty()
        .isEqualTo(OutputFiles.read(temporary.resolve(name + "-stock")));
    return counters;
  }

  private static long sum(Map<TaskAttemptID, Counters> attempts, TaskCounter counter) {
    return attempts.values().stream().mapToLong(own -> own.getCounter(counter)).sum();
  }

  @Test
  void multithreadedMapper() throws Exception {
    Map<TaskAttemptID, Counters> counters =
        compare(
            "multithreaded",
            job -> {
              job.setMapperClass(MultithreadedMapper.class);
              MultithreadedMapper.setMapperClass(job, Lines.class);
              MultithreadedMapper.setNumberOfThreads(job, 8);
              job.getConfiguration().set("sailfish.iappender.memory", "8m");
            });
    assertThat(sum(counters, TaskCounter.MAP_OUTPUT_RECORDS)).isEqualTo(MAPS * LINES);
  }

  /** By the second field as a number, descending, then by the first; partitions by the first. */
  @Test
  void keyFieldBasedComparatorAndPartitioner() throws Exception {
    compare(
        "key-fields",
        job -> {
          job.getConfiguration().set("mapreduce.map.output.key.field.separator", " ");
          job.setPartitionerClass(KeyFieldBasedPartitioner.class);
          job.getConfiguration().set(KeyFieldBasedPartitioner.PARTITIONER_OPTIONS, "-k1,1");
          job.setSortComparatorClass(KeyFieldBasedComparator.class);
          job.getConfiguration()
              .set(KeyFieldBasedComparator.COMPARATOR_OPTIONS, "-k2,2nr -k1,1 -k3,3n");
        });
  }

  /** The same with the classes that the old API has. */
  @Test
  void keyFieldBasedComparatorOfTheOldApi() throws Exception {
    compare(
        "key-fields-old",
        job -> {
          JobConf conf = (JobConf) job.getConfiguration();
          conf.set("mapreduce.map.output.key.field.separator", " ");
          // Sets the comparator of the old API too.
          conf.setKeyFieldComparatorOptions("-k2,2n -k3,3nr");
        });
  }

  /** Groups by what stands before the first space. */
  public static final class Prefixes extends WritableComparator {
    /** For Hadoop. */
    public Prefixes() {
      super(Text.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes") // as WritableComparator has it
    public int compare(WritableComparable left, WritableComparable right) {
      return prefix((Text) left).compareTo(prefix((Text) right));
    }

    private static String prefix(Text key) {
      return key.toString().split(" ", 2)[0];
    }
  }

  /** All of a prefix goes to one reducer. */
  public static final class ByPrefix extends Partitioner<Text, LongWritable> {
    @Override
    public int getPartition(Text key, LongWritable value, int partitions) {
      return Prefixes.prefix(key).hashCode() % partitions;
    }
  }

  @Test
  void combinerGroupingComparator() throws Exception {
    Class<? extends RawComparator<?>> grouping = Prefixes.class.asSubclass(asRaw());
    Map<TaskAttemptID, Counters> counters =
        compare(
            "combiner-grouping",
            job -> {
              job.setPartitionerClass(ByPrefix.class);
              job.setCombinerClass(Sum.class);
              job.getConfiguration()
                  .setClass(
                      JobContext.COMBINER_GROUP_COMPARATOR_CLASS, grouping, RawComparator.class);
              job.setGroupingComparatorClass(Prefixes.class);
            });
    assertThat(sum(counters, TaskCounter.COMBINE_INPUT_RECORDS)).isEqualTo(MAPS * LINES);
    assertThat(sum(counters, TaskCounter.COMBINE_OUTPUT_RECORDS))
        .as("one record for each prefix of a map, of lines that are all different")
        .isEqualTo(MAPS * PREFIXES);
  }

  @SuppressWarnings("unchecked") // there is no class literal of RawComparator<?>
  private static Class<RawComparator<?>> asRaw() {
    return (Class<RawComparator<?>>) (Class<?>) RawComparator.class;
  }

  /** Gives partitions that there are not. */
  public static final class Astray extends Partitioner<Text, LongWritable> {
    @Override
    public int getPartition(Text key, LongWritable value, int partitions) {
      return key.toString().startsWith("p1") ? partitions : 0;
    }
  }

  @Test
  void anIllegalPartitionFailsTheTaskAsWithStock() throws Exception {
    assertFails("astray", job -> job.setPartitionerClass(Astray.class), "Illegal partition for p1");
  }

  @Test
  void aWrongKeyClassFailsTheTaskAsWithStock() throws Exception {
    assertFails(
        "wrong-key",
        job -> job.setMapOutputKeyClass(LongWritable.class),
        "Type mismatch in key from map: expected org.apache.hadoop.io.LongWritable,"
            + " received org.apache.hadoop.io.Text");
  }

  @Test
  void aWrongValueClassFailsTheTaskAsWithStock() throws Exception {
    assertFails(
        "wrong-value",
        job -> job.setMapOutputValueClass(Text.class),
        "Type mismatch in value from map: expected org.apache.hadoop.io.Text,"
            + " received org.apache.hadoop.io.LongWritable");
  }

  /** Both fail, and the task's own exception has the same sentence as stock's. */
  private static void assertFails(String name, Consumer<Job> configure, String sentence)
      throws Exception {
    assertThat(stock(name, configure).isSuccessful()).as("stock ran %s", name).isFalse();
    Path work = temporary.resolve(name + "-stock-tasks");
    Throwable stock =
        catchThrowable(
            () -> {
              Job job = job(work.resolve("output"), configure);
              InProcessJob.runMaps(job, work.toFile());
            });
    Throwable ours = catchThrowable(() -> sailfish(name, configure));
    assertThat(ours).hasStackTraceContaining(sentence);
    assertThat(stock).hasStackTraceContaining(sentence);
    assertThat(root(ours).getMessage()).isEqualTo(root(stock).getMessage());
    assertThat(root(ours)).isInstanceOf(root(stock).getClass());
  }

  private static Throwable root(Throwable failure) {
    return failure.getCause() == null ? failure : root(failure.getCause());
  }

  /**
   * Where the consumer is not Sailfish's, map output is local files, and no metaserver is asked.
   */
  @Test
  void anotherConsumerMeansTheMapOutputOfStock() throws Exception {
    Path work = temporary.resolve("other-consumer");
    Job job = job(work.resolve("output"), own -> {});
    Configuration conf = job.getConfiguration();
    conf.set(MRConfig.FRAMEWORK_NAME, MRConfig.YARN_FRAMEWORK_NAME);
    conf.set("sailfish.metaserver.address", "localhost:1");
    conf.set(
        JobContext.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, SailfishMapOutputCollector.class.getName());
    InProcessJob.runMaps(job, work.toFile());
    try (Stream<Path> files = Files.walk(work)) {
      // All tasks in this JVM share a directory, so each map writes over the output of the last.
      assertThat(files.filter(file -> file.endsWith("file.out"))).hasSize(1);
    }
  }

  /** Appends some records and fails, in one of the maps. */
  public static final class Failing extends Mapper<LongWritable, Text, Text, LongWritable> {
    private int records;

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      boolean failing = context.getTaskAttemptID().getTaskID().getId() == 1;
      if (failing && ++records == LINES / 2) {
        throw new IOException("this map fails");
      }
      context.write(line, new LongWritable(context.getTaskAttemptID().getTaskID().getId()));
    }
  }

  /** The job goes on without a map that failed for good, and none of its records are delivered. */
  @Test
  void mapFailuresMaxPercent() throws Exception {
    Consumer<Job> configure =
        job -> {
          job.setMapperClass(Failing.class);
          job.setReducerClass(Reducer.class);
          job.getConfiguration().setInt(JobContext.MAP_FAILURES_MAX_PERCENT, 50);
          job.getConfiguration().set("sailfish.iappender.memory", "8m");
          job.getConfiguration().set("sailfish.iappender.block.size", "1k");
        };
    sailfish("max-percent", configure);
    String all =
        String.join("", OutputFiles.read(temporary.resolve("max-percent-sailfish")).values());
    assertThat(all.lines()).hasSize((MAPS - 1) * LINES).noneMatch(line -> line.endsWith("\t1"));
    Throwable failure =
        catchThrowable(
            () ->
                sailfish(
                    "max-percent-0",
                    configure.andThen(
                        job ->
                            job.getConfiguration()
                                .setInt(JobContext.MAP_FAILURES_MAX_PERCENT, 0))));
    assertThat(failure).hasStackTraceContaining("this map fails");
  }
}
