package dev.sailfish.metaserver.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.metaserver.wire.Bind;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.ServerDied;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long a snapshot of a hundred thousand jobs and a million chunks holds up the others. */
@Seeded
@Tag("long")
@Timeout(600)
class SnapshotPauseTest {
  private static final int JOBS = 100_000;
  private static final int CHUNKS_PER_JOB = 10;
  private static final int SERVERS = 100;
  private static final int ENTRIES_PER_PIECE = 1;

  private final CoreFixture core = new CoreFixture();
  private final long[] pieces = new long[100_000];
  private final long[] entries = new long[ENTRIES_PER_PIECE * pieces.length];

  private static JournalEntry bind(int job, int map) {
    BindRequest.Builder request = BindRequest.newBuilder().setJob("job_1_" + job).setMap(map);
    for (int partition = 0; partition < CHUNKS_PER_JOB; partition++) {
      request.addTargets(CoreFixture.target(partition));
    }
    return JournalEntry.newBuilder()
        .setVersion(EntryApplier.VERSION)
        .setBind(Bind.newBuilder().setRequest(request).setRack(CoreFixture.RACK))
        .build();
  }

  /** What this thread has worked: what else runs on the machine does not change it. */
  private static long workedNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private long apply(JournalEntry entry) {
    long start = workedNs();
    assertThat(EntryApplier.apply(core.state, entry, core.nowMs).getMessage()).isEmpty();
    return workedNs() - start;
  }

  private static void print(String what, long[] ns, int count) {
    long[] sorted = Arrays.copyOf(ns, count);
    Arrays.sort(sorted);
    System.out.printf(
        "snapshot pauses: %s count=%d median=%d us p99=%d us longest=%d us%n",
        what,
        count,
        sorted[count / 2] / 1000,
        sorted[count * 99 / 100] / 1000,
        sorted[count - 1] / 1000);
  }

  @Test
  void aHundredThousandJobsAndAMillionChunks(SplittableRandom random) throws Exception {
    for (int server = 0; server < SERVERS; server++) {
      core.register("s" + server, CoreFixture.RACK);
    }
    for (int job = 0; job < JOBS; job++) {
      core.createSmall("job_1_" + job, CHUNKS_PER_JOB, 1);
      apply(bind(job, 0));
    }
    for (int round = 0; round < 4; round++) {
      measure(random, round);
    }
  }

  private void measure(SplittableRandom random, int round) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int piece = 0;
    int entry = 0;
    long bytes = 0;
    long start = System.nanoTime();
    long startedNs = workedNs();
    try (StateSnapshot view = new StateSnapshot(core.state)) {
      long frozen = workedNs() - startedNs;
      System.out.println("snapshot pauses: freeze " + frozen / 1000 + " us");
      for (boolean more = true; more; piece++) {
        long begin = workedNs();
        more = view.write(out);
        pieces[piece] = workedNs() - begin;
        bytes += out.size();
        out.reset();
        for (int i = 0; i < ENTRIES_PER_PIECE; i++) {
          entries[entry++] = apply(bind(random.nextInt(JOBS), 1 + round));
        }
        if (round == 3 && piece == 100) {
          ServerDied died = ServerDied.newBuilder().setServerId("s7").build();
          long ns =
              apply(
                  JournalEntry.newBuilder().setVersion(EntryApplier.VERSION).setDied(died).build());
          System.out.println("snapshot pauses: a server dies " + ns / 1000 + " us");
        }
      }
    }
    System.out.printf(
        "snapshot pauses: snapshot bytes=%d ms=%d%n",
        bytes, (System.nanoTime() - start) / 1_000_000);
    print("pieces", pieces, piece);
    print("entries meanwhile", entries, entry);
    for (int i = 0; i < 3000; i++) {
      entries[i] = apply(bind(random.nextInt(JOBS), 101 + round));
    }
    print("entries without a snapshot", entries, 3000);
  }
}
