package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.metaserver.wire.Register;
import dev.sailfish.metaserver.wire.SnapshotPart;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.transport.metrics.Metrics;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** The same entries give the same state, also when a snapshot stands for the first of them. */
@Seeded
class ReplayTest {
  private static final int ENTRIES = 2000;

  static MetaserverState fresh() {
    return new MetaserverState(
        new StateSettings(
            CoreFixture.MIB, CoreFixture.MIB, 1, CoreFixture.DEAD_AFTER_MS, UserQuota.NONE, false),
        new Metrics<>(MetaserverMetric.class));
  }

  static byte[] snapshot(MetaserverState state) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StateSnapshot.write(state, out);
    return out.toByteArray();
  }

  static MetaserverState restored(byte[] snapshot) throws IOException {
    MetaserverState state = fresh();
    SnapshotReader.read(new ByteArrayInputStream(snapshot), state);
    return state;
  }

  /** The parts as text, so that a difference shows which field differs. */
  private static List<String> parts(byte[] snapshot) throws IOException {
    List<String> parts = new ArrayList<>();
    ByteArrayInputStream in = new ByteArrayInputStream(snapshot);
    for (SnapshotPart part = SnapshotPart.parseDelimitedFrom(in);
        part != null;
        part = SnapshotPart.parseDelimitedFrom(in)) {
      parts.add(part.toString().replaceFirst("@[0-9a-f]+", ""));
    }
    return parts;
  }

  private static void assertSame(MetaserverState state, MetaserverState expected)
      throws IOException {
    byte[] bytes = snapshot(state);
    byte[] wanted = snapshot(expected);
    if (!Arrays.equals(bytes, wanted)) {
      assertThat(parts(bytes)).isEqualTo(parts(wanted));
    }
    assertThat(bytes).isEqualTo(wanted);
    for (Chunkserver server : expected.registry().all()) {
      assertThat(state.registry().find(server.id()).arriving().keySet())
          .isEqualTo(server.arriving().keySet());
    }
    for (Job job : expected.jobs().all()) {
      Job other = state.jobs().find(job.name());
      job.manifests()
          .forEach(
              (attempt, manifest) ->
                  assertThat(other.manifest(attempt).sameAs(manifest.packed())).isTrue());
      assertThat(other.manifestBytes()).isEqualTo(job.manifestBytes());
      assertThat(other.bindingCount()).isEqualTo(job.bindingCount());
      assertThat(other.countedBytes()).isEqualTo(job.countedBytes());
      for (Chunk chunk : job.chunks()) {
        assertThat(other.chunk(chunk.id()).appenders()).isEqualTo(chunk.appenders());
      }
    }
    assertThat(state.gauges()).isEqualTo(expected.gauges());
    assertThat(state.users()).isEqualTo(expected.users());
    for (Chunkserver server : expected.registry().all()) {
      assertThat(state.registry().find(server.id()).bindableChunks())
          .isEqualTo(server.bindableChunks());
    }
  }

  @RepeatedTest(5)
  void replayGivesTheSameStateAndReplies(SplittableRandom random) throws IOException {
    MetaserverState first = fresh();
    RandomEntries entries = new RandomEntries(random.split(), first);
    MetaserverState replayed = fresh();
    MetaserverState fromSnapshot = fresh();
    Set<JournalEntry.ChangeCase> applied = new HashSet<>();
    int snapshotAt = random.nextInt(ENTRIES);
    first.beginLeading(0);
    for (int i = 0; i < ENTRIES; i++) {
      JournalEntry entry = i == 0 ? RandomEntries.lead(0, 1_000_000) : entries.next();
      JournalEntry read = JournalEntry.parseFrom(entry.toByteArray());
      JournalReply reply = EntryApplier.apply(first, entry);
      assertThat(EntryApplier.apply(replayed, read)).isEqualTo(reply);
      assertThat(EntryApplier.apply(fromSnapshot, read)).isEqualTo(reply);
      if (reply.getStatus() == 0) {
        applied.add(entry.getChangeCase());
      }
      if (i == snapshotAt) {
        fromSnapshot = restored(snapshot(fromSnapshot));
        assertSame(fromSnapshot, first);
      }
    }
    assertSame(replayed, first);
    assertSame(fromSnapshot, first);
    assertThat(applied).as("every kind of change was made").hasSize(15);
  }

  @Test
  void endedJobsVanishFromSnapshots() throws IOException {
    MetaserverState state = fresh();
    EntryApplier.apply(state, RandomEntries.lead(0, 1));
    int empty = snapshot(state).length;
    EntryApplier.apply(state, entry(10).setCreate(CoreFixture.job("job_1_1", 3)).build());
    assertThat(restored(snapshot(state)).jobNames()).containsExactly("job_1_1");
    EntryApplier.apply(
        state,
        StateDriver.end("job_1_1", EndJob.Cause.ASKED, "test")
            .setVersion(EntryApplier.VERSION)
            .setTimeMs(20)
            .build());
    MetaserverState after = restored(snapshot(state));
    assertThat(after.jobNames()).isEmpty();
    JournalReply again =
        EntryApplier.apply(after, entry(30).setCreate(CoreFixture.job("job_1_1", 3)).build());
    assertThat(again.getMessage()).contains("job has ended");
    EntryApplier.apply(state, RandomEntries.lead(6_000, 1));
    assertThat(snapshot(state).length).isLessThanOrEqualTo(empty + 4);
  }

  private static JournalEntry.Builder entry(long timeMs) {
    return JournalEntry.newBuilder().setVersion(EntryApplier.VERSION).setTimeMs(timeMs);
  }

  @Test
  void stopsAtAnEntryOfALaterRelease() {
    JournalEntry later = RandomEntries.lead(0, 1).toBuilder().setVersion(3).build();
    assertThatThrownBy(() -> EntryApplier.apply(fresh(), later))
        .hasMessageContaining("later release: version=3");
    assertThatThrownBy(() -> EntryApplier.apply(fresh(), entry(0).build()))
        .hasMessageContaining("later release");
  }

  @Test
  void stopsAtAnEntryOfAnEarlierRelease() {
    JournalEntry earlier = RandomEntries.lead(0, 1).toBuilder().setVersion(1).build();
    assertThatThrownBy(() -> EntryApplier.apply(fresh(), earlier))
        .hasMessageContaining("earlier release: version=1 understood=2")
        .hasMessageContaining("sailfish.metaserver.journal.dir");
  }

  @RepeatedTest(3)
  void refusesSnapshotsThatAreDamagedOrOfALaterRelease(SplittableRandom random) throws IOException {
    MetaserverState state = fresh();
    RandomEntries entries = new RandomEntries(random.split(), state);
    EntryApplier.apply(state, RandomEntries.lead(0, 1));
    for (int i = 0; i < 300; i++) {
      EntryApplier.apply(state, entries.next());
    }
    byte[] whole = snapshot(state);
    byte[] flipped = whole.clone();
    flipped[random.nextInt(whole.length)] ^= (byte) (1 + random.nextInt(255));
    assertThatThrownBy(() -> restored(flipped)).isInstanceOf(IOException.class);
    byte[] cut = Arrays.copyOf(whole, random.nextInt(whole.length));
    assertThatThrownBy(() -> restored(cut)).isInstanceOf(IOException.class);
    ByteArrayOutputStream later = new ByteArrayOutputStream();
    SnapshotPart.Builder header =
        SnapshotPart.parseDelimitedFrom(new ByteArrayInputStream(whole)).toBuilder();
    header.setHeader(header.getHeader().toBuilder().setVersion(3)).build().writeDelimitedTo(later);
    assertThatThrownBy(() -> restored(later.toByteArray()))
        .hasMessageContaining("later release: version=3 understood=2");
  }

  @Test
  void aNewLeaderGivesEverybodyANewPeriod() throws IOException {
    MetaserverState state = fresh();
    EntryApplier.apply(state, RandomEntries.lead(0, 1));
    EntryApplier.apply(state, entry(0).setCreate(CoreFixture.job("job_1_1", 3)).build());
    EntryApplier.apply(
        state,
        entry(0)
            .setRegister(Register.newBuilder().setRequest(CoreFixture.server("s1")).setRack("/r"))
            .build());
    MetaserverState next = restored(snapshot(state));
    next.beginLeading(100_000);
    assertThat(CoreFixture.silent(next, 100_000 + CoreFixture.DEAD_AFTER_MS - 1)).isEmpty();
    assertThat(CoreFixture.silent(next, 100_000 + CoreFixture.DEAD_AFTER_MS)).hasSize(1);
    assertThat(next.expired(104_999)).isEmpty();
    assertThat(next.expired(105_000)).hasSize(1);
    assertThat(next.isMet("s1")).isFalse();
    assertThat(next.takeCommands("s1").getRegisterAgain()).isTrue();
  }
}
