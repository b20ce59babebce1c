package dev.sailfish.jobs;

import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.serializer.JavaSerializationComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/**
 * A random job, wholly determined by its seed: key type, order, grouping, combiner, codec, numbers
 * of tasks, how the user's classes go about it, and every record.
 *
 * @param seed everything below follows from it
 * @param keyKind type of the keys
 * @param descending sorted by {@link DescendingComparator} (or LongWritable's own)
 * @param grouped grouped by {@link CoarseGrouping}
 * @param combined values are numbers, summed by a combiner and by the reducer
 * @param codec simple name of a Hadoop codec class for map output, or empty
 * @param maps number of map tasks, 1 to 50
 * @param reduces number of reduce tasks, 1 to 20
 * @param recordsPerMap most records of one map
 * @param cardinality how many different keys there may be
 * @param hotKey half of all records have the same key
 * @param largestValue bytes of the largest value, up to 20 MB
 * @param habits of the user's classes
 */
public record RandomJobSpec(
    long seed,
    KeyKind keyKind,
    boolean descending,
    boolean grouped,
    boolean combined,
    String codec,
    int maps,
    int reduces,
    int recordsPerMap,
    long cardinality,
    boolean hotKey,
    int largestValue,
    Habits habits) {
  /**
   * How the user's classes go about their work. Jobs mix Hadoop's two APIs as they like.
   *
   * @param oldMapper mapper, input format and partitioner are of {@code org.apache.hadoop.mapred}
   * @param oldCombiner so is the combiner, if there is one
   * @param oldReducer so are reducer and output format
   * @param skewed a partitioner of the job's own gives most keys to the last partition
   * @param patience how many values of a group the reducer takes before it goes on to the next; 0 =
   *     all of them
   */
  public record Habits(
      boolean oldMapper, boolean oldCombiner, boolean oldReducer, boolean skewed, int patience) {
    private static Habits draw(SplittableRandom random, boolean combined) {
      boolean oldMapper = random.nextInt(3) == 0;
      boolean oldCombiner = random.nextInt(3) == 0;
      boolean oldReducer = random.nextInt(3) == 0;
      boolean skewed = random.nextInt(4) == 0;
      // A sum of some of the values depends on what the combiner made of them.
      boolean impatient = random.nextInt(4) == 0 && !combined;
      int patience = impatient ? random.nextInt(1, 4) : 0;
      return new Habits(oldMapper, oldCombiner, oldReducer, skewed, patience);
    }
  }

  /** Configuration key that carries the seed to the tasks. */
  public static final String SEED = "random.job.seed";

  /** Configuration key: reducers write records as they come, instead of order-free sums. */
  public static final String AS_THEY_COME = "random.job.as.they.come";

  /**
   * Configuration key: a reduce task may get one partition after the other, so that keys may go
   * backwards between two groups.
   */
  public static final String SEVERAL_PARTITIONS = "random.job.several.partitions";

  /**
   * Configuration key: milliseconds that the last map spreads its records over, the maps before it
   * proportionally less, so that they do not all end at once; 0 when not set.
   */
  public static final String MAP_MS = "random.job.map.ms";

  /**
   * Configuration key: milliseconds that a reduce spreads its records over, about; 0 when not set.
   */
  public static final String REDUCE_MS = "random.job.reduce.ms";

  /**
   * Configuration key: bytes that each value is longer than it is by itself, up to 100 000; 0 when
   * not set. Makes a job with few records one with much to merge.
   */
  public static final String LONGER_BY = "random.job.longer.by";

  private static final String[] CODECS = {
    "", "", "", "Lz4Codec", "SnappyCodec", "ZStandardCodec", "LzoCodec", "DefaultCodec"
  };

  /** The job of a seed. */
  public static RandomJobSpec ofSeed(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    KeyKind kind = KeyKind.values()[random.nextInt(KeyKind.values().length)];
    boolean combined = random.nextInt(4) == 0;
    boolean descending = kind != KeyKind.JAVA_STRING && random.nextInt(4) == 0;
    boolean grouped =
        !combined && !descending && CoarseGrouping.supports(kind) && random.nextInt(2) == 0;
    String codec = CODECS[random.nextInt(CODECS.length)];
    int maps = random.nextInt(10) == 0 ? random.nextInt(1, 51) : random.nextInt(1, 9);
    int reduces = random.nextInt(6) == 0 ? random.nextInt(1, 21) : random.nextInt(1, 6);
    int size = random.nextInt(20);
    int records = size == 0 ? 0 : size < 4 ? 3 : random.nextInt(1, 30_000 / maps);
    long cardinality = random.nextInt(3) == 0 ? random.nextInt(1, 20) : 1L << random.nextInt(2, 40);
    boolean hot = random.nextInt(6) == 0;
    int largest = random.nextInt(12) == 0 ? 20 << 20 : random.nextInt(3) == 0 ? 100_000 : 200;
    return new RandomJobSpec(
        seed,
        kind,
        descending,
        grouped,
        combined,
        codec,
        maps,
        reduces,
        records,
        cardinality,
        hot,
        combined ? 0 : largest,
        Habits.draw(random, combined));
  }

  /** The spec that a task's configuration carries. */
  public static RandomJobSpec of(Configuration conf) {
    return ofSeed(conf.getLong(SEED, 0));
  }

  /** Writes the job into a configuration; the caller adds output path and shuffle. */
  public void configure(Job job) {
    JobConf conf = (JobConf) job.getConfiguration();
    conf.setLong(SEED, seed);
    job.setJobName(toString());
    job.setJarByClass(RandomJobSpec.class);
    configureMapper(job, conf);
    configureReducer(job, conf);
    job.setMapOutputKeyClass(keyKind.type());
    job.setMapOutputValueClass(combined ? LongWritable.class : BytesWritable.class);
    job.setOutputKeyClass(NullWritable.class);
    job.setNumReduceTasks(reduces);
    if (keyKind == KeyKind.JAVA_STRING) {
      // In no other job: with it no task is isolated from the one before it in its JVM.
      conf.set(
          "io.serializations",
          "org.apache.hadoop.io.serializer.WritableSerialization,"
              + "org.apache.hadoop.io.serializer.JavaSerialization");
      conf.setClass(
          MRJobConfig.KEY_COMPARATOR, JavaSerializationComparator.class, RawComparator.class);
    } else if (descending && keyKind == KeyKind.LONG) {
      job.setSortComparatorClass(LongWritable.DecreasingComparator.class);
    } else if (descending) {
      job.setSortComparatorClass(DescendingComparator.class);
    }
    if (grouped) {
      job.setGroupingComparatorClass(CoarseGrouping.class);
    }
  }

  private void configureMapper(Job job, JobConf conf) {
    if (habits.oldMapper()) {
      conf.setInputFormat(OldRandomInputFormat.class);
      conf.setMapperClass(OldRandomMapper.class);
      if (habits.skewed()) {
        conf.setPartitionerClass(OldSkewedPartitioner.class);
      }
      return;
    }
    job.setInputFormatClass(RandomInputFormat.class);
    job.setMapperClass(RandomMapper.class);
    if (habits.skewed()) {
      job.setPartitionerClass(SkewedPartitioner.class);
    }
  }

  private void configureReducer(Job job, JobConf conf) {
    if (combined && habits.oldCombiner()) {
      conf.setCombinerClass(OldSumCombiner.class);
    } else if (combined) {
      job.setCombinerClass(SumCombiner.class);
    }
    if (habits.oldReducer()) {
      conf.setReducerClass(OldDigestReducer.class);
      // The old API's default is its own TextOutputFormat.
    } else {
      job.setReducerClass(DigestReducer.class);
      job.setOutputFormatClass(TextOutputFormat.class);
    }
  }

  /** The generator of one map's records. */
  SplittableRandom recordsOf(int map) {
    return new SplittableRandom(seed * 31 + map * 0x9e3779b97f4a7c15L);
  }
}
