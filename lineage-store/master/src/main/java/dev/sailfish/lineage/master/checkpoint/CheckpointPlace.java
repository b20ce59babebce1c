package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.lineage.edge.recompute.TemporaryFiles;
import dev.sailfish.lineage.master.namespace.BlockCopies;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.MountedFile;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.master.namespace.Worker;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Whether a file can be checkpointed now, and by whom.
 *
 * @param fid of the file
 * @param length in bytes
 * @param mount the path of its mount
 * @param worker that has most of its blocks, or few files in hand if none has any
 */
record CheckpointPlace(long fid, long length, String mount, int worker) {
  /** Blocks that are looked at to choose a worker. */
  private static final int MOST_BLOCKS = 1024;

  /** What is to be done with a file. */
  enum Verdict {
    /** It can be copied. */
    READY,
    /** It may be possible later: it is temporary, or under no mount that can be written. */
    APART,
    /** There is nothing to be copied: it is below, lost, not complete, or not there. */
    OVER
  }

  /**
   * Whether a file can be copied.
   *
   * @param isAsked somebody wants this one: also if it is temporary
   */
  static Verdict verdict(Namespace namespace, TemporaryFiles temporary, long fid, boolean isAsked) {
    if (!isThere(namespace, fid)) {
      return Verdict.OVER;
    }
    try {
      MountedFile file = namespace.mountedFile(fid);
      Mount mount = file.under().mount();
      boolean isLeftAlone = !isAsked && temporary.isTemporary(file.path(), false);
      return isLeftAlone || mount.get(MountKey.READ_ONLY) ? Verdict.APART : Verdict.READY;
    } catch (NamespaceException e) {
      return Verdict.APART; // under no mount
    }
  }

  /** Whether a file is complete and not below. */
  static boolean isThere(Namespace namespace, long fid) {
    try {
      FileInfo info = namespace.stat(fid);
      return info.isComplete() && !info.isDirectory() && !info.isBelow();
    } catch (NamespaceException e) {
      return false; // deleted
    }
  }

  /**
   * Where a file is copied that is READY.
   *
   * @param load how much a worker has in hand
   * @return null: no worker has it
   */
  static CheckpointPlace of(Namespace namespace, long fid, ToIntFunction<Integer> load) {
    try {
      MountedFile file = namespace.mountedFile(fid);
      int worker = worker(namespace, fid, file.info().length(), load);
      return worker == 0
          ? null
          : new CheckpointPlace(fid, file.info().length(), file.under().mount().path(), worker);
    } catch (NamespaceException e) {
      return null;
    }
  }

  private static int worker(Namespace namespace, long fid, long length, ToIntFunction<Integer> load)
      throws NamespaceException {
    Map<Integer, Integer> blocks = new HashMap<>();
    if (length == 0) {
      namespace.workers().stream().map(Worker::number).forEach(number -> blocks.put(number, 1));
    }
    List<BlockCopies> all = namespace.blocks(fid, 0, MOST_BLOCKS);
    for (BlockCopies block : all) {
      for (int place : block.places()) {
        blocks.merge(Place.worker(place), 1, Integer::sum);
      }
    }
    int best = 0;
    for (int number : blocks.keySet()) {
      boolean isBetter =
          best == 0
              || blocks.get(number) > blocks.get(best)
              || blocks.get(number).equals(blocks.get(best))
                  && load.applyAsInt(number) < load.applyAsInt(best);
      best = isBetter ? number : best;
    }
    return best;
  }
}
