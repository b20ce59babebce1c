package dev.sailfish.workflow.store;

import dev.sailfish.lineage.client.Lineage;
import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.ListDependenciesResponse;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.Refusal.Reason;
import dev.sailfish.workflow.recovery.RecordStore;
import dev.sailfish.workflow.seal.GrowingRecords;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lineage records and lost files of a store, for a manager that is a superuser. What the master
 * refuses because it is not so any more, such as to give up a file that was deleted, is let pass:
 * the next look shows how it is. Thread-safe.
 */
public final class LineageLink implements RecordStore, GrowingRecords {
  private static final Logger LOG = LoggerFactory.getLogger(LineageLink.class);

  private final NamespaceClient namespace;
  private final Lineage lineage;

  /**
   * Does not connect yet.
   *
   * @param client stays the caller's
   */
  public LineageLink(StoreClient client) {
    namespace = client.namespace();
    lineage = client.lineage();
  }

  @Override
  public List<LostFile> lost() throws IOException {
    List<LostFile> files = new ArrayList<>();
    lineage.lost(files::add);
    return files;
  }

  @Override
  public Optional<DependencyRecord> record(long id) throws IOException {
    return found(() -> lineage.get(id));
  }

  @Override
  public Optional<DependencyRecord> maker(long fid) throws IOException {
    return found(() -> lineage.of(fid));
  }

  @Override
  public boolean isThere(long fid) throws IOException {
    Optional<OpenFileResponse> opened = found(() -> namespace.locate(fid, 0, 0));
    if (opened.isEmpty()) {
      return false;
    }
    FileEntry entry = opened.get().getEntry();
    long blocks = (entry.getLength() + entry.getBlockSize() - 1) / entry.getBlockSize();
    return entry.getBelow() || opened.get().getBlocksCount() == blocks || areThere(fid, blocks);
  }

  /** Of a file that has more blocks than one answer names, or has lost some. */
  private boolean areThere(long fid, long blocks) throws IOException {
    for (long next = 0; next < blocks; ) {
      List<Integer> named =
          namespace.locate(fid, Math.toIntExact(next), 0).getBlocksList().stream()
              .map(block -> block.getBlock())
              .toList();
      if (named.isEmpty()) {
        return false;
      }
      for (int block : named) {
        if (block != next) {
          return false;
        }
        next++;
      }
    }
    return true;
  }

  @Override
  public void report(long dependency, String progress) throws IOException {
    told("progress of dependency=" + dependency, () -> lineage.report(dependency, progress));
  }

  @Override
  public void giveUp(long fid, String cause) throws IOException {
    String file = "%016x".formatted(fid);
    if (cause.isEmpty()) {
      LOG.info("file={} is not given up any more", file);
    } else {
      LOG.warn("file={} is given up: {}", file, cause);
    }
    told("giving up file=" + file, () -> lineage.giveUp(fid, cause));
  }

  @Override
  public ListDependenciesResponse after(long id) throws IOException {
    return lineage.after(id);
  }

  @Override
  public void seal(long id) throws IOException {
    LOG.info("dependency={} has all its outputs: its job has ended", id);
    told("sealing dependency=" + id, () -> lineage.seal(id));
  }

  /** A question to the store. */
  private interface Question<T> {
    T ask() throws IOException;
  }

  private static <T> Optional<T> found(Question<T> question) throws IOException {
    try {
      return Optional.of(question.ask());
    } catch (StoreRefusedException e) {
      if (e.reason() == Reason.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Something that the store is told. */
  private interface Word {
    void say() throws IOException;
  }

  private static void told(String what, Word word) throws IOException {
    try {
      word.say();
    } catch (StoreRefusedException e) {
      LOG.debug("{}: {}", what, e.getMessage());
    }
  }
}
