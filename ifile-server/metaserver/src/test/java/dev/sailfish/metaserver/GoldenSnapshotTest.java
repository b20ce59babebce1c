package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.metaserver.wire.Bind;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.Register;
import dev.sailfish.metaserver.wire.Reports;
import dev.sailfish.metaserver.wire.ServerDied;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A snapshot of version 1, byte for byte: later releases must be able to read it. */
class GoldenSnapshotTest {
  private static final String FILE = "/golden/snapshot-1.hex";

  private static JournalEntry.Builder entry(long timeMs) {
    return JournalEntry.newBuilder().setVersion(1).setTimeMs(timeMs);
  }

  private static MetaserverState state() {
    MetaserverState state = ReplayTest.fresh();
    long chunk = 1_000L << 20;
    List<JournalEntry> entries =
        List.of(
            RandomEntries.lead(5, 1_000),
            entry(10)
                .setRegister(
                    Register.newBuilder().setRequest(CoreFixture.server("s1")).setRack("/r1"))
                .build(),
            entry(11)
                .setRegister(
                    Register.newBuilder().setRequest(CoreFixture.server("s2")).setRack("/r2"))
                .build(),
            entry(20).setCreate(CoreFixture.job("job_1_1", 3)).build(),
            entry(21).setCreate(CoreFixture.job("job_1_2", 1)).build(),
            bind(30, 0),
            bind(31, 1),
            entry(40)
                .setReports(
                    Reports.newBuilder()
                        .setServerId("s1")
                        .addChunks(CoreFixture.report("job_1_1", chunk, 0, ChunkState.SORTED)))
                .build(),
            entry(50)
                .setCommit(
                    CommitManifestRequest.newBuilder()
                        .setJob("job_1_1")
                        .addPartitions(CoreFixture.wrote(0, chunk)))
                .build(),
            entry(60).setDied(ServerDied.newBuilder().setServerId("s2").setSilentMs(9)).build(),
            entry(70).setEnd(EndJob.newBuilder().setJob("job_1_2").setReason("test")).build());
    for (JournalEntry entry : entries) {
      assertThat(EntryApplier.apply(state, entry).getMessage()).isEmpty();
    }
    return state;
  }

  private static JournalEntry bind(long timeMs, int map) {
    return entry(timeMs)
        .setBind(
            Bind.newBuilder()
                .setRack("/r1")
                .setRequest(
                    BindRequest.newBuilder()
                        .setJob("job_1_1")
                        .setMap(map)
                        .addTargets(CoreFixture.target(0))
                        .addTargets(CoreFixture.target(2))))
        .build();
  }

  @Test
  void isWrittenAsItWas() throws IOException {
    assertThat(HexFormat.of().formatHex(ReplayTest.snapshot(state()))).isEqualTo(golden());
  }

  @Test
  void isReadAsItWas() throws IOException {
    MetaserverState read = ReplayTest.restored(HexFormat.of().parseHex(golden()));
    assertThat(HexFormat.of().formatHex(ReplayTest.snapshot(read))).isEqualTo(golden());
    assertThat(read.jobNames()).containsExactly("job_1_1");
    assertThat(read.gauges())
        .containsEntry("metaserver_chunks_sorted", 1L)
        .containsEntry("metaserver_chunks_open", 1L)
        .containsEntry("metaserver_manifests_held", 1L)
        .containsEntry("metaserver_appenders_bound", 2L);
  }

  private static String golden() throws IOException {
    try (InputStream in = GoldenSnapshotTest.class.getResourceAsStream(FILE)) {
      assertThat(in).as(FILE).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).replaceAll("\\s", "");
    }
  }
}
