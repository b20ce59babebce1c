package dev.sailfish.metaserver;

import dev.sailfish.metaserver.wire.SnapshotAdmitted;
import dev.sailfish.metaserver.wire.SnapshotBinding;
import dev.sailfish.metaserver.wire.SnapshotEnd;
import dev.sailfish.metaserver.wire.SnapshotEnded;
import dev.sailfish.metaserver.wire.SnapshotEndedKey;
import dev.sailfish.metaserver.wire.SnapshotHeader;
import dev.sailfish.metaserver.wire.SnapshotNotRepeatable;
import dev.sailfish.metaserver.wire.SnapshotPart;
import dev.sailfish.metaserver.wire.SnapshotServer;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/**
 * Writes what the core keeps as a sequence of parts, part by part, so that it takes no memory to
 * speak of. Cores that are in the same state give the same bytes. {@link SnapshotReader} is the way
 * back.
 */
final class StateSnapshot {
  /** Version of the layout that is written, and the only one that is understood. */
  static final int VERSION = 2;

  private final CheckedOutputStream out;
  private long parts;

  private StateSnapshot(OutputStream out) {
    this.out = new CheckedOutputStream(out, new CRC32C());
  }

  /** Writes all of it; the stream is not closed. */
  static void write(MetaserverState state, OutputStream out) throws IOException {
    StateSnapshot snapshot = new StateSnapshot(out);
    snapshot.header(state);
    for (Chunkserver server : state.registry().all()) {
      snapshot.server(server);
    }
    for (Job job : state.jobs().all()) {
      snapshot.job(job);
    }
    for (Map.Entry<String, Long> ended : state.jobs().ended().entrySet()) {
      snapshot.put(
          SnapshotPart.newBuilder()
              .setEnded(
                  SnapshotEnded.newBuilder().setJob(ended.getKey()).setEndedMs(ended.getValue())));
    }
    for (AdmittedJobs.Admitted job : state.admitted().all()) {
      snapshot.admitted(job);
    }
    for (SnapshotEndedKey ended : state.admitted().ended()) {
      snapshot.put(SnapshotPart.newBuilder().setEndedKey(ended));
    }
    snapshot.put(SnapshotPart.newBuilder().setEnd(snapshot.end()));
  }

  private SnapshotEnd end() {
    return SnapshotEnd.newBuilder()
        .setParts(parts)
        .setChecksum((int) out.getChecksum().getValue())
        .build();
  }

  private void put(SnapshotPart.Builder part) throws IOException {
    part.build().writeDelimitedTo(out);
    parts++;
  }

  private void header(MetaserverState state) throws IOException {
    put(
        SnapshotPart.newBuilder()
            .setHeader(
                SnapshotHeader.newBuilder()
                    .setVersion(VERSION)
                    .setTimeMs(state.timeMs())
                    .setLead(state.lead())
                    .setNextChunk(state.ids().peek())
                    .setPicks(state.registry().picks())));
  }

  private void server(Chunkserver server) throws IOException {
    put(
        SnapshotPart.newBuilder()
            .setServer(
                SnapshotServer.newBuilder()
                    .setId(server.id())
                    .setHost(server.host())
                    .setPort(server.port())
                    .setWebPort(server.webPort())
                    .setRack(server.rack())
                    .setCapacityBytes(server.capacity())
                    .setUsedBytes(server.used())
                    .setLive(server.isLive())
                    .setDraining(server.isDraining())
                    .setLastChosen(server.lastChosen())));
  }

  private void admitted(AdmittedJobs.Admitted job) throws IOException {
    put(
        SnapshotPart.newBuilder()
            .setAdmitted(
                SnapshotAdmitted.newBuilder()
                    .setJob(job.id())
                    .setAdmit(job.admit())
                    .setSinceMs(job.sinceMs())));
  }

  private void job(Job job) throws IOException {
    JobSpec spec = job.spec();
    put(
        SnapshotPart.newBuilder()
            .setJob(
                CreateIfilesRequest.newBuilder()
                    .setJob(spec.name())
                    .setUser(spec.user())
                    .setPartitions(spec.partitions())
                    .setOrdering(spec.ordering().code())
                    .setCodec(spec.codec().code())
                    .setChunkBytes(spec.chunkBytes())
                    .setEncrypted(spec.encrypted())));
    for (Chunk chunk : job.chunks()) {
      put(SnapshotPart.newBuilder().setChunk(chunk.snapshot()));
    }
    for (Map.Entry<AttemptId, Map<Integer, Chunk>> bound : job.bindings().entrySet()) {
      for (Map.Entry<Integer, Chunk> binding : bound.getValue().entrySet()) {
        put(
            SnapshotPart.newBuilder()
                .setBinding(
                    SnapshotBinding.newBuilder()
                        .setMap(bound.getKey().map())
                        .setAttempt(bound.getKey().attempt())
                        .setPartition(binding.getKey())
                        .setChunk(binding.getValue().id())));
      }
    }
    for (Map.Entry<AttemptId, Manifest> committed : job.manifests().entrySet()) {
      put(SnapshotPart.newBuilder().setManifest(committed.getValue().snapshot(committed.getKey())));
    }
    Set<Integer> maps = job.notRepeatableMaps();
    if (!maps.isEmpty()) {
      put(
          SnapshotPart.newBuilder()
              .setNotRepeatable(SnapshotNotRepeatable.newBuilder().addAllMaps(maps)));
    }
  }
}
