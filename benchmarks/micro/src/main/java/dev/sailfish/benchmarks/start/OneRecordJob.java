package dev.sailfish.benchmarks.start;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A job of one map, one partition and one record: 10 bytes of key, 90 bytes of value. */
final class OneRecordJob {
  private static final byte[] KEY = new byte[10];
  private static final byte[] SECRET = new byte[32];
  private static final byte[] VALUE = new byte[90];
  private static final int[] WINNERS = {0, 0};
  private static final long MERGER_MEMORY = 128 << 20;
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private OneRecordJob() {}

  /** All of the map's side: open, append, commit, close. */
  static long append(InetSocketAddress metaserver, String job) throws IOException {
    return append(metaserver, job, credentials(job));
  }

  /** The same as a task that may be the first of its job. */
  static long append(InetSocketAddress metaserver, String job, Credentials credentials)
      throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            List.of(metaserver), "127.0.0.1", "benchmark", 0, 0, 0, DEADLINE, 0, credentials);
    IfileSpec spec = new IfileSpec(job, 1, order(), CodecId.NONE);
    try (Iappender appender = Iappender.open(config, spec, 0, 0)) {
      appender.append(0, KEY, 0, KEY.length, VALUE, 0, VALUE.length);
      return appender.commit();
    }
  }

  /** All of the reduce's side, to the end; returns the bytes of all keys and values. */
  static long read(InetSocketAddress metaserver, String job) throws IOException {
    Path spills = Path.of(System.getProperty("java.io.tmpdir"));
    ImergerConfig config =
        new ImergerConfig(List.of(metaserver), MERGER_MEMORY, spills, DEADLINE, credentials(job));
    long bytes = 0;
    try (Imerger imerger = Imerger.open(config, job, 0, order(), "benchmark")) {
      imerger.start(WINNERS);
      while (imerger.next()) {
        bytes += imerger.keyLength() + imerger.valueLength();
      }
    }
    return bytes;
  }

  /** Those of a task, for a job that the metaserver knows. */
  static Credentials credentials(String job) {
    return Credentials.ofJob(job, SECRET);
  }

  private static KeyOrder order() {
    return KeyOrder.normalized(KeyEncoding.RAW);
  }
}
