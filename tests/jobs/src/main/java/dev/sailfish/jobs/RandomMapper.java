package dev.sailfish.jobs;

import java.io.IOException;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.util.Progressable;

/** Emits the records of one map of a {@link RandomJobSpec}. */
public final class RandomMapper extends Mapper<IntWritable, NullWritable, Object, Object> {
  /** For Hadoop's reflection. */
  public RandomMapper() {}

  @Override
  protected void map(IntWritable map, NullWritable nothing, Context context) throws IOException {
    emit(context.getConfiguration(), map.get(), new ContextCollector<>(context), context);
  }

  static void emit(
      Configuration conf, int map, OutputCollector<Object, Object> output, Progressable task)
      throws IOException {
    RandomJobSpec spec = RandomJobSpec.of(conf);
    SplittableRandom random = spec.recordsOf(map);
    int records = spec.recordsPerMap() == 0 ? 0 : random.nextInt(spec.recordsPerMap() + 1);
    int longest = conf.getInt(RandomJobSpec.MAP_MS, 0);
    Pace pace = new Pace(longest * (map + 1) / spec.maps(), records);
    int longerBy = conf.getInt(RandomJobSpec.LONGER_BY, 0);
    int largeRecords = spec.largestValue() > 1 << 20 && map < 2 ? 1 : 0;
    for (int i = 0; i < records; i++) {
      pace.step(task);
      boolean hot = spec.hotKey() && random.nextBoolean();
      Object key = spec.keyKind().key(hot ? 1 : random.nextLong(spec.cardinality()));
      if (spec.combined()) {
        output.collect(key, new LongWritable(random.nextInt(1000)));
      } else {
        boolean large = largeRecords > 0 && i == records / 2;
        output.collect(key, new BytesWritable(value(spec, random, large, longerBy)));
      }
    }
  }

  private static byte[] value(
      RandomJobSpec spec, SplittableRandom random, boolean large, int longerBy) {
    int length;
    if (large) {
      length = spec.largestValue();
    } else if (random.nextInt(500) == 0) {
      length = random.nextInt(Math.min(spec.largestValue(), 100_000) + 1);
    } else {
      length = random.nextInt(8) == 0 ? 0 : random.nextInt(100);
    }
    length += large ? 0 : longerBy;
    byte[] bytes = new byte[length];
    if (length > 1 << 20) {
      java.util.Arrays.fill(bytes, (byte) random.nextInt());
      return bytes;
    }
    random.nextBytes(bytes);
    // Half of it compressible.
    java.util.Arrays.fill(bytes, length / 2, length, (byte) 'x');
    return bytes;
  }
}
