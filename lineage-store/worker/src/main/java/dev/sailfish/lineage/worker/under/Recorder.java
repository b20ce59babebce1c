package dev.sailfish.lineage.worker.under;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.lineage.protocol.wire.RecordCopy;
import dev.sailfish.lineage.protocol.wire.UnderFileRecord;
import dev.sailfish.lineage.understore.CopyRecord;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.worker.LineageWorkerMetric;
import dev.sailfish.lineage.worker.block.BlockTable;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has copies counted that are below, or takes them away again. */
final class Recorder {
  private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);

  private final MasterCalls master;
  private final BlockTable blocks;
  private final Metrics<LineageWorkerMetric> metrics;

  Recorder(MasterCalls master, BlockTable blocks, Metrics<LineageWorkerMetric> metrics) {
    this.master = master;
    this.blocks = blocks;
    this.metrics = metrics;
  }

  /**
   * Has the master journal a copy that was made. If it refuses, because the file is elsewhere now
   * or gone, the copy is deleted below, unless somebody has changed it meanwhile.
   *
   * @throws IOException when it does not count, or nobody has said whether it does
   */
  void record(Below file, UnderStore store, CopyRecord copy) throws IOException {
    UnderFile made = copy.file();
    RecordCopy record =
        RecordCopy.newBuilder()
            .setFid(file.fid())
            .setPath(file.path())
            .setFile(
                UnderFileRecord.newBuilder()
                    .setLength(made.length())
                    .setModifiedMs(made.modifiedMs())
                    .setTag(made.tag())
                    .setCrc32C(copy.crc32c()))
            .build();
    try {
      master.record(record);
    } catch (RequestRefusedException e) {
      undo(file, store, made);
      throw e;
    }
    blocks.knowBelow(file.fid());
    metrics.increment(LineageWorkerMetric.FILES_COPIED);
    metrics.add(LineageWorkerMetric.COPIED_BYTES, made.length());
  }

  private static void undo(Below file, UnderStore store, UnderFile made) {
    try {
      if (store.changed(made).isEmpty()) {
        store.delete(made.path(), false);
      }
    } catch (IOException e) {
      LOG.warn("the copy of {} does not count and stays below: {}", file, e.toString());
    }
  }
}
