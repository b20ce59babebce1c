package dev.sailfish.ground.journal;

import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.segmented.LogSegment;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.util.MD5FileUtil;
import org.apache.ratis.util.SizeInBytes;

/** The directory of a journal whose peer does not run: looked through, or made empty. */
public final class JournalFiles {
  private static final String SNAPSHOT = "snapshot.";
  private static final String LOG = "log_";
  private static final SizeInBytes LONGEST =
      SizeInBytes.valueOf(RaftSettings.LONGEST_MESSAGE_BYTES);

  private final StateMachine machine;
  private final List<String> damage = new ArrayList<>();
  private long snapshotIndex = -1;
  private long applied = -1;
  private long entries;

  private JournalFiles(StateMachine machine) {
    this.machine = machine;
  }

  /**
   * What a journal holds.
   *
   * @param snapshotIndex of the entry after which the newest snapshot was taken; -1: there is none
   * @param entries how many the log has behind it
   * @param damage a sentence for each thing that is wrong
   */
  public record Verdict(long snapshotIndex, long entries, List<String> damage) {}

  /**
   * Reads the newest snapshot and the log behind it, into the machine. Nothing is changed.
   *
   * @param directory of the journal
   * @param machine is new
   * @throws IOException when a process has it, or there is no journal
   */
  public static Verdict verify(Path directory, StateMachine machine) throws IOException {
    Path raft = directory.resolve(JournalDirectory.RAFT);
    if (!Files.isDirectory(raft)) {
      throw new IOException("there is no journal in " + directory);
    }
    JournalFiles files = new JournalFiles(machine);
    try (JournalDirectory locked = JournalDirectory.lockOnly(directory)) {
      files.read(locked.raft());
    }
    return new Verdict(files.snapshotIndex, files.entries, List.copyOf(files.damage));
  }

  /**
   * Removes the journal, so that the next start begins without anything.
   *
   * @param force whether one that is there goes
   * @return whether there was one
   * @throws IOException when a process has it, or one is there and is not to go
   */
  public static boolean format(Path directory, boolean force) throws IOException {
    try (JournalDirectory locked = JournalDirectory.lockOnly(directory)) {
      boolean isThere = Files.exists(locked.raft());
      if (isThere && !force) {
        throw new IOException("there is a journal in " + directory + ": say so if it is to go");
      }
      if (isThere) {
        delete(locked.raft());
      }
      Files.deleteIfExists(locked.root().resolve("identity"));
      return isThere;
    }
  }

  private static void delete(Path tree) throws IOException {
    try (Stream<Path> paths = Files.walk(tree)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private void read(Path raft) throws IOException {
    List<Path> files;
    try (Stream<Path> paths = Files.walk(raft)) {
      files = paths.filter(Files::isRegularFile).toList();
    }
    List<File> snapshots =
        files.stream()
            .map(Path::toFile)
            .filter(file -> isSnapshot(file.getName()))
            .sorted(Comparator.comparingLong(file -> -index(file).getIndex()))
            .toList();
    for (File snapshot : snapshots) {
      if (load(snapshot)) {
        break;
      }
    }
    List<LogSegmentPath> segments = new ArrayList<>();
    for (Path file : files) {
      LogSegmentPath segment =
          name(file).startsWith(LOG) ? LogSegmentPath.matchLogSegment(file) : null;
      if (segment != null) {
        segments.add(segment);
      }
    }
    segments.sort(Comparator.comparing(LogSegmentPath::getStartEnd));
    segments.forEach(this::read);
  }

  private static String name(Path file) {
    return file.getFileName().toString();
  }

  private static boolean isSnapshot(String name) {
    return name.startsWith(SNAPSHOT) && !name.endsWith(".md5") && !name.endsWith(".new");
  }

  private static TermIndex index(File snapshot) {
    return SimpleStateMachineStorage.getTermIndexFromSnapshotFile(snapshot);
  }

  /** Returns whether it is the state from which the log goes on. */
  private boolean load(File snapshot) {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(snapshot.toPath()))) {
      MD5Hash written = MD5FileUtil.readStoredMd5ForFile(snapshot);
      MD5Hash found = MD5FileUtil.computeMd5ForFile(snapshot);
      if (!found.equals(written)) {
        damage.add(
            "snapshot is damaged: file=%s md5=%s, not %s".formatted(snapshot, found, written));
        return false;
      }
      machine.load(in);
      snapshotIndex = index(snapshot).getIndex();
      applied = snapshotIndex;
      return true;
    } catch (IOException | RuntimeException e) {
      damage.add("snapshot cannot be read: file=" + snapshot + ": " + e.getMessage());
      return false;
    }
  }

  private void read(LogSegmentPath segment) {
    boolean torn = false;
    try {
      torn = TornTail.isOpen(segment.getPath()) && TornTail.find(segment.getPath()).isPresent();
      LogSegment.readSegmentFile(
          segment.getPath().toFile(),
          segment.getStartEnd(),
          LONGEST,
          CorruptionPolicy.EXCEPTION,
          null,
          this::apply);
    } catch (IOException | RuntimeException e) {
      if (!torn) { // else it is what was never acknowledged, and all before that has been read
        damage.add("log is damaged: file=" + segment.getPath() + ": " + e.getMessage());
      }
    }
  }

  private void apply(LogEntryProto logged) {
    if (logged.getIndex() <= snapshotIndex) {
      return;
    }
    if (logged.getIndex() != applied + 1) {
      damage.add(
          "entries are missing: from=%d to=%d".formatted(applied + 1, logged.getIndex() - 1));
    }
    applied = logged.getIndex();
    if (!logged.hasStateMachineLogEntry()) {
      return; // of Raft itself
    }
    EntryBatch batch =
        EntryBatch.decode(logged.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer());
    for (byte[] entry : batch.entries()) {
      machine.apply(entry, batch.timeMs());
      entries++;
    }
  }
}
