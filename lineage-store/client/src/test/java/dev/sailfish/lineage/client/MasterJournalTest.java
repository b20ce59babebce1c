package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.PeerProcesses;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.testkit.MemoryDisk;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * What becomes of a master whose journal or clock fails it, while clients go on: disks that are
 * full, logs that were cut, masters that stood still or were away for many snapshots. In the end
 * there is what was acknowledged, and nothing else.
 */
@Seeded
@Timeout(900)
class MasterJournalTest {
  private static final byte[] SECRET =
      "the secret of three masters".getBytes(StandardCharsets.US_ASCII);
  private static final int CLIENTS = 4;
  private static final Duration DEADLINE = Duration.ofSeconds(240);
  private static final String SMALL_DISK = "size=24m";

  /** More than what makes a snapshot. */
  private static final int MANY_CHANGES = 2_500;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private PeerProcesses masters;
  private NamespaceLoads loads;

  private void start(PeerProcesses.Wrapper wrapper, Seed seed) throws IOException {
    masters =
        new PeerProcesses(
            LineageMaster.class,
            LineageMasterKey.ALL.prefix(),
            "sailfish_lineage_master_leads",
            SECRET,
            directory,
            wrapper);
    masters.awaitLeader();
    loads = new NamespaceLoads(masters.addresses(), SECRET, CLIENTS, seed, () -> {});
    awaitChanges(100);
  }

  @AfterEach
  void stop() {
    if (loads != null) {
      loads.close();
    }
    if (masters != null) {
      masters.close();
      masters.peers().forEach(peer -> awaitUnmounted(journal(peer)));
    }
  }

  /** The disk of a process that has ended is there for a moment longer. */
  private static void awaitUnmounted(Path journal) {
    await(journal + " is no mount")
        .atMost(DEADLINE)
        .until(
            () -> {
              try {
                Files.deleteIfExists(journal);
                return true;
              } catch (DirectoryNotEmptyException e) {
                return true; // one without a disk of its own
              } catch (FileSystemException e) {
                return false;
              }
            });
  }

  private void awaitChanges(long count) {
    long before = loads.changes();
    await("changes are acknowledged")
        .atMost(DEADLINE)
        .until(() -> loads.changes() >= before + count);
  }

  private Path journal(DaemonProcess master) {
    return directory.resolve("journal-" + master.name());
  }

  private DaemonProcess follower(Random random) {
    List<DaemonProcess> followers = new ArrayList<>(masters.peers());
    followers.remove(masters.awaitLeader());
    return followers.get(random.nextInt(followers.size()));
  }

  private static List<Path> files(Path journal, Predicate<String> name) throws IOException {
    try (Stream<Path> all = Files.walk(journal)) {
      return all.filter(path -> name.test(path.getFileName().toString())).sorted().toList();
    }
  }

  private static List<Path> snapshots(Path journal) throws IOException {
    return files(journal, name -> name.matches("snapshot\\.\\d+_\\d+"));
  }

  /** All masters serve; the one that was hit is good for a leader again. */
  private void endAndAssertAllIsThere(DaemonProcess hit) throws Exception {
    for (DaemonProcess other : masters.peers()) {
      if (masters.awaitLeader() != hit && other != hit) {
        masters.awaitLeader().end("KILL");
        awaitChanges(20);
        masters.peers().stream().filter(each -> !each.isRunning()).forEach(this::startAgain);
        awaitChanges(20);
      }
    }
    loads.end();
    loads.assertAllIsThere();
  }

  private void startAgain(DaemonProcess master) {
    try {
      master.start();
    } catch (IOException e) {
      throw new AssertionError(master + " does not start again", e);
    }
  }

  // ---- disks that are full

  /** A small disk of its own for each journal; a restart finds it empty. */
  private MemoryDisk smallDisk(String id) {
    return new MemoryDisk(directory.resolve("journal-" + id), SMALL_DISK);
  }

  private List<String> onSmallDisk(String id) {
    return smallDisk(id).command(List.of());
  }

  private void fill(DaemonProcess master) throws IOException {
    Path root = Path.of("/proc", Long.toString(master.process().pid()), "root");
    Path filler = root.resolve(journal(master).resolve("filler").toString().substring(1));
    byte[] some = new byte[4096];
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(some);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }

  /** It ends with a sentence, another one leads, and it comes back with an empty journal. */
  @Test
  void aLeaderWhoseDiskIsFullMakesWay(Seed seed) throws Exception {
    smallDisk("none").assume();
    start(this::onSmallDisk, seed);
    DaemonProcess leader = masters.awaitLeader();
    fill(leader);
    assertGivesUp(leader);
    awaitChanges(100);
    assertThat(masters.awaitLeader()).isNotEqualTo(leader);
    leader.start();
    endAndAssertAllIsThere(leader);
  }

  @Test
  void aFollowerWhoseDiskIsFullGivesUpAlone(Seed seed) throws Exception {
    smallDisk("none").assume();
    start(this::onSmallDisk, seed);
    DaemonProcess follower = follower(seed.random());
    DaemonProcess leader = masters.awaitLeader();
    fill(follower);
    assertGivesUp(follower);
    awaitChanges(100);
    assertThat(leader.isRunning()).isTrue();
    follower.start();
    endAndAssertAllIsThere(follower);
  }

  private void assertGivesUp(DaemonProcess master) throws IOException {
    await(master + " gives up").atMost(DEADLINE).until(() -> !master.isRunning());
    assertThat(Files.readString(directory.resolve(master.name() + ".log")))
        .containsAnyOf("the journal cannot be written", "a snapshot cannot be written")
        .contains("No space left on device");
  }

  // ---- logs, snapshots, clocks

  /** The process died in the middle of a write: what was half written was never acknowledged. */
  @Test
  void aLogThatWasCutGoesOn(Seed seed) throws Exception {
    Random random = seed.random();
    start(PeerProcesses.Wrapper.NONE, seed);
    DaemonProcess follower = follower(random);
    follower.end("KILL");
    List<Path> open = files(journal(follower), name -> name.startsWith("log_inprogress_"));
    assertThat(open).hasSize(1);
    cut(open.get(0), 1 + random.nextInt(200));
    awaitChanges(50);
    follower.start();
    endAndAssertAllIsThere(follower);
  }

  /** Takes bytes off the end of what was written; behind that a log is prepared with zeros. */
  private static void cut(Path log, int bytes) throws IOException {
    byte[] content = Files.readAllBytes(log);
    int end = content.length;
    while (end > 0 && content[end - 1] == 0) {
      end--;
    }
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.setLength(Math.max(0, end - bytes));
    }
  }

  /** Its part of the log is gone at the others: it gets a snapshot, and may lead then. */
  @Test
  void aMasterThatWasAwayForManySnapshotsCatchesUp(Seed seed) throws Exception {
    start(PeerProcesses.Wrapper.NONE, seed);
    DaemonProcess follower = follower(seed.random());
    follower.end("KILL");
    DaemonProcess first = masters.awaitLeader();
    first.end("KILL"); // the next leader begins another file of the log
    first.start();
    Path leaders = journal(masters.awaitLeader());
    List<Path> before = snapshots(leaders);
    awaitChanges(MANY_CHANGES);
    await("the log before a snapshot goes")
        .atMost(DEADLINE)
        .untilAsserted(
            () -> {
              assertThat(snapshots(leaders)).isNotEmpty().noneMatch(before::contains);
              assertThat(files(leaders, MasterJournalTest::isFirstLog)).isEmpty();
            });
    assertThat(files(journal(follower), MasterJournalTest::isFirstLog)).isNotEmpty();
    follower.start();
    await("it has a snapshot in place of the log")
        .atMost(DEADLINE)
        .until(() -> files(journal(follower), MasterJournalTest::isFirstLog).isEmpty());
    endAndAssertAllIsThere(follower);
  }

  private static boolean isFirstLog(String name) {
    return name.matches("log_(inprogress_0|0-\\d+)");
  }

  /** As a machine that was suspended: its clock jumps, and it takes itself for the leader. */
  @Test
  void aLeaderThatStoodStillLeadsNoMore(Seed seed) throws Exception {
    start(PeerProcesses.Wrapper.NONE, seed);
    DaemonProcess leader = masters.awaitLeader();
    leader.process().signal("STOP");
    awaitChanges(200);
    leader.process().signal("CONT");
    awaitChanges(200);
    await("there is one leader").atMost(DEADLINE).until(() -> masters.awaitLeader() != leader);
    endAndAssertAllIsThere(leader);
  }
}
