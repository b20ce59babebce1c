package dev.sailfish.lineage.qfs.append;

import dev.sailfish.lineage.qfs.append.AppendCalls.OpStatus;
import dev.sailfish.lineage.qfs.append.AppendCalls.WriteIds;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.wire.QfsError;
import java.io.IOException;

/**
 * What became of an append whose acknowledgement did not come.
 *
 * <p>Each server of a chunk remembers the last append with its write id. Asking it also ends the
 * write id there, so what has not reached it by then never will; and an append that has not reached
 * all servers is cut off when the chunk becomes stable. So one server that has never got it decides
 * that it is not in the file. A server that got it but does not know whether the others did may be
 * asked again: it learns that at the latest when the chunk becomes stable.
 *
 * @param offset of the first byte in the chunk, if it was appended
 * @param failure why nobody knows, if so
 */
record AppendOutcome(Kind kind, long offset, IOException failure) {
  enum Kind {
    APPENDED,
    NOT_APPENDED,
    UNKNOWN
  }

  private static final AppendOutcome NOT_APPENDED = new AppendOutcome(Kind.NOT_APPENDED, -1, null);

  /**
   * Asks the servers of a chunk, the first one first.
   *
   * @param before number of the last request with these write ids that was answered
   * @param length of the append
   * @param again whether they were asked before; until then a server that does not know yet ends
   *     the round, because asking the others could cut off what is on its way to them
   */
  static AppendOutcome ask(
      AppendCalls calls, ChunkInfo chunk, WriteIds ids, long before, int length, boolean again) {
    IOException failure = null;
    for (int server = 0; server < chunk.servers().size(); server++) {
      AppendOutcome outcome;
      try {
        outcome = of(calls.status(chunk, ids, server), chunk, before, length);
      } catch (IOException e) {
        // Gone, or it was started again and has forgotten the chunk: the next one may know.
        outcome = unknown(e);
        failure = failure == null ? e : failure;
        continue;
      }
      if (outcome.kind() != Kind.UNKNOWN || !again) {
        return outcome;
      }
      failure = outcome.failure();
    }
    return unknown(failure);
  }

  private static AppendOutcome of(OpStatus status, ChunkInfo chunk, long before, int length)
      throws IOException {
    if (status.version() != chunk.version()) {
      throw new IOException(
          "chunk %d has version %d, expected %d"
              .formatted(chunk.id(), status.version(), chunk.version()));
    }
    boolean none = status.length() == 0;
    if (none || status.sequence() == before) {
      return status.readOnly()
          ? NOT_APPENDED
          : unknown(new IOException("the write id still takes appends: chunk=" + chunk.id()));
    }
    if (QfsError.of(status.status()) == QfsError.EAGAIN) {
      return unknown(new IOException("the append is still under way: chunk=" + chunk.id()));
    }
    if (status.status() != 0) {
      return NOT_APPENDED;
    }
    if (status.length() != length) {
      throw new IOException(
          "chunk %d: the last append has %d bytes, expected %d"
              .formatted(chunk.id(), status.length(), length));
    }
    return new AppendOutcome(Kind.APPENDED, status.offset(), null);
  }

  private static AppendOutcome unknown(IOException failure) {
    return new AppendOutcome(Kind.UNKNOWN, -1, failure);
  }
}
