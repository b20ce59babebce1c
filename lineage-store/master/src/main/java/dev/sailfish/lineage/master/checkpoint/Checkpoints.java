package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.edge.checkpoint.CheckpointPolicy;
import dev.sailfish.lineage.master.checkpoint.CheckpointPlace.Verdict;
import dev.sailfish.lineage.master.checkpoint.HeldFiles.Held;
import dev.sailfish.lineage.master.checkpoint.Turn.Source;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.dependency.OutputState;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.MountedFile;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Worker;
import dev.sailfish.lineage.protocol.wire.CheckpointEntry;
import dev.sailfish.lineage.protocol.wire.CheckpointFailure;
import dev.sailfish.lineage.protocol.wire.CheckpointOrder;
import dev.sailfish.lineage.protocol.wire.CheckpointOrders;
import dev.sailfish.lineage.protocol.wire.ListCheckpointsResponse;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatRequest;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatResponse;
import dev.sailfish.lineage.understore.mount.Mount;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has files copied below in the background: the leader chooses the next one and a worker that has
 * it, orders it with the worker's heartbeat, and hears how it ends by the journal, which has the
 * copy, or with another heartbeat.
 */
public final class Checkpoints {
  private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);

  /** Inputs and outputs that a new leader's policy is told at once. */
  static final int TOLD_AT_ONCE = 20_000;

  /** Files that are looked at to find some that can be copied. */
  private static final int LOOKED_AT_ONCE = 2_000;

  /** Files that could not be copied and are looked at again. */
  private static final int LOOKED_AGAIN_AT_ONCE = 500;

  /** For each worker; more would be chosen too early. */
  private static final int MOST_ASSIGNED = 16;

  private static final int MOST_URGENT = 1_000_000;

  private final CheckpointSettings settings;
  private final Clock clock;
  private final Turns turns = new Turns();
  private final Setbacks setbacks;
  private final HeldFiles held = new HeldFiles();
  private final UnrecordedFiles unrecorded = new UnrecordedFiles();
  private final CheckpointProgress progress = new CheckpointProgress();
  private final Set<Long> urgent = new LinkedHashSet<>();

  /** Files that the policy has named and that cannot be copied now. */
  private final ApartFiles apart = new ApartFiles();

  private final Set<Integer> heard = new HashSet<>();

  /** Workers at which somebody waits for room. */
  private final Set<Integer> shortOfRoom = new HashSet<>();

  private final Turns.Limits limits = new WorkerLimits();

  // Of the time in which this master leads; null if it does not.
  private Namespace namespace;
  private CheckpointPolicy policy;
  private PolicyFeed feed;

  /** As they were when the files apart were last looked at. */
  private List<Mount> mounts = List.of();

  /** Leads nobody yet. */
  public Checkpoints(CheckpointSettings settings, Clock clock) {
    this.settings = settings;
    this.clock = clock;
    this.setbacks = new Setbacks(settings.backoff());
  }

  /** This master begins to lead. */
  public void lead(Namespace leading) {
    follow();
    namespace = leading;
    policy = settings.order().policy();
    feed =
        new PolicyFeed(
            namespace.lineage().graph(),
            policy,
            settings.threshold(),
            new FeedHearer(),
            clock::nanoTime);
    namespace.lineage().graph().watch(feed);
    progress.clear(clock.nanoTime());
  }

  /** It leads no more. */
  public void follow() {
    if (namespace != null) {
      namespace.lineage().graph().watch(null);
    }
    namespace = null;
    turns.clear();
    setbacks.clear();
    held.clear();
    unrecorded.clear();
    urgent.clear();
    apart.clear();
    heard.clear();
    shortOfRoom.clear();
    mounts = List.of();
  }

  /** Somebody has opened a file to read it. */
  public void read(long fid) {
    if (namespace != null) {
      policy.read(fid);
    }
  }

  /**
   * Somebody waits until a file is below: it goes before all others, also if it is temporary.
   *
   * @param fid of a file that is complete and under a mount that can be written
   */
  public void ask(long fid) {
    boolean isWaiting = turns.of(fid) == null && !held.has(fid) && urgent.size() < MOST_URGENT;
    if (namespace != null && isWaiting) {
      urgent.add(fid);
    }
  }

  // ---- the next file

  /** To be called often. */
  public void tick() {
    if (namespace == null || !feed.tell(TOLD_AT_ONCE)) {
      return;
    }
    long nowNs = clock.nanoTime();
    keepWorkers(nowNs);
    held.release(nowNs, this::released);
    lookApart();
    setbacks.keepMounts(mounts.stream().map(Mount::path).toList(), nowNs);
    if (!mounts.isEmpty() && settings.unrecorded() && settings.order().isInBackground()) {
      unrecorded.step(namespace, nowNs);
    }
  }

  private void keepWorkers(long nowNs) {
    Set<Integer> live = new TreeSet<>();
    namespace.workers().stream().map(Worker::number).forEach(live::add);
    heard.retainAll(live);
    shortOfRoom.retainAll(live);
    for (Turn turn : List.copyOf(turns.all())) {
      if (!live.contains(turn.place().worker())) {
        giveBack(turn, nowNs);
      }
    }
    turns.keep(live);
  }

  /** A turn comes to nothing, and that is nobody's fault. */
  private void giveBack(Turn turn, long nowNs) {
    turns.end(turn, nowNs);
    again(turn.fid(), turn.source(), 0);
  }

  private void released(Held one) {
    if (!CheckpointPlace.isThere(namespace, one.fid())) {
      setbacks.forget(one.fid());
      return;
    }
    again(one.fid(), one.source(), one.spentNs());
  }

  private void again(long fid, Source source, long spentNs) {
    policy.failed(fid, spentNs);
    if (source == Source.URGENT) {
      urgent.add(fid);
    }
  }

  /** What could not be copied may be moved, or mounted, by now. */
  private void lookApart() {
    mounts = namespace.mounted().mounts();
    int left = mounts.isEmpty() ? 0 : Math.min(LOOKED_AGAIN_AT_ONCE, apart.size());
    for (; left > 0; left--) {
      long fid = apart.take();
      if (namespace.lineage().graph().state(fid) != OutputState.STORED) {
        continue;
      }
      if (CheckpointPlace.verdict(namespace, settings.temporary(), fid, false) == Verdict.READY) {
        policy.failed(fid, 0);
      } else {
        putApart(fid);
      }
    }
  }

  private void putApart(long fid) {
    DependencyGraph graph = namespace.lineage().graph();
    DependencyGraph.Producer producer = graph.producer(fid);
    if (producer != null) {
      apart.add(fid, graph.find(producer.dependency()).output(producer.at()).length());
    }
  }

  private static long first(Set<Long> fids) {
    Iterator<Long> all = fids.iterator();
    long first = all.next();
    all.remove();
    return first;
  }

  /** Nothing is ordered before it is known what workers have in hand. */
  private boolean isReady() {
    return feed.tell(0) && heard.size() == namespace.workers().size() && !heard.isEmpty();
  }

  /** Chooses files for all workers; not before one asks, so that the order is that of now. */
  private void fill(long nowNs) {
    int looked = 0;
    boolean more = isReady();
    while (more && looked < LOOKED_AT_ONCE && turns.assigned() < MOST_ASSIGNED * heard.size()) {
      more = chooseNext(nowNs);
      looked++;
    }
    progress.look(policy, nowNs);
  }

  private boolean chooseNext(long nowNs) {
    if (!urgent.isEmpty()) {
      choose(first(urgent), Source.URGENT, nowNs);
      return true;
    }
    if (!settings.order().isInBackground()) {
      return false;
    }
    OptionalLong next = policy.next(isUrgent() ? CheckpointPolicy.UNKNOWN_NS : nowNs);
    if (next.isPresent()) {
      choose(next.getAsLong(), Source.POLICY, nowNs);
      return true;
    }
    if (policy.askAgainNs().isPresent()) {
      return false; // heartbeats come often enough, and no order goes out without one
    }
    OptionalLong found = unrecorded.take();
    found.ifPresent(fid -> choose(fid, Source.UNRECORDED, nowNs));
    return found.isPresent();
  }

  /** What is copied makes room, or lets a worker go: no better file is waited for. */
  private boolean isUrgent() {
    return !shortOfRoom.isEmpty()
        || heard.stream().anyMatch(worker -> namespace.uses().holders().isDraining(worker));
  }

  private void choose(long fid, Source source, long nowNs) {
    boolean isOfPolicy = start(fid, nowNs);
    if (turns.of(fid) != null) {
      return; // a worker has said that it has it in hand
    }
    Verdict verdict =
        CheckpointPlace.verdict(namespace, settings.temporary(), fid, source == Source.URGENT);
    CheckpointPlace place =
        verdict == Verdict.READY ? CheckpointPlace.of(namespace, fid, turns::of) : null;
    if (place == null) {
      if (isOfPolicy) {
        putApart(fid);
      }
      return;
    }
    long untilNs = setbacks.untilNs(place, nowNs);
    if (untilNs - nowNs > 0) {
      held.add(fid, source, untilNs, 0);
      return;
    }
    turns.add(new Turn(place, source, nowNs));
  }

  /** Tells the policy that a file is being written, if it has it waiting. */
  private boolean start(long fid, long nowNs) {
    boolean isWaiting = policy.isWaiting(fid);
    if (isWaiting) {
      policy.started(fid, nowNs);
    }
    return isWaiting;
  }

  // ---- workers

  /** Takes what a worker says, and adds what it is to copy. */
  public void heard(WorkerHeartbeatRequest said, WorkerHeartbeatResponse.Builder response) {
    if (namespace == null) {
      return;
    }
    int worker = said.getWorker();
    long nowNs = clock.nanoTime();
    heard.add(worker);
    if (said.getShortOfRoom()) {
      shortOfRoom.add(worker);
    } else {
      shortOfRoom.remove(worker);
    }
    Map<Long, CheckpointFailure> failures = new HashMap<>();
    said.getCheckpointFailuresList().forEach(one -> failures.put(one.getFid(), one));
    Set<Long> inHand = new LinkedHashSet<>(said.getCheckpointingList());
    for (Turn turn : turns.with(worker)) {
      if (!inHand.contains(turn.fid())) {
        ended(turn, failures.get(turn.fid()), nowNs);
      } else if (turn.state() == TurnState.ORDERED) {
        turn.move(TurnState.TOLD, nowNs);
      }
    }
    inHand.stream()
        .filter(fid -> turns.of(fid) == null && CheckpointPlace.isThere(namespace, fid))
        .forEach(fid -> adopt(fid, worker, nowNs));
    order(worker, response, nowNs);
  }

  /** A worker has a file in hand no more. If the journal has its copy, nothing is to be done. */
  private void ended(Turn turn, CheckpointFailure failure, long nowNs) {
    if (!CheckpointPlace.isThere(namespace, turn.fid())) {
      if (namespace.isBelow(turn.fid())) {
        copied(turn, turn.place().length(), nowNs);
      } else {
        turns.end(turn, nowNs);
        setbacks.forget(turn.fid());
      }
      return;
    }
    if (failure == null && turn.state() == TurnState.ORDERED) {
      giveBack(turn, nowNs); // the answer with the order was lost
      return;
    }
    String message = failure == null ? "its worker does not say why" : failure.getMessage();
    long spentNs = turns.end(turn, nowNs);
    setbacks.failed(turn.place(), message, failure != null && failure.getOfMount(), nowNs);
    progress.failed();
    LOG.warn(
        "fid={} mount={} could not be copied below in the background, and is tried again: {}",
        Long.toHexString(turn.fid()),
        turn.place().mount(),
        message);
    long untilNs = setbacks.untilNs(turn.place(), nowNs);
    held.add(turn.fid(), turn.source(), untilNs, spentNs);
  }

  /** Returns how long it took, in ns. */
  private long copied(Turn turn, long length, long nowNs) {
    boolean isOrdered = turn.isWithWorker();
    long spentNs = turns.end(turn, nowNs);
    if (isOrdered) {
      setbacks.succeeded(turn.place());
      progress.copied(length, spentNs);
    }
    return spentNs;
  }

  /** The master that led before has ordered it, or the worker was away for some time. */
  private void adopt(long fid, int worker, long nowNs) {
    try {
      MountedFile file = namespace.mountedFile(fid);
      String mount = file.under().mount().path();
      CheckpointPlace place = new CheckpointPlace(fid, file.info().length(), mount, worker);
      start(fid, nowNs);
      turns.adopt(new Turn(place, Source.POLICY, nowNs), nowNs);
    } catch (NamespaceException e) {
      LOG.debug("worker={} copies a file that is there no more: {}", worker, e.getMessage());
    }
  }

  private void order(int worker, WorkerHeartbeatResponse.Builder response, long nowNs) {
    CheckpointOrders.Builder orders = CheckpointOrders.newBuilder();
    for (Turn turn : turns.takeBack(worker, nowNs)) {
      policy.returned(turn.fid());
    }
    if (!mounts.equals(namespace.mounted().mounts())) {
      lookApart();
    }
    boolean more = true;
    while (more) {
      fill(nowNs);
      List<Turn> next = turns.order(worker, limits, nowNs);
      next.forEach(turn -> orders.addFiles(order(turn)));
      more = !next.isEmpty();
    }
    if (orders.getFilesCount() > 0) {
      CheckpointSettings.Pace pace = settings.pace();
      response.setCheckpoints(
          orders
              .setAtOnce(pace.atOnce())
              .setBytesPerSecond(pace.bytesPerSecond())
              .setLongestPauseMs(pace.longestPauseMs()));
    }
  }

  private static CheckpointOrder order(Turn turn) {
    return CheckpointOrder.newBuilder()
        .setFid(turn.fid())
        .setMount(turn.place().mount())
        .setUrgent(turn.source() == Source.URGENT)
        .build();
  }

  private final class WorkerLimits implements Turns.Limits {
    @Override
    public int atOnce() {
      return settings.pace().atOnce();
    }

    @Override
    public boolean isAiling(String mount) {
      return setbacks.isAiling(mount);
    }
  }

  /** Hears of outputs of dependencies. */
  private final class FeedHearer implements PolicyFeed.Hearer {
    @Override
    public void waits(long fid) {
      progress.waits(
          fid, clock.nanoTime(), Checkpoints.this::waits, feed == null ? 0 : feed.files());
    }

    @Override
    public void isLarge(long fid) {
      ask(fid);
    }

    @Override
    public long copied(long fid, long length) {
      Turn turn = turns.of(fid);
      setbacks.forget(fid);
      apart.remove(fid);
      return turn == null ? 0 : Checkpoints.this.copied(turn, length, clock.nanoTime());
    }

    @Override
    public void gone(long fid, long length, boolean isDeleted) {
      Turn turn = turns.of(fid);
      if (turn != null && !turn.isWithWorker()) {
        turns.end(turn, clock.nanoTime());
      }
      apart.remove(fid);
      if (isDeleted) {
        setbacks.forget(fid);
        progress.spared(length);
      }
    }
  }

  /** Whether an output waits, and can be copied as far as is known. */
  private boolean waits(long fid) {
    return !apart.contains(fid) && namespace.lineage().graph().state(fid) == OutputState.STORED;
  }

  // ---- questions

  /** How far it is. */
  public CheckpointNumbers numbers() {
    return namespace == null
        ? CheckpointNumbers.NONE
        : progress.numbers(
            new CheckpointProgress.Waiting(
                feed.files() - apart.size(), feed.bytes() - apart.bytes(), turns.withWorkers()),
            this::waits,
            policy,
            heard.size(),
            clock.nanoTime());
  }

  /** Whether all records were looked at. */
  public boolean isTold() {
    return namespace != null && feed.tell(0);
  }

  /** Sentences on what fails. */
  public List<String> complaints() {
    List<String> all = new ArrayList<>();
    setbacks
        .mounts()
        .forEach(
            (mount, setback) ->
                all.add(
                    "files cannot be copied below %s, %d times so far: %s"
                        .formatted(mount, setback.failures(), setback.message())));
    if (setbacks.files() > 0) {
      all.add(
          "%d files could not be copied below so far: `sailfish lineage queue` says why"
              .formatted(setbacks.files()));
    }
    return all;
  }

  /** One file as it waits; empty if it does not, or is not the caller's. */
  public Optional<CheckpointEntry> entry(long fid, Caller caller) {
    return namespace == null ? Optional.empty() : queue().entry(fid, caller);
  }

  /** Whether a worker copies a file below now. */
  public boolean isCopied(long fid) {
    Turn turn = turns.of(fid);
    return turn != null && turn.isWithWorker();
  }

  private CheckpointQueue queue() {
    return new CheckpointQueue(namespace, turns, held, setbacks, clock.nanoTime());
  }

  /**
   * Files that wait, about in the order in which they will be copied.
   *
   * @param skip how many the caller has seen
   * @param limit how many it is shown, at most
   */
  public ListCheckpointsResponse page(Caller caller, int skip, int limit) {
    CheckpointQueue.Page page =
        new CheckpointQueue.Page(
            namespace == null ? null : queue(), caller, Math.max(0, skip), limit);
    if (namespace != null) {
      show(page::take);
    }
    return page.answer();
  }

  private void show(LongPredicate visitor) {
    List<Long> first =
        turns.all().stream()
            .sorted(Comparator.comparing(turn -> !turn.isWithWorker()))
            .map(Turn::fid)
            .toList();
    boolean more = show(first, visitor) && show(urgent, visitor);
    if (more && settings.order().isInBackground()) {
      boolean[] isLast = {true};
      policy.showWaiting(
          fid -> {
            isLast[0] = urgent.contains(fid) || visitor.test(fid);
            return isLast[0];
          });
      more = isLast[0] && show(unrecorded.waiting(), visitor);
    }
    if (more) {
      show(held.fids(), visitor);
    }
  }

  private static boolean show(Iterable<Long> fids, LongPredicate visitor) {
    for (long fid : fids) {
      if (!visitor.test(fid)) {
        return false;
      }
    }
    return true;
  }
}
