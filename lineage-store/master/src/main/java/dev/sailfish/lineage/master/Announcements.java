package dev.sailfish.lineage.master;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.FileWriting;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.master.state.StoreState;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.RenamePath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Files that clients were told are begun, and that the journal does not have: a file that is
 * complete soon is one change there, and not two. Everybody sees them all the same, because
 * whatever names such a file, a directory above it or its id has it journaled first, and waits for
 * that; so has time. Kept by the leader alone: when it is gone, its files are not seen until their
 * clients complete them, under the ids that the journal keeps for these. Thread-safe.
 *
 * <pre>
 *   announce ──▶ HELD ──enter (its own completion)──▶ SETTLING ──▶ gone
 *                  └────settle, enter (of others), settleOld────▲
 * </pre>
 */
final class Announcements {
  /** How long the journal is spared one. */
  private static final long HELD_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final CompletableFuture<Void> SETTLED = CompletableFuture.completedFuture(null);

  private final Function<byte[], CompletableFuture<byte[]>> journal;
  private final Clock clock;

  // Guarded by this object's monitor, in which the journal and its driver are not called.
  private final NavigableMap<String, Announced> files = new TreeMap<>();
  private final Map<Long, Announced> byFid = new HashMap<>();

  /** Paths that changes name which the journal has and which are not applied; how many do. */
  private final NavigableMap<String, Integer> changing = new TreeMap<>();

  /** A file; it is HELD as long as nobody has asked the journal for it. */
  private static final class Announced {
    private final ChangeRequest creation;
    private final long sinceNs;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private boolean isSettling;

    Announced(ChangeRequest creation, long sinceNs) {
      this.creation = creation;
      this.sinceNs = sinceNs;
    }

    CreateFile file() {
      return creation.getCreateFile();
    }
  }

  /**
   * @param journal has an entry kept and applied
   */
  Announcements(Function<byte[], CompletableFuture<byte[]>> journal, Clock clock) {
    this.journal = journal;
    this.clock = clock;
  }

  /** This master begins to lead, or does so no more. */
  synchronized void clear() {
    files.clear();
    byFid.clear();
    changing.clear();
  }

  /**
   * Takes a file that is begun. A repetition does no harm.
   *
   * @param creation creates a file under an id that is kept for its client
   * @return what its writer has to know of it
   * @throws NamespaceException what creating it would throw, or NOT_ANNOUNCED
   */
  FileEntry announce(Namespace namespace, ChangeRequest creation) throws NamespaceException {
    CreateFile file = creation.getCreateFile();
    StorePath path = StorePath.of(file.getPath());
    Caller caller = StoreMessages.caller(creation.getUser());
    if (file.getDependency() != 0) {
      namespace.lineage().requireGrowing(file.getDependency(), caller);
    }
    boolean isSimple =
        namespace
            .writing()
            .isSimple(
                path, StoreMessages.creation(file, creation.getClient()), file.getFid(), caller);
    if (!isSimple || !hold(creation)) {
      throw new NamespaceException(
          Reason.NOT_ANNOUNCED, path + " is more than a name that is free: create it by a change");
    }
    String text = path.toString();
    return FileEntry.newBuilder()
        .setFid(file.getFid())
        .setName(text.substring(text.lastIndexOf('/') + 1))
        .setBlockSize(1L << file.getBlockSizeLog())
        .setOwner(creation.getUser().getName())
        .setMode(file.getMode())
        .build();
  }

  private synchronized boolean hold(ChangeRequest creation) {
    CreateFile file = creation.getCreateFile();
    Announced there = byFid.get(file.getFid());
    if (there != null) {
      return there.file().equals(file) && there.creation.getClient() == creation.getClient();
    }
    boolean isFree =
        related(files, file.getPath()).isEmpty() && related(changing, file.getPath()).isEmpty();
    if (isFree) {
      Announced announced = new Announced(creation, clock.nanoTime());
      files.put(file.getPath(), announced);
      byFid.put(file.getFid(), announced);
    }
    return isFree;
  }

  /** What is at a path, above it, or below it. */
  private static <T> List<T> related(NavigableMap<String, T> map, String path) {
    if (map.isEmpty() || path.isEmpty()) {
      return List.of();
    }
    if (path.equals("/")) {
      return new ArrayList<>(map.values());
    }
    // A slash is followed by a zero.
    List<T> found = new ArrayList<>(map.subMap(path + '/', path + '0').values());
    for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
      T at = map.get(path.substring(0, end));
      if (at != null) {
        found.add(at);
      }
    }
    return found;
  }

  /**
   * Has the journal take what a question is about.
   *
   * @param path that the question names; empty: none
   * @param fid that it names; {@link FileWriting#NEW_ID}: none
   * @return done when that is applied
   */
  CompletableFuture<Void> settle(String path, long fid) {
    Set<Announced> asked;
    synchronized (this) {
      if (files.isEmpty()) {
        return SETTLED;
      }
      asked = new HashSet<>(related(files, path));
      Announced named = byFid.get(fid);
      if (named != null) {
        asked.add(named);
      }
    }
    return settle(asked);
  }

  /** Has the journal take files that are held for long. */
  void settleOld() {
    Set<Announced> old = new HashSet<>();
    synchronized (this) {
      long nowNs = clock.nanoTime();
      for (Announced announced : byFid.values()) {
        if (nowNs - announced.sinceNs > HELD_NS) {
          old.add(announced);
        }
      }
    }
    settle(old);
  }

  private CompletableFuture<Void> settle(Set<Announced> asked) {
    if (asked.isEmpty()) {
      return SETTLED;
    }
    for (Announced announced : asked) {
      boolean isFirst;
      synchronized (this) {
        isFirst = !announced.isSettling;
        announced.isSettling = true;
      }
      if (isFirst) {
        journal
            .apply(StoreState.announced(announced.creation, clock.wallMs()))
            .whenComplete((reply, error) -> settled(announced));
      }
    }
    return CompletableFuture.allOf(
        asked.stream().map(announced -> announced.settled).toArray(CompletableFuture<?>[]::new));
  }

  private void settled(Announced announced) {
    synchronized (this) {
      files.remove(announced.file().getPath(), announced);
      byFid.remove(announced.file().getFid(), announced);
    }
    announced.settled.complete(null);
  }

  /**
   * A change is about to be journaled. Until it {@linkplain #leave leaves}, no file is announced
   * that it may be about.
   *
   * @return null: it may be; otherwise it has to try again when this is done
   */
  CompletableFuture<Void> enter(ChangeRequest change) {
    Set<Announced> others = new HashSet<>();
    synchronized (this) {
      List<String> names = names(change);
      if (!files.isEmpty()) {
        names.forEach(name -> others.addAll(related(files, name)));
        others.addAll(related(files, attributePath(change)));
        Announced named = byFid.get(fid(change));
        if (named != null) {
          others.add(named);
        }
        others.remove(own(change));
      }
      if (others.isEmpty()) {
        names.forEach(name -> changing.merge(name, 1, Integer::sum));
        Announced own = own(change);
        if (own != null) {
          own.isSettling = true;
        }
      }
    }
    return others.isEmpty() ? null : settle(others);
  }

  /** A change is applied, or was refused. */
  void leave(ChangeRequest change) {
    Announced own;
    synchronized (this) {
      names(change)
          .forEach(
              name ->
                  changing.computeIfPresent(name, (key, count) -> count == 1 ? null : count - 1));
      own = own(change);
    }
    if (own != null) {
      settled(own);
    }
  }

  /** The file that a change completes, if it is one of these. */
  private Announced own(ChangeRequest change) {
    Announced own = change.hasCreateFile() ? byFid.get(change.getCreateFile().getFid()) : null;
    return own != null && own.creation.getClient() == change.getClient() ? own : null;
  }

  /** Names that a change adds or removes. */
  private static List<String> names(ChangeRequest change) {
    return switch (change.getChangeCase()) {
      case CREATE_FILE -> List.of(change.getCreateFile().getPath());
      case MAKE_DIRECTORIES -> List.of(change.getMakeDirectories().getPath());
      case DELETE_PATH -> List.of(change.getDeletePath().getPath());
      case RENAME_PATH -> {
        RenamePath rename = change.getRenamePath();
        yield List.of(rename.getFrom(), rename.getTo());
      }
      case REMOVE_MOUNT -> List.of(change.getRemoveMount().getPath());
      default -> List.of();
    };
  }

  /** The file or directory of which a change sets something. */
  private static String attributePath(ChangeRequest change) {
    return switch (change.getChangeCase()) {
      case SET_MODE -> change.getSetMode().getPath();
      case SET_OWNER -> change.getSetOwner().getPath();
      case SET_MODIFIED -> change.getSetModified().getPath();
      case SET_PIN -> change.getSetPin().getPath();
      case SET_EXPIRY -> change.getSetExpiry().getPath();
      case SET_QUOTA -> change.getSetQuota().getPath();
      case ADD_MOUNT -> "/";
      default -> "";
    };
  }

  /** The file that a change names by its id. */
  private static long fid(ChangeRequest change) {
    return switch (change.getChangeCase()) {
      case COMPLETE_FILE -> change.getCompleteFile().getFid();
      case ABANDON_FILE -> change.getAbandonFile().getFid();
      default -> FileWriting.NEW_ID;
    };
  }
}
