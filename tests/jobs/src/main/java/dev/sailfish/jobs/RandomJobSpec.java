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
 * of tasks, and every record.
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
    int largestValue) {
  /** Configuration key that carries the seed to the tasks. */
  public static final String SEED = "random.job.seed";

  /** Configuration key: reducers write records as they come, instead of order-free sums. */
  public static final String AS_THEY_COME = "random.job.as.they.come";

  /**
   * Configuration key: milliseconds that the last map spreads its records over, the maps before it
   * proportionally less, so that they do not all end at once; 0 when not set.
   */
  public static final String MAP_MS = "random.job.map.ms";

  /**
   * Configuration key: milliseconds that a reduce spreads its records over, about; 0 when not set.
   */
  public static final String REDUCE_MS = "random.job.reduce.ms";

  private static final String[] CODECS = {
    "", "", "", "Lz4Codec", "SnappyCodec", "ZStandardCodec", "LzoCodec", "DefaultCodec"
  };

  /** The job of a seed; {@code scale} bounds maps and records: 1 = in one process, small. */
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
        combined ? 0 : largest);
  }

  /** The spec that a task's configuration carries. */
  public static RandomJobSpec of(Configuration conf) {
    return ofSeed(conf.getLong(SEED, 0));
  }

  /** Whether a byte comparator of Hadoop orders the keys, so that equal means equal bytes. */
  public boolean combinable() {
    return combined;
  }

  /** Writes the job into a configuration; the caller adds output path and shuffle. */
  public void configure(Job job) {
    JobConf conf = (JobConf) job.getConfiguration();
    conf.setLong(SEED, seed);
    job.setJobName(toString());
    job.setJarByClass(RandomJobSpec.class);
    job.setInputFormatClass(RandomInputFormat.class);
    job.setMapperClass(RandomMapper.class);
    job.setReducerClass(DigestReducer.class);
    job.setMapOutputKeyClass(keyKind.type());
    job.setMapOutputValueClass(combined ? LongWritable.class : BytesWritable.class);
    job.setOutputKeyClass(NullWritable.class);
    job.setOutputFormatClass(TextOutputFormat.class);
    job.setNumReduceTasks(reduces);
    conf.set(
        "io.serializations",
        "org.apache.hadoop.io.serializer.WritableSerialization,"
            + "org.apache.hadoop.io.serializer.JavaSerialization");
    if (combined) {
      job.setCombinerClass(SumCombiner.class);
    }
    if (keyKind == KeyKind.JAVA_STRING) {
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

  /** The generator of one map's records. */
  SplittableRandom recordsOf(int map) {
    return new SplittableRandom(seed * 31 + map * 0x9e3779b97f4a7c15L);
  }
}
