package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A scripted metaserver with scripted chunkservers that hold one partition. */
final class Cluster implements Closeable {
  private final Partition partition;
  private final ScriptedMetaserver metaserver;
  private final List<ScriptedChunkserver> chunkservers = new ArrayList<>();

  Cluster(Partition partition, int servers) throws IOException {
    this.partition = partition;
    metaserver = new ScriptedMetaserver(partition::plan);
    for (int i = 0; i < servers; i++) {
      chunkservers.add(new ScriptedChunkserver());
    }
    upload();
  }

  /** Puts all chunks on the servers, in turns, and tells the metaserver. */
  void upload() {
    for (long chunk : partition.chunkIds()) {
      ScriptedChunkserver server = serverOf(chunk);
      server.put(chunk, partition.file(chunk));
      partition.place(chunk, server.address());
    }
    metaserver.describe(partition.describe());
  }

  ScriptedChunkserver serverOf(long chunk) {
    return chunkservers.get((int) (chunk % chunkservers.size()));
  }

  ScriptedMetaserver metaserver() {
    return metaserver;
  }

  ImergerConfig config(long memoryBytes, Path directory, Duration deadline) {
    return new ImergerConfig(metaserver.address(), memoryBytes, directory, deadline);
  }

  ImergerConfig config(Path directory) {
    return config(32 << 20, directory, Duration.ofSeconds(20));
  }

  Imerger open(ImergerConfig config) throws IOException {
    return Imerger.open(config, Partition.JOB, Partition.NUMBER, partition.order(), "test");
  }

  /** Merges everything and compares it with what the partition expects. */
  MergeStatistics checkMerge(ImergerConfig config, int... winners) throws IOException {
    try (Imerger imerger = open(config)) {
      imerger.start(winners);
      checkRest(imerger, winners);
      return imerger.statistics();
    }
  }

  void checkRest(Imerger imerger, int... winners) throws IOException {
    List<Partition.Item> expected = partition.expected(winners);
    assertThat(imerger.statistics().totalRecordsExpected()).isEqualTo(expected.size());
    for (int i = 0; i < expected.size(); i++) {
      assertThat(imerger.next()).as("record %d of %d", i, expected.size()).isTrue();
      checkRecord(imerger, expected.get(i), i);
    }
    assertThat(imerger.next()).isFalse();
    assertThat(imerger.next()).isFalse();
    assertThat(imerger.statistics().records()).isEqualTo(expected.size());
    if (!expected.isEmpty()) {
      assertThat(imerger.statistics().fraction()).isEqualTo(1f);
    }
  }

  private static void checkRecord(Imerger imerger, Partition.Item expected, int number) {
    int keyEnd = imerger.keyOffset() + imerger.keyLength();
    int valueEnd = imerger.valueOffset() + imerger.valueLength();
    boolean same =
        Arrays.equals(
                imerger.keyBuffer(),
                imerger.keyOffset(),
                keyEnd,
                expected.key(),
                0,
                expected.key().length)
            && Arrays.equals(
                imerger.valueBuffer(),
                imerger.valueOffset(),
                valueEnd,
                expected.value(),
                0,
                expected.value().length);
    assertThat(same)
        .as(
            "record %d: key length=%d expected=%d value length=%d expected=%d",
            number,
            imerger.keyLength(),
            expected.key().length,
            imerger.valueLength(),
            expected.value().length)
        .isTrue();
  }

  @Override
  public void close() throws IOException {
    metaserver.close();
    assertThat(metaserver.failures()).isEmpty();
    for (ScriptedChunkserver server : chunkservers) {
      server.close();
      assertThat(server.failures()).isEmpty();
    }
  }
}
