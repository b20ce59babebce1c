package dev.sailfish.benchmarks.jobs.mapreduce;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * The paper's synthetic benchmark: maps generate records, the shuffle partitions and sorts them,
 * reduces check and discard them. Nothing is read and nothing is written, so what is left is the
 * shuffle.
 *
 * <p>Reduces check that keys ascend, that each record belongs into their partition, and sizes; map
 * and reduce sides count records and sum up a hash of each, and the driver compares the two sides.
 * Exit code 0 only if all of it is right.
 *
 * <p>With {@code own-work} there is no shuffle: maps serialize into nothing and reduces get records
 * that are made for them, in order. What is left is the job's own work.
 */
public final class PartitionedSortJob extends Configured implements Tool {
  private static final int NUMBERS = 5;
  private static final String USAGE =
      "usage: PartitionedSortJob RECORDS MAPS REDUCES SEED HEAVY [comparator] [own-work]";

  /** Generates the records of one split. */
  public static final class GeneratingMapper
      extends Mapper<LongWritable, LongWritable, BytesWritable, BytesWritable> {
    @Override
    protected void map(LongWritable seed, LongWritable records, Context context)
        throws IOException, InterruptedException {
      byte[] key = new byte[SyntheticRecords.KEY_BYTES];
      byte[] value = SyntheticRecords.newValue();
      BytesWritable keyWritable = new BytesWritable(key); // both wrap the arrays, they do not copy
      BytesWritable valueWritable = new BytesWritable(value);
      SyntheticRecords source = new SyntheticRecords(seed.get());
      long hashSum = 0;
      for (long i = 0; i < records.get(); i++) {
        source.next(key, value);
        hashSum += SyntheticRecords.hash(key, value);
        context.write(keyWritable, valueWritable);
      }
      context.getCounter(Check.MAP_RECORDS).increment(records.get());
      context.getCounter(Check.MAP_HASH_SUM).increment(hashSum);
    }
  }

  /**
   * Checks the records of its partitions and discards them: those of its number, or those that a
   * plan of the reduce work says.
   */
  public static final class CheckingReducer
      extends Reducer<BytesWritable, BytesWritable, NullWritable, NullWritable> {
    private KeyCheck keys;
    private long records;
    private long hashSum;

    @Override
    protected void setup(Context context) {
      keys = new KeyCheck(context);
    }

    @Override
    protected void reduce(BytesWritable key, Iterable<BytesWritable> values, Context context) {
      if (key.getLength() != SyntheticRecords.KEY_BYTES) {
        context.getCounter(Check.WRONG_SIZE).increment(1);
        return;
      }
      keys.next(key, context);
      for (BytesWritable value : values) {
        records++;
        if (value.getLength() == SyntheticRecords.VALUE_BYTES) {
          hashSum += SyntheticRecords.hash(key.getBytes(), value.getBytes());
        } else {
          context.getCounter(Check.WRONG_SIZE).increment(1);
        }
      }
    }

    @Override
    protected void cleanup(Context context) {
      context.getCounter(Check.REDUCE_RECORDS).increment(records);
      context.getCounter(Check.REDUCE_HASH_SUM).increment(hashSum);
    }
  }

  /** The usual order, by a class that no shuffle knows: it is called for each comparison. */
  public static final class KeyBytesComparator extends BytesWritable.Comparator {}

  @Override
  public int run(String[] arguments) throws Exception {
    List<String> words =
        List.of(arguments).subList(Math.min(NUMBERS, arguments.length), arguments.length);
    if (arguments.length < NUMBERS || !List.of("comparator", "own-work").containsAll(words)) {
      System.err.println(USAGE);
      return 2;
    }
    long records = Long.parseLong(arguments[0]);
    Configuration configuration = getConf();
    configuration.setLong(SyntheticInputFormat.RECORDS, records);
    configuration.setInt(SyntheticInputFormat.SPLITS, Integer.parseInt(arguments[1]));
    configuration.setLong(SyntheticInputFormat.SEED, Long.parseLong(arguments[3]));
    configuration.setInt(HeavyPartitioner.HEAVY, Integer.parseInt(arguments[4]));
    int reduces = Integer.parseInt(arguments[2]);
    KeyCheck.setPartitions(configuration, reduces);
    Job job = Job.getInstance(configuration, "partitioned sort");
    job.setJarByClass(PartitionedSortJob.class);
    job.setInputFormatClass(SyntheticInputFormat.class);
    job.setMapperClass(GeneratingMapper.class);
    job.setReducerClass(CheckingReducer.class);
    job.setPartitionerClass(HeavyPartitioner.class);
    if (reduces > 0) {
      job.setNumReduceTasks(reduces);
    }
    if (words.contains("comparator")) {
      job.setSortComparatorClass(KeyBytesComparator.class);
    }
    job.setMapOutputKeyClass(BytesWritable.class);
    job.setMapOutputValueClass(BytesWritable.class);
    job.setOutputFormatClass(NullOutputFormat.class);
    boolean ownWork = words.contains("own-work");
    if (ownWork) {
      setOwnWork(job.getConfiguration());
    }
    return job.waitForCompletion(true) && isRight(job.getCounters(), records, ownWork) ? 0 : 1;
  }

  /** Leaves the shuffle out, whichever one the job has. */
  private static void setOwnWork(Configuration configuration) {
    configuration.setClass(
        MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
        OwnWorkCollector.class,
        MapOutputCollector.class);
    configuration.setClass(
        MRConfig.SHUFFLE_CONSUMER_PLUGIN, OwnWorkConsumer.class, ShuffleConsumerPlugin.class);
  }

  private static boolean isRight(Counters counters, long records, boolean ownWork) {
    Verdict verdict =
        new Verdict(counters)
            .equal("records generated", records, Check.MAP_RECORDS)
            .equal("records reduced", records, Check.REDUCE_RECORDS)
            .equal("records of a wrong size", 0, Check.WRONG_SIZE)
            .keysWereInPlace();
    if (!ownWork) { // else reduces have seen others than maps have made
      verdict.equal("sum of hashes", Check.MAP_HASH_SUM, Check.REDUCE_HASH_SUM);
    }
    return verdict.isRight();
  }

  /**
   * Runs the job: RECORDS MAPS REDUCES SEED HEAVY [comparator] [own-work]; 0 reduces: it does not
   * say.
   */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new PartitionedSortJob(), arguments));
  }
}
