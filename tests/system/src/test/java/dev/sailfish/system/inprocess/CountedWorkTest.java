package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.testkit.SeedExtension;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Guards speed by counting work instead of seconds, so that a slow machine cannot fail it: what the
 * two ends of the shuffle allocate in the task's thread is far from an object per record, the
 * smallest of which has 16 bytes.
 */
@ExtendWith(SeedExtension.class)
class CountedWorkTest {
  private static final int RECORDS = 2_000_000;
  private static final int KEY_BYTES = 10;
  private static final int VALUE_BYTES = 90;
  private static final long APPENDER_MEMORY = IappenderConfig.DEFAULT_MEMORY_BYTES;
  private static final long MERGER_MEMORY = 4 << 20;
  private static final double MOST_BYTES_PER_RECORD = 12;

  /** HotSpot's FreqInlineSize: a method with more bytes of code is never inlined. */
  private static final int FREQUENT_INLINE_SIZE = 325;

  private static final int MOST_COMPILED_AT_ONCE = 1000;
  private static final byte[] SECRET = new byte[32];
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir Path temporary;

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  @Test
  void neitherEndShouldAllocatePerRecord(SplittableRandom random) throws Exception {
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 1, Map.of())) {
      long before = allocated();
      append(daemons, random);
      double appending = (double) (allocated() - before) / RECORDS;
      before = allocated();
      read(daemons);
      double reading = (double) (allocated() - before) / RECORDS;
      System.out.printf("CountedWorkTest bytes per record: %.1f %.1f%n", appending, reading);
      assertThat(appending).as("appending").isLessThan(MOST_BYTES_PER_RECORD);
      assertThat(reading).as("reading").isLessThan(MOST_BYTES_PER_RECORD);
    }
  }

  /** Hadoop reaches both through several small methods, into each of which they would be copied. */
  @ParameterizedTest
  @CsvSource({
    "dev.sailfish.hadoop.IfileMapOutputCollector,synchronized void collect(",
    "dev.sailfish.imerger.Imerger,boolean next("
  })
  void whatIsCalledForEachRecordShouldBeTooLongToBeInlined(String type, String method) {
    StringWriter text = new StringWriter();
    ToolProvider javap = ToolProvider.findFirst("javap").orElseThrow();
    PrintWriter out = new PrintWriter(text);
    javap.run(out, out, "-c", "-cp", System.getProperty("java.class.path"), type);
    String code = text.toString().split(Pattern.quote(method), 2)[1].split("\n\n", 2)[0];
    int length =
        Pattern.compile("^ *(\\d+): ", Pattern.MULTILINE)
            .matcher(code)
            .results()
            .mapToInt(line -> Integer.parseInt(line.group(1)))
            .max()
            .orElseThrow();
    assertThat(length).isBetween(FREQUENT_INLINE_SIZE + 1, MOST_COMPILED_AT_ONCE);
  }

  private static void append(SailfishDaemons daemons, SplittableRandom random) throws Exception {
    IappenderConfig config =
        new IappenderConfig(
            List.of(daemons.address()),
            "127.0.0.1",
            "test",
            APPENDER_MEMORY,
            256 << 10,
            0,
            DEADLINE,
            0,
            daemons.task("counted", SECRET));
    IfileSpec spec =
        new IfileSpec("counted", 1, KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE);
    byte[] key = new byte[KEY_BYTES];
    byte[] value = new byte[VALUE_BYTES];
    try (Iappender appender = Iappender.open(config, spec, 0, 0)) {
      for (int i = 0; i < RECORDS; i++) {
        random.nextBytes(key);
        appender.append(0, key, 0, KEY_BYTES, value, 0, VALUE_BYTES);
      }
      appender.commit();
    }
  }

  private void read(SailfishDaemons daemons) throws Exception {
    ImergerConfig config =
        new ImergerConfig(
            List.of(daemons.address()),
            MERGER_MEMORY,
            temporary,
            DEADLINE,
            daemons.task("counted", SECRET));
    KeyOrder order = KeyOrder.normalized(KeyEncoding.RAW);
    try (Imerger imerger = Imerger.open(config, "counted", 0, order, "test")) {
      imerger.start(new int[] {0, 0});
      int records = 0;
      while (imerger.next()) {
        records++;
      }
      assertThat(records).isEqualTo(RECORDS);
    }
  }
}
