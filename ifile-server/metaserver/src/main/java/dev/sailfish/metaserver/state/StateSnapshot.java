package dev.sailfish.metaserver.state;

import dev.sailfish.ground.journal.StateView;
import dev.sailfish.metaserver.wire.SnapshotEnd;
import dev.sailfish.metaserver.wire.SnapshotEnded;
import dev.sailfish.metaserver.wire.SnapshotEndedKey;
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
public final class StateSnapshot implements StateView {
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
  public StateSnapshot(MetaserverState state) {
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
                Stream.of(part().setHeader(state.header())),
                state.registry().all().stream().map(server -> part().setServer(server.snapshot())))
            .toList()
            .iterator();
    jobs = state.jobs().freeze().iterator();
    lastSections.add(
        state.jobs().ended().all().entrySet().stream()
            .map(job -> part().setEnded(ended(job.getKey(), job.getValue())))
            .iterator());
    lastSections.add(
        state.admitted().freeze().map(job -> part().setAdmitted(job.snapshot())).iterator());
    lastSections.add(
        state.admitted().ended().all().entrySet().stream()
            .map(job -> part().setEndedKey(endedKey(job.getKey(), job.getValue())))
            .iterator());
  }

  private static SnapshotPart.Builder part() {
    return SnapshotPart.newBuilder();
  }

  private static SnapshotEnded.Builder ended(String job, long atMs) {
    return SnapshotEnded.newBuilder().setJob(job).setEndedMs(atMs);
  }

  private static SnapshotEndedKey.Builder endedKey(AdmittedJobs.NamedKey key, long atMs) {
    return SnapshotEndedKey.newBuilder().setName(key.name()).setKeyId(key.keyId()).setEndedMs(atMs);
  }

  @Override
  public boolean write(OutputStream out) throws IOException {
    OutputStream checked = new CheckedOutputStream(out, checksum);
    int bytes = 0;
    while (bytes < pieceBytes) {
      if (!hasNext()) {
        part()
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
}
