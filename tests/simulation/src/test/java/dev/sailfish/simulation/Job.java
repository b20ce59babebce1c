package dev.sailfish.simulation;

import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.iappender.BlockCombiner;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.imerger.LostBlocksException;
import dev.sailfish.protocol.client.SortWait;
import dev.sailfish.simulator.Actor;
import dev.sailfish.simulator.EveryWaitEnds;
import dev.sailfish.simulator.Internet;
import dev.sailfish.simulator.Scheduler;
import dev.sailfish.simulator.SimulatedNetwork;
import dev.sailfish.simulator.SimulatedProcess;
import dev.sailfish.workbuilder.MapWinners;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One job as an ApplicationMaster runs it: map attempts, of which some are killed, some are twins
 * and some run again although they have won, and a reducer per partition, which begins before the
 * maps have ended.
 */
final class Job {
  static final String NAME = "job_1_1";

  private static final long MILLI = 1_000_000;
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  /**
   * Longer than any call of a client may take: several waits of the deadline's length, and as long
   * as a chunk may have others before it in the queue of a server that sorts.
   */
  private static final long LIMIT_MS = 5 * 20_000 + 30 * 15_000;

  /** The same for a reader that also waits for sorts, as long as they advance. */
  private static final long SORTED_LIMIT_MS = LIMIT_MS + SortWait.MOST_PATIENCES * 20_000L;

  private static final long APPENDER_MEMORY = 1 << 20;
  private static final int BLOCK_BYTES = 1024;
  private static final long AGAIN_NS = 500 * MILLI;
  private static final long LONGEST_THOUGHT_NS = 300 * MILLI;
  private static final long LONGEST_TASK_START_NS = 3_000 * MILLI;
  private static final long LONGEST_MASTER_START_NS = 5_000 * MILLI;

  /** Attempts of an ApplicationMaster's next attempt are numbered from there, as Hadoop does. */
  private static final int ATTEMPTS_OF_A_MASTER = 1_000;

  private final Scheduler scheduler;
  private final Internet internet;
  private final Plan plan;
  private final Path spills;
  private final Sabotage sabotage;
  private final Input input;
  private final KeyOrder order;
  private final MapWinners winners;
  private final int[] attempts;
  private final int[] running;
  private final int[] reducerAttempts;
  private final boolean[] delivered;
  private final EveryWaitEnds everyWaitEnds;
  private final WinnersRecordsDeliveredOnce winnersRecordsDeliveredOnce =
      new WinnersRecordsDeliveredOnce();
  private final List<SimulatedProcess> tasks = new ArrayList<>();
  private SimulatedProcess master = new SimulatedProcess("application master");
  private int masterDeaths;
  private boolean calm;
  private int failures;
  private int losses;
  private boolean ending;
  private boolean deleted;

  Job(Internet internet, Plan plan, Path spills, Sabotage sabotage) {
    this.internet = internet;
    this.scheduler = internet.scheduler();
    this.plan = plan;
    this.spills = spills;
    this.sabotage = sabotage;
    this.input = new Input(scheduler.random().nextLong(), plan);
    this.order =
        plan.comparator()
            ? KeyOrder.of(
                (left, leftAt, leftLength, right, rightAt, rightLength) ->
                    Arrays.compareUnsigned(
                        left, leftAt, leftAt + leftLength, right, rightAt, rightAt + rightLength))
            : KeyOrder.normalized(KeyEncoding.RAW);
    this.winners = new MapWinners(plan.maps());
    this.attempts = new int[plan.maps()];
    this.running = new int[plan.maps()];
    this.reducerAttempts = new int[plan.partitions()];
    this.delivered = new boolean[plan.partitions()];
    this.everyWaitEnds = new EveryWaitEnds(scheduler);
  }

  /** Nothing of the job is killed any more. */
  void calm() {
    calm = true;
  }

  /** Whether all reducers have read all. */
  boolean isDelivered() {
    for (boolean done : delivered) {
      if (!done) {
        return false;
      }
    }
    return true;
  }

  boolean isDeleted() {
    return deleted;
  }

  /** How many attempts failed by themselves. */
  int failures() {
    return failures;
  }

  /** How many times a reducer found blocks lost. */
  int losses() {
    return losses;
  }

  long recordsDelivered() {
    return winnersRecordsDeliveredOnce.records();
  }

  void check() {
    everyWaitEnds.check();
  }

  /** Where the job stands, for messages. */
  String describe() {
    return "winners="
        + Arrays.toString(winners.pairs())
        + " of maps="
        + plan.maps()
        + " attempts="
        + Arrays.toString(attempts)
        + " running="
        + Arrays.toString(running)
        + " delivered="
        + Arrays.toString(delivered);
  }

  // ---- the ApplicationMaster
  // ---------------------------------------------------------------------

  void start() {
    SplittableRandom random = scheduler.random();
    for (int map = 0; map < plan.maps(); map++) {
      startLater(map, scheduler.drawNs(0, LONGEST_TASK_START_NS));
      if (random.nextInt(4) == 0) {
        startLater(map, scheduler.drawNs(0, LONGEST_TASK_START_NS));
      }
      if (random.nextInt(8) == 0) {
        int again = map;
        amLater(scheduler.drawNs(MILLI, 3 * LONGEST_TASK_START_NS), () -> withdraw(again));
      }
    }
    for (int partition = 0; partition < plan.partitions(); partition++) {
      reduceLater(partition, scheduler.drawNs(0, 2 * LONGEST_TASK_START_NS));
    }
    for (int i = 0; i < plan.habits().masterDeaths(); i++) {
      scheduler.after(
          random.nextLong(plan.calmMs() * MILLI),
          "death of the application master",
          internet.process(),
          this::killMaster);
    }
  }

  private void amLater(long delayNs, Runnable work) {
    amLater(master, delayNs, work);
  }

  /** Nothing happens when that ApplicationMaster is dead by then. */
  private void amLater(SimulatedProcess of, long delayNs, Runnable work) {
    scheduler.after(delayNs, "application master", of, work);
  }

  /**
   * The ApplicationMaster dies, and YARN kills all its tasks. The next one knows who has won and
   * which reducers have ended, from the history that the first one wrote, and runs what is missing.
   */
  private void killMaster() {
    if (ending) {
      return;
    }
    master.die();
    for (SimulatedProcess task : tasks) {
      if (task.isAlive()) {
        internet.kill(task, false);
      }
    }
    tasks.clear();
    masterDeaths++;
    master = new SimulatedProcess("application master " + masterDeaths);
    amLater(scheduler.drawNs(MILLI, LONGEST_MASTER_START_NS), this::recover);
  }

  private void recover() {
    for (int map = 0; map < plan.maps(); map++) {
      running[map] = 0;
      attempts[map] = masterDeaths * ATTEMPTS_OF_A_MASTER;
      startIfNone(map);
    }
    for (int partition = 0; partition < plan.partitions(); partition++) {
      if (!delivered[partition]) {
        reduceLater(partition, scheduler.drawNs(0, LONGEST_TASK_START_NS));
      }
    }
  }

  /** How many times the ApplicationMaster died. */
  int masterDeaths() {
    return masterDeaths;
  }

  private void startLater(int map, long delayNs) {
    running[map]++;
    amLater(delayNs, () -> startMap(map));
  }

  /** The winner's node is given up, whatever it wrote: another attempt has to win. */
  private void withdraw(int map) {
    int[] pairs = winners.pairs();
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i] == map) {
        winners.withdrawn(map, pairs[i + 1]);
      }
    }
    startIfNone(map);
  }

  private void startIfNone(int map) {
    boolean won = ending;
    int[] pairs = winners.pairs();
    for (int i = 0; i < pairs.length; i += 2) {
      won |= pairs[i] == map;
    }
    if (!won && running[map] == 0) {
      startLater(map, AGAIN_NS);
    }
  }

  /** A reducer could not read what these attempts wrote. */
  private void lost(int[] pairs) {
    losses++;
    if (plan.isFair()) {
      throw new AssertionError("blocks are lost although nothing went wrong");
    }
    for (int i = 0; i < pairs.length; i += 2) {
      winners.withdrawn(pairs[i], pairs[i + 1]);
      startIfNone(pairs[i]);
    }
  }

  private void mapEnded(int map, int attempt, Throwable failure) {
    running[map]--;
    if (failure == null) {
      boolean first = true;
      int[] pairs = winners.pairs();
      for (int i = 0; i < pairs.length; i += 2) {
        first &= pairs[i] != map;
      }
      if (first) {
        winners.succeeded(map, attempt);
      }
    } else {
      judge("map=" + map + " attempt=" + attempt, failure);
    }
    startIfNone(map);
  }

  private void reducerEnded(int partition, Throwable failure) {
    if (failure == null) {
      delivered[partition] = true;
    } else if (!ending) {
      judge("reducer of partition=" + partition, failure);
      reduceLater(partition, AGAIN_NS);
    }
  }

  /** A task may fail, but only with an IOException that says what and where. */
  private void judge(String task, Throwable failure) {
    if (failure instanceof Actor.Killed) {
      return;
    }
    if (failure instanceof AssertionError broken) {
      throw broken;
    }
    if (!(failure instanceof IOException) || failure.getMessage() == null) {
      throw new AssertionError(task + " failed with no clear error", failure);
    }
    if (failure instanceof InterruptedIOException || ending) {
      return;
    }
    failures++;
    boolean clear =
        failure.getMessage().contains(NAME) || failure.getMessage().contains("127.0.0.1");
    if (!clear) {
      throw new AssertionError(task + " failed with an error that names nothing", failure);
    }
    boolean expected =
        !plan.repeatable() && failure.getMessage().startsWith("the map makes other records");
    if (plan.isFair() && !expected) {
      throw new AssertionError(task + " failed although nothing went wrong", failure);
    }
  }

  // ---- tasks
  // -------------------------------------------------------------------------------------

  private void startMap(int map) {
    int attempt = attempts[map]++;
    Actor actor = task("map " + map + "." + attempt);
    Network network = new SimulatedNetwork(internet, actor);
    SimulatedProcess of = master;
    scheduler.start(
        actor,
        () -> append(actor, network, map, attempt),
        failure -> amLater(of, AGAIN_NS, () -> mapEnded(map, attempt, failure)));
  }

  /** An actor in a process of its own, which may be killed. */
  private Actor task(String name) {
    SplittableRandom random = scheduler.random();
    SimulatedProcess process = new SimulatedProcess(name);
    tasks.removeIf(task -> !task.isAlive());
    tasks.add(process);
    Actor actor = new Actor(scheduler, name, process);
    if (!calm && random.nextDouble() < plan.attemptFaults()) {
      long afterNs = scheduler.drawNs(0, 2 * LONGEST_TASK_START_NS);
      int kind = random.nextInt(3);
      scheduler.after(
          afterNs,
          "kill",
          process,
          () -> {
            if (actor.hasEnded()) {
              return;
            }
            if (kind == 0) {
              actor.interrupt();
            } else {
              internet.kill(process, kind == 1);
            }
          });
    }
    return actor;
  }

  private void append(Actor actor, Network network, int map, int attempt) throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            List.of(Cluster.metaserverAddress()),
            "127.0.0.1",
            "somebody",
            APPENDER_MEMORY,
            BLOCK_BYTES,
            0,
            DEADLINE,
            0,
            plan.keys().task(NAME),
            network);
    Plan.Habits habits = plan.habits();
    IfileSpec spec =
        new IfileSpec(
            NAME, plan.partitions(), order, habits.codec(), habits.encrypted(), plan.maps());
    BlockCombiner combiner = habits.combined() ? new Sums(sabotage) : null;
    try (Iappender appender =
        everyWaitEnds.in(
            LIMIT_MS, actor, "open", () -> Iappender.open(config, spec, map, attempt, combiner))) {
      for (Input.Record record : input.of(map, attempt)) {
        if (!sabotage.forgets(record)) {
          everyWaitEnds.in(LIMIT_MS, actor, "append", () -> append(appender, record));
        }
        if (record.key().length == 0) {
          network.pause(network.nanoTime() + scheduler.drawNs(0, LONGEST_THOUGHT_NS), "thinking");
        }
      }
      everyWaitEnds.in(LIMIT_MS, actor, "commit", appender::commit);
    }
  }

  private static Void append(Iappender appender, Input.Record record) throws IOException {
    byte[] key = record.key();
    byte[] value = record.value();
    appender.append(record.partition(), key, 0, key.length, value, 0, value.length);
    return null;
  }

  private void reduceLater(int partition, long delayNs) {
    amLater(
        delayNs,
        () -> {
          Actor actor = task("reduce " + partition + "." + reducerAttempts[partition]++);
          Network network = new SimulatedNetwork(internet, actor);
          SimulatedProcess of = master;
          scheduler.start(
              actor,
              () -> read(actor, network, partition),
              failure -> amLater(of, AGAIN_NS, () -> reducerEnded(partition, failure)));
        });
  }

  private void read(Actor actor, Network network, int partition) throws IOException {
    ImergerConfig config =
        new ImergerConfig(
            List.of(Cluster.metaserverAddress()),
            ImergerConfig.MIN_MEMORY_BYTES,
            spills,
            DEADLINE,
            plan.keys().task(NAME),
            network);
    try (Imerger imerger = Imerger.open(config, NAME, partition, order, actor.name())) {
      int[] pairs = begin(actor, network, imerger);
      WinnersRecordsDeliveredOnce.Delivery delivery =
          winnersRecordsDeliveredOnce.begin(
              actor.name(), input.expected(partition, pairs), input.isCombined());
      try {
        while (everyWaitEnds.in(LIMIT_MS, actor, "next", imerger::next)) {
          delivery.deliver(imerger);
        }
      } catch (LostBlocksException e) {
        lost(e.mapAttemptPairs());
        throw e;
      }
      delivery.end();
    }
  }

  /** Waits for winners, begins to read what they wrote, and again when that is lost. */
  private int[] begin(Actor actor, Network network, Imerger imerger) throws IOException {
    while (true) {
      while (!winners.complete()) {
        prefetch(actor, imerger);
        network.pause(network.nanoTime() + AGAIN_NS, "waiting for maps");
      }
      int[] pairs = winners.pairs();
      try {
        everyWaitEnds.in(
            SORTED_LIMIT_MS,
            actor,
            "start",
            () -> {
              imerger.start(pairs);
              return null;
            });
        return pairs;
      } catch (LostBlocksException e) {
        lost(e.mapAttemptPairs());
      }
    }
  }

  private void prefetch(Actor actor, Imerger imerger) throws IOException {
    if (scheduler.random().nextBoolean()) {
      everyWaitEnds.in(
          LIMIT_MS,
          actor,
          "prefetch",
          () -> {
            imerger.prefetch(winners.pairs());
            return null;
          });
    }
  }

  /** Ends the job at the metaserver. */
  void delete() {
    ending = true;
    new Tool(internet, plan.keys(), "job's end")
        .ask(client -> client.deleteJob(NAME), () -> deleted = true);
  }
}
