package dev.sailfish.metaserver;

import dev.sailfish.ground.journal.StateView;
import dev.sailfish.metaserver.wire.SnapshotAdmitted;
import dev.sailfish.metaserver.wire.SnapshotEnd;
import dev.sailfish.metaserver.wire.SnapshotHeader;
import dev.sailfish.metaserver.wire.SnapshotPart;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/**
 * What the core kept when this was made, as a sequence of parts. The core goes on meanwhile: what
 * is short is copied at the beginning, and jobs keep how they were ({@link JobImage}). Cores that
 * are in the same state give the same bytes. {@link SnapshotReader} is the way back.
 */
final class StateSnapshot implements StateView {
  /** Version of the layout that is written, and the only one that is understood. */
  static final int VERSION = 2;

  /** Of a piece, about: some hundred microseconds. */
  private static final int PIECE_BYTES = 16 << 10;

  private final int pieceBytes;
  private final MetaserverState state;
  private final Iterator<Job> jobs;
  private final CRC32C checksum = new CRC32C();
  private Iterator<SnapshotPart.Builder> section;
  private final Deque<Iterator<SnapshotPart.Builder>> lastSections = new ArrayDeque<>();
  private Job job;
  private long parts;

  /** Changes to the core are kept from it until it is closed. */
  StateSnapshot(MetaserverState state) {
    this(state, PIECE_BYTES);
  }

  /**
   * @param pieceBytes what is written at a time, about
   */
  StateSnapshot(MetaserverState state, int pieceBytes) {
    this.pieceBytes = pieceBytes;
    this.state = state;
    section =
        Stream.concat(
                Stream.of(header(state)),
                state.registry().all().stream()
                    .map(server -> SnapshotPart.newBuilder().setServer(server.snapshot())))
            .toList()
            .iterator();
    jobs = state.jobs().freeze();
    lastSections.add(
        state.jobs().ended().map(ended -> SnapshotPart.newBuilder().setEnded(ended)).iterator());
    lastSections.add(admitted(state.admitted().freeze()));
    lastSections.add(
        state.admitted().ended().map(key -> SnapshotPart.newBuilder().setEndedKey(key)).iterator());
  }

  @Override
  public boolean write(OutputStream out) throws IOException {
    OutputStream checked = new CheckedOutputStream(out, checksum);
    int bytes = 0;
    while (bytes < pieceBytes) {
      if (!hasNext()) {
        SnapshotPart.newBuilder()
            .setEnd(SnapshotEnd.newBuilder().setParts(parts).setChecksum((int) checksum.getValue()))
            .build()
            .writeDelimitedTo(out);
        return false;
      }
      SnapshotPart part = section.next().build();
      part.writeDelimitedTo(checked);
      parts++;
      bytes += part.getSerializedSize();
    }
    return true;
  }

  private boolean hasNext() {
    while (!section.hasNext()) {
      if (job != null) {
        job.forgetImage();
        job = null;
      }
      if (jobs.hasNext()) {
        job = jobs.next();
        section = job.image().parts();
      } else if (lastSections.isEmpty()) {
        return false;
      } else {
        section = lastSections.remove();
      }
    }
    return true;
  }

  @Override
  public void close() {
    if (job != null) {
      job.forgetImage();
    }
    jobs.forEachRemaining(Job::forgetImage);
    state.jobs().thaw();
    state.admitted().thaw();
  }

  private static SnapshotPart.Builder header(MetaserverState state) {
    return SnapshotPart.newBuilder()
        .setHeader(
            SnapshotHeader.newBuilder()
                .setVersion(VERSION)
                .setTimeMs(state.timeMs())
                .setLead(state.lead())
                .setNextChunk(state.ids().peek())
                .setPicks(state.registry().picks()));
  }

  private static Iterator<SnapshotPart.Builder> admitted(Iterator<AdmittedJobs.Admitted> jobs) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return jobs.hasNext();
      }

      @Override
      public SnapshotPart.Builder next() {
        AdmittedJobs.Admitted job = jobs.next();
        return SnapshotPart.newBuilder()
            .setAdmitted(
                SnapshotAdmitted.newBuilder()
                    .setJob(job.id())
                    .setAdmit(job.admit())
                    .setSinceMs(job.sinceMs()));
      }
    };
  }
}
