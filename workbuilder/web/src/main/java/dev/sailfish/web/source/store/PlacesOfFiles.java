package dev.sailfish.web.source.store;

import dev.sailfish.lineage.protocol.wire.FileBlocks;
import dev.sailfish.lineage.protocol.wire.FileCondition;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.ListEntriesResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Which workers have the files of one answer, and what is done with those. Immutable. */
final class PlacesOfFiles {
  /** A place is a worker's number and, in its last bits, a tier. */
  private static final int TIER_BITS = 2;

  private final Map<Integer, String> workers = new HashMap<>();
  private final Map<Long, FileBlocks> files = new HashMap<>();
  private final Map<Long, FileCondition> conditions = new HashMap<>();

  PlacesOfFiles(ListEntriesResponse page) {
    for (WorkerAddress worker : page.getWorkersList()) {
      workers.put(worker.getNumber(), worker.getHost() + ":" + worker.getPort());
    }
    page.getFilesList().forEach(file -> files.put(file.getFid(), file));
    page.getConditionsList().forEach(one -> conditions.put(one.getFid(), one));
  }

  /** What is done with a file now; as good as nothing where the answer has nothing to say. */
  FileCondition condition(long fid) {
    return conditions.getOrDefault(fid, FileCondition.getDefaultInstance());
  }

  /** Workers that have blocks of a file, in the order of their addresses. */
  List<String> of(long fid) {
    FileBlocks file = files.get(fid);
    return file == null
        ? List.of()
        : file.getBlocksList().stream()
            .flatMap(block -> block.getPlacesList().stream())
            .map(place -> workers.get(place >>> TIER_BITS))
            .filter(Objects::nonNull)
            .distinct()
            .sorted()
            .toList();
  }

  /** Whether no block is missing, as far as this answer tells. */
  boolean isWhole(FileEntry file) {
    FileBlocks blocks = files.get(file.getFid());
    if (blocks == null || file.getBlockSize() == 0) {
      return true; // of many blocks: the answer does not say where they are
    }
    long expected = (file.getLength() + file.getBlockSize() - 1) / file.getBlockSize();
    return blocks.getBlocksCount() >= expected;
  }
}
