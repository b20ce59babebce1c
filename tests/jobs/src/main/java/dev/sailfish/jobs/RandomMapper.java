package dev.sailfish.jobs;

import java.io.IOException;
import java.util.SplittableRandom;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits the records of one map of a {@link RandomJobSpec}. */
public final class RandomMapper extends Mapper<IntWritable, NullWritable, Object, Object> {
  /** For Hadoop's reflection. */
  public RandomMapper() {}

  @Override
  protected void map(IntWritable map, NullWritable nothing, Context context)
      throws IOException, InterruptedException {
    RandomJobSpec spec = RandomJobSpec.of(context.getConfiguration());
    SplittableRandom random = spec.recordsOf(map.get());
    int records = spec.recordsPerMap() == 0 ? 0 : random.nextInt(spec.recordsPerMap() + 1);
    int longest = context.getConfiguration().getInt(RandomJobSpec.MAP_MS, 0);
    Pace pace = new Pace(longest * (map.get() + 1) / spec.maps(), records);
    int largeRecords = spec.largestValue() > 1 << 20 && map.get() < 2 ? 1 : 0;
    for (int i = 0; i < records; i++) {
      pace.step(context);
      boolean hot = spec.hotKey() && random.nextBoolean();
      Object key = spec.keyKind().key(hot ? 1 : random.nextLong(spec.cardinality()));
      if (spec.combined()) {
        context.write(key, new LongWritable(random.nextInt(1000)));
      } else {
        boolean large = largeRecords > 0 && i == records / 2;
        context.write(key, new BytesWritable(value(spec, random, large)));
      }
    }
  }

  private static byte[] value(RandomJobSpec spec, SplittableRandom random, boolean large) {
    int length;
    if (large) {
      length = spec.largestValue();
    } else if (random.nextInt(500) == 0) {
      length = random.nextInt(Math.min(spec.largestValue(), 100_000) + 1);
    } else {
      length = random.nextInt(8) == 0 ? 0 : random.nextInt(100);
    }
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
