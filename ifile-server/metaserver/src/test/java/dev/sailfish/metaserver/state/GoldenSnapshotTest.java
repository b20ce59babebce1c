package dev.sailfish.metaserver.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.manifest.AttemptId;
import dev.sailfish.metaserver.manifest.ManifestEntry;
import dev.sailfish.metaserver.state.RandomEntries.Timed;
import dev.sailfish.metaserver.wire.Admit;
import dev.sailfish.metaserver.wire.Bind;
import dev.sailfish.metaserver.wire.CloseChunks;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.HandOver;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.Register;
import dev.sailfish.metaserver.wire.Reports;
import dev.sailfish.metaserver.wire.ServerDied;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.DrainRequest;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A snapshot of version 2, byte for byte: later releases must be able to read it. */
class GoldenSnapshotTest {
  private static final String FILE = "/golden/snapshot-2.hex";
  private static final String KEPT = "/golden/snapshot-2-kept.hex";
  private static final String EARLIER = "/golden/snapshot-1.hex";

  private static JournalEntry.Builder entry() {
    return JournalEntry.newBuilder().setVersion(EntryApplier.VERSION);
  }

  private static Timed at(long timeMs, JournalEntry entry) {
    return new Timed(timeMs, entry);
  }

  private static JournalEntry leadThatKeepsNothing() {
    JournalEntry lead = RandomEntries.lead(5, 1_000).entry();
    return lead.toBuilder().setLead(lead.getLead().toBuilder().clearKeepMostMs()).build();
  }

  private static MetaserverState state() {
    MetaserverState state = ReplayTest.fresh();
    long chunk = 1_000L << 20;
    List<Timed> entries = new ArrayList<>();
    entries.addAll(
        List.of(
            at(5, leadThatKeepsNothing()),
            at(
                10,
                entry()
                    .setRegister(
                        Register.newBuilder().setRequest(CoreFixture.server("s1")).setRack("/r1"))
                    .build()),
            at(
                11,
                entry()
                    .setRegister(
                        Register.newBuilder().setRequest(CoreFixture.server("s2")).setRack("/r2"))
                    .build()),
            at(20, entry().setCreate(CoreFixture.job("job_1_1", 3)).build()),
            at(21, entry().setCreate(CoreFixture.job("job_1_2", 1)).build()),
            bind(30, 0),
            bind(31, 1),
            at(
                40,
                entry()
                    .setReports(
                        Reports.newBuilder()
                            .setServerId("s1")
                            .addChunks(CoreFixture.report("job_1_1", chunk, 0, ChunkState.SORTED)))
                    .build()),
            at(
                50,
                entry()
                    .setCommit(
                        CommitManifestRequest.newBuilder()
                            .setJob("job_1_1")
                            .addPartitions(CoreFixture.wrote(0, chunk)))
                    .build())));
    entries.addAll(others(chunk));
    entries.addAll(
        List.of(
            at(
                60,
                entry().setDied(ServerDied.newBuilder().setServerId("s2").setSilentMs(9)).build()),
            at(
                70,
                entry().setEnd(EndJob.newBuilder().setJob("job_1_2").setReason("test")).build())));
    for (Timed entry : entries) {
      assertThat(entry.applyTo(state).getMessage()).isEmpty();
    }
    return state;
  }

  /** What came with held partitions, keys and drains. */
  private static List<Timed> others(long chunk) {
    return List.of(
        at(
            51,
            entry()
                .setAbort(
                    AbortAttemptRequest.newBuilder()
                        .setJob("job_1_1")
                        .setMap(5)
                        .setNotRepeatable(true))
                .build()),
        at(
            52,
            entry()
                .setUnreadable(
                    ReportUnreadableRequest.newBuilder().setJob("job_1_1").addChunks(chunk + 1))
                .build()),
        at(53, entry().setAdmit(admit("job_1_1", 7)).build()),
        at(53, entry().setAdmit(admit("job_1_3", 10)).build()),
        at(53, entry().setCreate(CoreFixture.job("job_1_3", 1)).build()),
        at(53, entry().setEnd(EndJob.newBuilder().setJob("job_1_3").setReason("test")).build()),
        at(
            54,
            entry()
                .setRegister(
                    Register.newBuilder().setRequest(CoreFixture.server("s3")).setRack("/r3"))
                .build()),
        at(55, entry().setDrain(DrainRequest.newBuilder().setServer("s1")).build()),
        at(
            56,
            entry()
                .setHandOver(
                    HandOver.newBuilder().setJob("job_1_1").setChunk(chunk).setServerId("s3"))
                .build()));
  }

  private static Admit admit(String name, int first) {
    return Admit.newBuilder()
        .setName(name)
        .setSuffix("0000000a")
        .setKeyId(ByteString.copyFrom(new byte[] {(byte) first}))
        .setTaskKey(ByteString.copyFrom(new byte[] {(byte) first, 1}))
        .setAccessKey(ByteString.copyFrom(new byte[] {(byte) first, 2}))
        .setUser("ada")
        .setByName(true)
        .setAddress("127.0.0.1")
        .build();
  }

  private static Timed bind(long timeMs, int map) {
    return at(
        timeMs,
        entry()
            .setBind(
                Bind.newBuilder()
                    .setRack("/r1")
                    .setRequest(
                        BindRequest.newBuilder()
                            .setJob("job_1_1")
                            .setMap(map)
                            .addTargets(CoreFixture.target(0))
                            .addTargets(CoreFixture.target(2))))
            .build());
  }

  @Test
  void isWrittenAsItWas() throws IOException {
    assertThat(HexFormat.of().formatHex(ReplayTest.snapshot(state()))).isEqualTo(golden(FILE));
  }

  @Test
  void isReadAsItWas() throws IOException {
    MetaserverState read = ReplayTest.restored(HexFormat.of().parseHex(golden(FILE)));
    assertThat(HexFormat.of().formatHex(ReplayTest.snapshot(read))).isEqualTo(golden(FILE));
    assertThat(read.jobs().names()).containsExactly("job_1_1");
    Job job = read.jobs().find("job_1_1");
    ManifestEntry entry = job.manifest(new AttemptId(0, 0)).find(0);
    assertThat(entry.partition()).isEqualTo(CoreFixture.wrote(0, 1_000L << 20));
    assertThat(job.notRepeatableMaps()).containsExactly(5);
    assertThat(job.chunk((1_000L << 20) + 1).isTrusted()).isFalse();
    assertThat(job.chunk(1_000L << 20).target().id()).isEqualTo("s3");
    assertThat(read.registry().find("s1").isDraining()).isTrue();
    AdmittedJobs.Admitted admitted = read.admitted().find("job_1_1~0000000a");
    assertThat(admitted.principal().copyOfKey()).containsExactly(7, 2);
    assertThat(admitted.taskKey()).containsExactly(7, 1);
    assertThat(admitted.user()).isEqualTo("ada");
    assertThat(read.admitted().ended().all().keySet())
        .extracting(AdmittedJobs.NamedKey::name)
        .containsExactly("job_1_3");
    assertThat(read.gauges())
        .containsEntry(MetaserverMetric.CHUNKS_SORTED, 1L)
        .containsEntry(MetaserverMetric.CHUNKS_OPEN, 1L)
        .containsEntry(MetaserverMetric.MANIFESTS_HELD, 1L)
        .containsEntry(MetaserverMetric.APPENDERS_BOUND, 2L);
  }

  /** A job that has ended and is kept, and one that will be. */
  private static MetaserverState kept() {
    MetaserverState state = ReplayTest.fresh();
    CloseChunks.Builder winners = CloseChunks.newBuilder().addWinners(0).addWinners(1);
    List<Timed> entries =
        List.of(
            RandomEntries.lead(5, 1_000),
            at(20, entry().setCreate(CoreFixture.job("job_1_1", 3).setKeepMs(3_000)).build()),
            at(21, entry().setCreate(CoreFixture.job("job_1_2", 1).setKeepMs(9_000)).build()),
            at(30, entry().setClose(winners.setJob("job_1_1")).build()),
            at(31, entry().setClose(winners.setJob("job_1_2")).build()),
            at(70, entry().setEnd(EndJob.newBuilder().setJob("job_1_2")).build()));
    for (Timed entry : entries) {
      assertThat(entry.applyTo(state).getMessage()).isEmpty();
    }
    return state;
  }

  @Test
  void keptJobsAreWrittenAndReadAsTheyWere() throws IOException {
    assertThat(HexFormat.of().formatHex(ReplayTest.snapshot(kept()))).isEqualTo(golden(KEPT));
    MetaserverState read = ReplayTest.restored(HexFormat.of().parseHex(golden(KEPT)));
    assertThat(read.jobs().names()).containsExactly("job_1_1");
    assertThat(read.jobs().find("job_1_1").winners()).containsExactly(new AttemptId(0, 1));
    assertThat(read.jobs().find("job_1_2").kept().getSinceMs()).isEqualTo(70);
    assertThat(read.jobs().find("job_1_2").kept().getUntilMs()).isEqualTo(4_070);
  }

  /** Version 1 had manifests in another layout; nobody has such a snapshot but in tests. */
  @Test
  void refusesTheEarlierVersionWithASentence() throws IOException {
    byte[] earlier = HexFormat.of().parseHex(golden(EARLIER));
    assertThatThrownBy(() -> ReplayTest.restored(earlier))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("written by an earlier release: version=1 understood=2");
  }

  private static String golden(String file) throws IOException {
    try (InputStream in = GoldenSnapshotTest.class.getResourceAsStream(file)) {
      assertThat(in).as(file).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).replaceAll("\\s", "");
    }
  }
}
