package dev.sailfish.jobs;

import java.util.SplittableRandom;
import org.apache.hadoop.io.BooleanWritable;
import org.apache.hadoop.io.ByteWritable;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.ShortWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.VIntWritable;
import org.apache.hadoop.io.VLongWritable;

/** The key types of random jobs. */
public enum KeyKind {
  /** Text of 0 to 200 bytes, sometimes with long common prefixes. */
  TEXT(Text.class),
  /** BytesWritable of 0 to 300 bytes. */
  BYTES(BytesWritable.class),
  /** IntWritable. */
  INT(IntWritable.class),
  /** LongWritable. */
  LONG(LongWritable.class),
  /** ShortWritable. */
  SHORT(ShortWritable.class),
  /** ByteWritable. */
  BYTE(ByteWritable.class),
  /** FloatWritable with NaN, infinities and both zeros. */
  FLOAT(FloatWritable.class),
  /** DoubleWritable with NaN, infinities and both zeros. */
  DOUBLE(DoubleWritable.class),
  /** BooleanWritable. */
  BOOLEAN(BooleanWritable.class),
  /** VIntWritable, which has no RawComparator of its own. */
  VINT(VIntWritable.class),
  /** VLongWritable, which has no RawComparator of its own. */
  VLONG(VLongWritable.class),
  /** NullWritable: one group. */
  NULL(NullWritable.class),
  /** A WritableComparable with a registered RawComparator. */
  RAW_PAIR(RawPair.class),
  /** A WritableComparable without a RawComparator. */
  PLAIN_PAIR(PlainPair.class),
  /** java.lang.String through Java serialization. */
  JAVA_STRING(String.class);

  private final Class<?> type;

  KeyKind(Class<?> type) {
    this.type = type;
  }

  /** The class of the keys. */
  public Class<?> type() {
    return type;
  }

  /** A new key made from {@code ordinal}, one of {@code cardinality} different ones or fewer. */
  public Object key(long ordinal) {
    SplittableRandom random = new SplittableRandom(ordinal * 0x9e3779b97f4a7c15L + ordinal());
    return switch (this) {
      case TEXT -> new Text(text(random, ordinal));
      case BYTES -> new BytesWritable(bytes(random));
      case INT -> new IntWritable(random.nextInt() >> random.nextInt(32));
      case LONG -> new LongWritable(random.nextLong() >> random.nextInt(64));
      case SHORT -> new ShortWritable((short) (random.nextInt() >> random.nextInt(16)));
      case BYTE -> new ByteWritable((byte) random.nextInt());
      case FLOAT -> new FloatWritable(number(random).floatValue());
      case DOUBLE -> new DoubleWritable(number(random));
      case BOOLEAN -> new BooleanWritable(random.nextBoolean());
      case VINT -> new VIntWritable(random.nextInt() >> random.nextInt(32));
      case VLONG -> new VLongWritable(random.nextLong() >> random.nextInt(64));
      case NULL -> NullWritable.get();
      case RAW_PAIR -> new RawPair(random.nextInt(20), random.nextInt(-50, 50));
      case PLAIN_PAIR -> new PlainPair(random.nextInt(20), random.nextInt(-50, 50));
      case JAVA_STRING -> text(random, ordinal);
    };
  }

  private static Double number(SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> 0.0;
      case 1 -> -0.0;
      case 2 -> Double.NaN;
      case 3 -> Double.NEGATIVE_INFINITY;
      case 4 -> Double.POSITIVE_INFINITY;
      default -> (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(-30, 30));
    };
  }

  private static String text(SplittableRandom random, long ordinal) {
    String prefix = ordinal % 3 == 0 ? "a long prefix that many keys have in common " : "";
    StringBuilder text = new StringBuilder(prefix);
    int length = random.nextInt(4) == 0 ? random.nextInt(200) : random.nextInt(12);
    for (int i = 0; i < length; i++) {
      text.append((char) (random.nextInt(20) == 0 ? 0x20ac : 'a' + random.nextInt(26)));
    }
    return text.toString();
  }

  private static byte[] bytes(SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(6) == 0 ? random.nextInt(300) : random.nextInt(8)];
    random.nextBytes(bytes);
    return bytes;
  }
}
