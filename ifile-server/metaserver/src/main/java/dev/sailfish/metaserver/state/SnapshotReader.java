package dev.sailfish.metaserver.state;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.ProtocolException;
import dev.sailfish.metaserver.manifest.AttemptId;
import dev.sailfish.metaserver.wire.SnapshotAdmitted;
import dev.sailfish.metaserver.wire.SnapshotBinding;
import dev.sailfish.metaserver.wire.SnapshotChunk;
import dev.sailfish.metaserver.wire.SnapshotEnd;
import dev.sailfish.metaserver.wire.SnapshotEndedKey;
import dev.sailfish.metaserver.wire.SnapshotManifest;
import dev.sailfish.metaserver.wire.SnapshotPart;
import dev.sailfish.protocol.ChunkState;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

/** Reads what {@link StateSnapshot} wrote into a core that is new. */
public final class SnapshotReader {
  private final CheckedInputStream in;
  private final MetaserverState state;
  private Job job;
  private long parts;

  private SnapshotReader(InputStream in, MetaserverState state) {
    this.in = new CheckedInputStream(in, new CRC32C());
    this.state = state;
  }

  /**
   * Reads all of it.
   *
   * @param state a core on which nothing was called
   * @throws IOException when it ends early, is damaged, or was written by a later release
   */
  public static void read(InputStream in, MetaserverState state) throws IOException {
    SnapshotReader reader = new SnapshotReader(in, state);
    try {
      reader.all();
    } catch (InvalidProtocolBufferException | RequestRefusedException | ProtocolException e) {
      throw reader.damaged(e.getMessage(), e);
    } catch (RuntimeException e) {
      throw reader.damaged(e.toString(), e);
    }
  }

  private IOException damaged(String what, Exception cause) {
    return new IOException("snapshot is damaged: part=" + parts + ": " + what, cause);
  }

  private void all() throws IOException {
    while (true) {
      int checksum = (int) in.getChecksum().getValue();
      SnapshotPart part = SnapshotPart.parseDelimitedFrom(in);
      if (part == null) {
        throw damaged("it ends before its end", null);
      }
      if (parts == 0) {
        checkHeader(part);
      }
      if (part.getPartCase() == SnapshotPart.PartCase.END) {
        checkEnd(part.getEnd(), checksum);
        return;
      }
      take(part);
      parts++;
    }
  }

  private void checkHeader(SnapshotPart part) throws IOException {
    if (part.getPartCase() != SnapshotPart.PartCase.HEADER) {
      throw damaged("it does not begin with a header but with " + part.getPartCase(), null);
    }
    int version = part.getHeader().getVersion();
    if (version < StateSnapshot.VERSION) {
      throw new IOException(EntryApplier.earlier("snapshot", version, StateSnapshot.VERSION));
    }
    if (version > StateSnapshot.VERSION) {
      throw new IOException(EntryApplier.later("snapshot", version, StateSnapshot.VERSION));
    }
  }

  private void checkEnd(SnapshotEnd end, int checksum) throws IOException {
    if (end.getParts() != parts || end.getChecksum() != checksum) {
      throw damaged(
          "parts=%d written=%d checksum=%x written=%x"
              .formatted(parts, end.getParts(), checksum, end.getChecksum()),
          null);
    }
  }

  private void take(SnapshotPart part) throws IOException {
    switch (part.getPartCase()) {
      case HEADER -> state.restore(part.getHeader());
      case SERVER -> state.registry().findOrAdd(part.getServer().getId()).restore(part.getServer());
      case JOB -> job = state.jobs().restore(JobSpec.of(part.getJob(), 0), state.timeMs());
      case CHUNK -> chunk(part.getChunk());
      case BINDING -> binding(part.getBinding());
      case MANIFEST -> manifest(part.getManifest());
      case NOT_REPEATABLE -> part.getNotRepeatable().getMapsList().forEach(job::notRepeatable);
      case KEPT -> job.restore(part.getKept());
      case ADMITTED -> {
        SnapshotAdmitted saved = part.getAdmitted();
        state.admitted().restore(saved.getJob(), saved.getAdmit(), saved.getSinceMs());
        if (state.jobs().find(saved.getJob()) != null) {
          state.admitted().begun(saved.getJob());
        }
      }
      case ENDED_KEY -> {
        SnapshotEndedKey saved = part.getEndedKey();
        state
            .admitted()
            .ended()
            .add(new AdmittedJobs.NamedKey(saved.getName(), saved.getKeyId()), saved.getEndedMs());
      }
      case ENDED ->
          state.jobs().ended().add(part.getEnded().getJob(), part.getEnded().getEndedMs());
      default -> throw damaged("part of no known kind", null);
    }
  }

  private void chunk(SnapshotChunk saved) throws IOException {
    ServerInfo server = state.registry().find(saved.getServerId());
    if (server == null) {
      throw damaged("chunk of no server: server=" + saved.getServerId(), null);
    }
    ServerInfo target = null;
    if (!saved.getTargetId().isEmpty()) {
      target = state.registry().find(saved.getTargetId());
      if (target == null) {
        throw damaged("chunk is copied to no server: server=" + saved.getTargetId(), null);
      }
    }
    job.openChunk(saved.getPartition(), saved.getRack(), saved.getId(), server)
        .restore(saved, ChunkState.ofCode(saved.getState()), target);
  }

  private void binding(SnapshotBinding saved) throws IOException {
    ChunkInfo chunk = job.chunk(saved.getChunk());
    if (chunk == null) {
      throw damaged("bound to no chunk: chunk=" + Long.toHexString(saved.getChunk()), null);
    }
    job.bind(new AttemptId(saved.getMap(), saved.getAttempt()), saved.getPartition(), chunk);
  }

  private void manifest(SnapshotManifest saved) {
    job.restore(new AttemptId(saved.getMap(), saved.getAttempt()), saved.getPacked().toByteArray());
  }
}
