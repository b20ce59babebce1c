package dev.sailfish.metaserver.state;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.ProtocolException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.ChunkReport;
import java.util.ArrayList;
import java.util.List;

/** One chunk as its server sees it, decoded. */
record ReportedChunk(ChunkReport wire, ChunkState state) {
  /**
   * Decodes what a server tells.
   *
   * @throws RequestRefusedException BAD_REQUEST when there is no such state
   */
  static List<ReportedChunk> listOf(List<ChunkReport> wire) throws RequestRefusedException {
    List<ReportedChunk> reports = new ArrayList<>(wire.size());
    for (ChunkReport report : wire) {
      try {
        reports.add(new ReportedChunk(report, ChunkState.ofCode(report.getState())));
      } catch (ProtocolException e) {
        throw new RequestRefusedException(
            Status.BAD_REQUEST, e.getMessage() + ": chunk=" + Long.toHexString(report.getChunk()));
      }
    }
    return reports;
  }

  long id() {
    return wire.getChunk();
  }
}
