package dev.sailfish.metaserver.state;

import dev.sailfish.metaserver.manifest.AttemptId;
import dev.sailfish.metaserver.wire.SnapshotBinding;
import dev.sailfish.metaserver.wire.SnapshotChunk;
import dev.sailfish.metaserver.wire.SnapshotKept;
import dev.sailfish.metaserver.wire.SnapshotNotRepeatable;
import dev.sailfish.metaserver.wire.SnapshotPart;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A job as it was when a snapshot began: made before the job's first change since, or when its turn
 * to be written has come. It takes little, however large the job is: chunks and manifests are only
 * ever added, so that their numbers say which there were; a chunk is copied before it changes, and
 * an attempt's bindings are replaced instead of changed.
 */
final class JobImage {
  private final Job job;
  private final int chunks;
  private final int manifests;
  private final SortedMap<AttemptId, SortedMap<Integer, ChunkInfo>> bindings;
  private final Set<Integer> notRepeatable;
  private final SnapshotKept kept;
  private final Map<Long, SnapshotChunk> changed = new HashMap<>();

  JobImage(Job job) {
    this.job = job;
    this.chunks = job.chunks().size();
    this.manifests = job.manifests().size();
    this.bindings = job.bindings();
    this.notRepeatable = job.notRepeatableMaps();
    this.kept = job.kept();
  }

  /** A chunk is about to change. */
  void keep(ChunkInfo chunk) {
    if (!changed.containsKey(chunk.id())) {
      changed.put(chunk.id(), chunk.snapshot());
    }
  }

  /** Whether these are the bindings of an attempt that must stay as they are. */
  boolean has(AttemptId attempt, Map<Integer, ChunkInfo> bound) {
    return bindings.get(attempt) == bound;
  }

  /** What a snapshot has of it, made one by one. */
  Iterator<SnapshotPart.Builder> parts() {
    Stream<SnapshotPart.Builder> spec = Stream.of(part().setJob(job.spec().request()));
    Stream<SnapshotPart.Builder> chunkParts =
        IntStream.range(0, chunks).mapToObj(i -> part().setChunk(image(job.chunks().get(i))));
    Stream<SnapshotPart.Builder> bindingParts =
        bindings.entrySet().stream()
            .flatMap(
                attempt ->
                    attempt.getValue().entrySet().stream()
                        .map(bound -> binding(attempt.getKey(), bound)));
    Stream<SnapshotPart.Builder> manifestParts =
        IntStream.range(0, manifests)
            .mapToObj(i -> part().setManifest(job.manifests().get(i).snapshot()));
    Stream<SnapshotPart.Builder> maps =
        Stream.of(notRepeatable)
            .filter(numbers -> !numbers.isEmpty())
            .map(SnapshotNotRepeatable.newBuilder()::addAllMaps)
            .map(numbers -> part().setNotRepeatable(numbers));
    Stream<SnapshotPart.Builder> keptPart =
        Stream.of(kept)
            .filter(known -> known.getSerializedSize() > 0)
            .map(known -> part().setKept(known));
    return Stream.of(spec, chunkParts, bindingParts, manifestParts, maps, keptPart)
        .flatMap(parts -> parts)
        .iterator();
  }

  private SnapshotChunk image(ChunkInfo chunk) {
    SnapshotChunk kept = changed.get(chunk.id());
    return kept == null ? chunk.snapshot() : kept;
  }

  private static SnapshotPart.Builder part() {
    return SnapshotPart.newBuilder();
  }

  private static SnapshotPart.Builder binding(
      AttemptId attempt, Map.Entry<Integer, ChunkInfo> bound) {
    return part()
        .setBinding(
            SnapshotBinding.newBuilder()
                .setMap(attempt.map())
                .setAttempt(attempt.attempt())
                .setPartition(bound.getKey())
                .setChunk(bound.getValue().id()));
  }
}
