package dev.sailfish.metaserver.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.state.RandomEntries.Timed;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.metaserver.wire.Register;
import dev.sailfish.metaserver.wire.SnapshotPart;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
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
        CoreFixture.DEAD_AFTER_MS,
        CoreFixture.MASS_DEAD_AFTER_MS,
        new Metrics<>(MetaserverMetric.class));
  }

  static byte[] snapshot(MetaserverState state) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write(new StateSnapshot(state), out);
    return out.toByteArray();
  }

  private static void write(StateSnapshot view, OutputStream out) throws IOException {
    try (view) {
      for (boolean more = true; more; ) {
        more = view.write(out);
      }
    }
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
    for (ServerInfo server : expected.registry().all()) {
      assertThat(state.registry().find(server.id()).arriving().keySet())
          .isEqualTo(server.arriving().keySet());
    }
    for (Job job : expected.jobs().all()) {
      Job other = state.jobs().find(job.name());
      job.manifests()
          .forEach(
              manifest ->
                  assertThat(other.manifest(manifest.id()).sameAs(manifest.packed())).isTrue());
      assertThat(other.manifestBytes()).isEqualTo(job.manifestBytes());
      assertThat(other.bindingCount()).isEqualTo(job.bindingCount());
      assertThat(other.heap().bytes()).isEqualTo(job.heap().bytes());
      assertThat(other.heap().allBytes()).isEqualTo(job.heap().allBytes());
      assertThat(other.countedBytes()).isEqualTo(job.countedBytes());
      for (ChunkInfo chunk : job.chunks()) {
        assertThat(other.chunk(chunk.id()).appenders()).isEqualTo(chunk.appenders());
      }
    }
    assertThat(state.gauges()).isEqualTo(expected.gauges());
    assertThat(state.users()).isEqualTo(expected.users());
    for (ServerInfo server : expected.registry().all()) {
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
      Timed entry = i == 0 ? RandomEntries.lead(0, 1_000_000) : entries.next();
      Timed read = at(entry.timeMs(), JournalEntry.parseFrom(entry.entry().toByteArray()));
      JournalReply reply = entry.applyTo(first);
      assertThat(read.applyTo(replayed)).isEqualTo(reply);
      assertThat(read.applyTo(fromSnapshot)).isEqualTo(reply);
      if (reply.getStatus() == 0) {
        applied.add(entry.entry().getChangeCase());
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

  /** Entries that are applied while a snapshot is written are not in it, whatever they change. */
  @RepeatedTest(20)
  void aSnapshotIsOfOneMoment(SplittableRandom random) throws IOException {
    MetaserverState state = fresh();
    RandomEntries entries = new RandomEntries(random.split(), state);
    RandomEntries.lead(0, 1_000_000).applyTo(state);
    state.beginLeading(0);
    for (int snapshot = 0; snapshot < 10; snapshot++) {
      int before = random.nextInt(300);
      for (int i = 0; i < before; i++) {
        entries.next().applyTo(state);
      }
      byte[] expected = snapshot(state);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      boolean complete = random.nextInt(4) != 0;
      try (StateSnapshot view = new StateSnapshot(state, 1 + random.nextInt(2000))) {
        for (boolean more = true; more && (complete || random.nextInt(10) != 0); ) {
          int between = random.nextInt(random.nextInt(4) == 0 ? 60 : 5);
          for (int i = 0; i < between; i++) {
            entries.next().applyTo(state);
          }
          more = view.write(out);
        }
      }
      if (complete) {
        assertThat(parts(out.toByteArray())).isEqualTo(parts(expected));
        assertThat(out.toByteArray()).isEqualTo(expected);
      }
      assertSame(restored(snapshot(state)), state);
    }
  }

  @Test
  void endedJobsVanishFromSnapshots() throws IOException {
    MetaserverState state = fresh();
    RandomEntries.lead(0, 1).applyTo(state);
    int empty = snapshot(state).length;
    at(10, entry().setCreate(CoreFixture.job("job_1_1", 3)).build()).applyTo(state);
    assertThat(restored(snapshot(state)).jobs().names()).containsExactly("job_1_1");
    at(
            20,
            EntryApplier.end("job_1_1", EndJob.Cause.ASKED, "test")
                .setVersion(EntryApplier.VERSION)
                .build())
        .applyTo(state);
    MetaserverState after = restored(snapshot(state));
    assertThat(after.jobs().names()).isEmpty();
    JournalReply again =
        at(30, entry().setCreate(CoreFixture.job("job_1_1", 3)).build()).applyTo(after);
    assertThat(again.getMessage()).contains("job has ended");
    RandomEntries.lead(6_000, 1).applyTo(state);
    assertThat(snapshot(state).length).isLessThanOrEqualTo(empty + 4);
  }

  private static JournalEntry.Builder entry() {
    return JournalEntry.newBuilder().setVersion(EntryApplier.VERSION);
  }

  private static Timed at(long timeMs, JournalEntry entry) {
    return new Timed(timeMs, entry);
  }

  @Test
  void stopsAtAnEntryOfALaterRelease() {
    Timed later = at(0, RandomEntries.lead(0, 1).entry().toBuilder().setVersion(4).build());
    assertThatThrownBy(() -> later.applyTo(fresh()))
        .hasMessageContaining("later release: version=4");
    assertThatThrownBy(() -> at(0, entry().build()).applyTo(fresh()))
        .hasMessageContaining("later release");
  }

  @Test
  void stopsAtAnEntryOfAnEarlierRelease() {
    Timed earlier = at(0, RandomEntries.lead(0, 1).entry().toBuilder().setVersion(2).build());
    assertThatThrownBy(() -> earlier.applyTo(fresh()))
        .hasMessageContaining("earlier release: version=2 understood=3")
        .hasMessageContaining("sailfish.metaserver.journal.dir");
  }

  @RepeatedTest(3)
  void refusesSnapshotsThatAreDamagedOrOfALaterRelease(SplittableRandom random) throws IOException {
    MetaserverState state = fresh();
    RandomEntries entries = new RandomEntries(random.split(), state);
    RandomEntries.lead(0, 1).applyTo(state);
    for (int i = 0; i < 300; i++) {
      entries.next().applyTo(state);
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
    RandomEntries.lead(0, 1).applyTo(state);
    at(0, entry().setCreate(CoreFixture.job("job_1_1", 3)).build()).applyTo(state);
    at(
            0,
            entry()
                .setRegister(
                    Register.newBuilder().setRequest(CoreFixture.server("s1")).setRack("/r"))
                .build())
        .applyTo(state);
    MetaserverState next = restored(snapshot(state));
    next.beginLeading(100_000);
    assertThat(CoreFixture.silent(next, 100_000 + CoreFixture.DEAD_AFTER_MS - 1)).isEmpty();
    assertThat(CoreFixture.silent(next, 100_000 + CoreFixture.DEAD_AFTER_MS)).hasSize(1);
    assertThat(next.jobs().expired(104_999)).isEmpty();
    assertThat(next.jobs().expired(105_000)).hasSize(1);
    assertThat(next.desk().isMet("s1")).isFalse();
    assertThat(next.desk().takeCommands("s1").getRegisterAgain()).isTrue();
  }
}
