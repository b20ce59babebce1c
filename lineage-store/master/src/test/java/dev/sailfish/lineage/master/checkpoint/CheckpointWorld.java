package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.edge.checkpoint.SynchronousThreshold;
import dev.sailfish.lineage.edge.recompute.Backoff;
import dev.sailfish.lineage.edge.recompute.TemporaryFiles;
import dev.sailfish.lineage.master.dependency.Breadth;
import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.Input;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.Part;
import dev.sailfish.lineage.master.dependency.Program;
import dev.sailfish.lineage.master.namespace.Below;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.Content;
import dev.sailfish.lineage.master.namespace.Creation;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.protocol.wire.CheckpointFailure;
import dev.sailfish.lineage.protocol.wire.CheckpointOrder;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatRequest;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** A tree of files with two workers and a mount, and checkpoints with a clock of their own. */
final class CheckpointWorld {
  static final Caller ROOT = new Caller("root", Set.of(), true);
  static final int LENGTH = 1_000;

  /** No worker has another file in hand beside one of so many bytes. */
  static final int LARGE = 33 << 20;

  static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  /** What a test is about if it is not about settings. */
  static final CheckpointSettings SETTINGS =
      new CheckpointSettings(
          CheckpointOrdering.DEFAULT,
          new TemporaryFiles(List.of("_temporary")),
          false,
          SynchronousThreshold.NEVER,
          new Backoff(1, 10 * SECOND_NS, 60 * SECOND_NS),
          new CheckpointSettings.Pace(1, 0, 50));

  private static final String HASH = "c0".repeat(32);
  private static final long WRITER = 7;
  private static final int BLOCK_LOG = 20;

  final Namespace namespace = Namespace.empty();
  final int[] workers = new int[2];
  final Checkpoints checkpoints;
  private final Map<Integer, List<Long>> inHand = new TreeMap<>();
  private final Set<Integer> shortOfRoom = new TreeSet<>();
  private long nowNs;

  private final Clock clock =
      new Clock() {
        @Override
        public long nanoTime() {
          return nowNs;
        }

        @Override
        public long wallMs() {
          return TimeUnit.NANOSECONDS.toMillis(nowNs);
        }
      };

  CheckpointWorld(CheckpointSettings settings) throws NamespaceException {
    checkpoints = new Checkpoints(settings, clock);
    for (int i = 0; i < workers.length; i++) {
      workers[i] = namespace.addWorker(i + 1, "host-" + i, i + 1).number();
      inHand.put(workers[i], new ArrayList<>());
    }
    namespace.mount("/m file:///below", ROOT, 1);
    FileInfo program = namespace.lineage().programs().prepare(HASH, WRITER, ROOT, 1);
    complete(program.fid(), 0);
    leadAnew();
    beat();
  }

  /** Another master leads: it knows nothing but the tree, and what workers say. */
  void leadAnew() {
    checkpoints.lead(namespace);
    tick();
  }

  void pass(long seconds) {
    nowNs += seconds * SECOND_NS;
    tick();
  }

  void tick() {
    for (int i = 0; i < 20; i++) {
      namespace.sweep(1_000, (fid, holder) -> {});
    }
    checkpoints.tick();
  }

  long begin(String path) throws NamespaceException {
    Creation creation = new Creation(0600, 0755, BLOCK_LOG, true, WRITER);
    return namespace.writing().create(StorePath.of(path), creation, ROOT, 1).fid();
  }

  void complete(long fid, int worker) throws NamespaceException {
    complete(fid, worker, LENGTH);
  }

  void complete(long fid, int worker, int length) throws NamespaceException {
    int[] places = new int[-(-length >> BLOCK_LOG)];
    Arrays.fill(places, Place.of(workers[worker], 0));
    Content content = new Content(length, places, OptionalInt.of(1));
    namespace.writing().complete(fid, WRITER, content, TimeUnit.NANOSECONDS.toMillis(nowNs) + 1);
    tick();
  }

  long file(String path, int worker) throws NamespaceException {
    long fid = begin(path);
    complete(fid, worker);
    return fid;
  }

  /** A file that is made of others; the first worker has it. */
  long made(String path, long... inputs) throws NamespaceException {
    long fid = file(path, 0);
    record(List.of(fid), inputs);
    return fid;
  }

  void record(List<Long> outputs, long... inputs) throws NamespaceException {
    Dependency.Recipe recipe =
        new Dependency.Recipe(
            "root",
            "",
            Breadth.WIDE,
            LongStream.of(inputs).mapToObj(Input::of).toList(),
            List.of(new Program("job.jar", HASH)),
            new byte[0]);
    List<Output> asked = outputs.stream().map(fid -> Output.pending(fid, Part.of(0))).toList();
    namespace.lineage().create(recipe, asked, false, ROOT);
    tick();
  }

  void delete(String path) throws NamespaceException {
    namespace.delete(StorePath.of(path), true, ROOT, 1);
    tick();
  }

  /** A worker is heard with what it has in hand, and takes what it is told. */
  List<Long> beat(int worker, CheckpointFailure... failures) {
    List<Long> has = inHand.get(workers[worker]);
    WorkerHeartbeatResponse.Builder response = WorkerHeartbeatResponse.newBuilder();
    checkpoints.heard(
        WorkerHeartbeatRequest.newBuilder()
            .setWorker(workers[worker])
            .setShortOfRoom(shortOfRoom.contains(worker))
            .addAllCheckpointing(has)
            .addAllCheckpointFailures(List.of(failures))
            .build(),
        response);
    List<Long> told =
        response.getCheckpoints().getFilesList().stream().map(CheckpointOrder::getFid).toList();
    has.addAll(told);
    return told;
  }

  /** Somebody waits for room at a worker, from its next heartbeat on. */
  void fill(int worker) {
    shortOfRoom.add(worker);
  }

  /** Files are recorded before they are there. */
  List<Long> planned(List<String> paths, long... inputs) throws NamespaceException {
    List<Long> fids = new ArrayList<>();
    for (String path : paths) {
      fids.add(begin(path));
    }
    record(fids, inputs);
    return fids;
  }

  /** The answer with its orders did not reach a worker. */
  void forget(int worker) {
    inHand.get(workers[worker]).clear();
  }

  /** Both workers are heard. */
  List<Long> beat() {
    List<Long> told = new ArrayList<>(beat(0));
    told.addAll(beat(1));
    return told;
  }

  /** A worker has copied a file. */
  void copied(long fid) throws NamespaceException {
    inHand.values().forEach(has -> has.remove(fid));
    recorded(fid);
  }

  /** A worker's copy of a file is in the journal. */
  void recorded(long fid) throws NamespaceException {
    StorePath path = StorePath.of(namespace.path(fid));
    long length = namespace.stat(fid).length();
    Below copy = new Below(false, length, 1, "tag", OptionalInt.of(1), false);
    namespace.mounted().record(fid, path, copy);
    tick();
  }

  /** A worker could not copy a file, and says so. */
  void failed(int worker, long fid, boolean isOfMount) {
    inHand.get(workers[worker]).remove(fid);
    beat(
        worker,
        CheckpointFailure.newBuilder().setFid(fid).setMessage("no").setOfMount(isOfMount).build());
  }
}
