package dev.sailfish.simulation;

import dev.sailfish.metaserver.SimulatedMetaserver;
import dev.sailfish.simulator.EveryWaitEnds;
import dev.sailfish.simulator.Internet;
import dev.sailfish.simulator.Scheduler;
import dev.sailfish.simulator.SimulatedProcess;
import dev.sailfish.simulator.Violation;
import dev.sailfish.testkit.ScratchDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * One schedule: a cluster, a job, and faults up to a time, all drawn from a seed. After that time
 * the job must come to its end, and after its own end nothing of it may be left.
 */
final class Simulation {
  /**
   * What came of a schedule.
   *
   * @param hash the same for the same seed
   * @param events how many things happened
   * @param acked blocks that were acknowledged
   * @param failures attempts that failed by themselves
   * @param losses times that a reducer found blocks lost
   * @param moved chunks that were moved from a server that was drained
   * @param combined small chunks that were sorted with others
   * @param pauses times that a server was stopped for longer than a chunkserver may be silent
   * @param silences times that the metaserver heard nobody, and nothing else went wrong
   * @param masterDeaths times that the ApplicationMaster died
   * @param strangers connections of those who know no secret
   */
  record Result(
      long hash,
      long events,
      long virtualMs,
      long records,
      long acked,
      int failures,
      int losses,
      int serverFaults,
      int moved,
      long combined,
      int pauses,
      int silences,
      int masterDeaths,
      int strangers) {}

  /** Where clients warn that they wait, which they do all the time here. */
  private static final Logger LOGGER = Logger.getLogger("dev.sailfish");

  private static final long MILLI = 1_000_000;
  private static final long LONGEST_JOB_MS = 600_000;
  private static final long WATCH_NS = 200 * MILLI;
  private static final long CLEANED_NS = 15_000 * MILLI;
  private static final long LONGEST_OUTAGE_NS = 12_000 * MILLI;
  private static final long SHORTEST_SILENCE_NS = (SimulatedMetaserver.DEAD_AFTER_MS + 500) * MILLI;
  private static final long LONGEST_SILENCE_NS = SHORTEST_SILENCE_NS + 1_500 * MILLI;
  private static final long SHORTEST_PAUSE_NS = SimulatedMetaserver.DEAD_AFTER_MS * MILLI;
  private static final long LONGEST_PAUSE_NS = 15_000 * MILLI;

  private final Sabotage sabotage;
  private final Scheduler scheduler;
  private final Plan plan;
  private final Internet internet;
  private final Cluster cluster;
  private final Job job;
  private final Strangers strangers;
  private final SimulatedProcess director = new SimulatedProcess("director");
  private boolean calm;
  private int serverFaults;
  private int pauses;
  private int silences;

  /**
   * @param directory for the chunkservers' segments; left behind
   * @param sabotage what is broken on purpose
   */
  private Simulation(long seed, Path directory, Sabotage sabotage) {
    this.sabotage = sabotage;
    this.scheduler = new Scheduler(seed);
    this.plan = Plan.draw(scheduler.random());
    this.internet = new Internet(scheduler, plan.weather(), sabotage.waitsEndlessly());
    this.cluster = new Cluster(internet, plan, directory, sabotage);
    this.strangers = new Strangers(internet, cluster.strangersGetNothing);
    this.job = new Job(internet, plan, directory.resolve("spills"), sabotage);
  }

  /** Runs the schedule of a seed, in directories of its own. */
  static Result run(long seed, Sabotage sabotage) throws IOException, InterruptedException {
    LOGGER.setLevel(Level.OFF);
    try (ScratchDirectory directory = new ScratchDirectory("sailfish-simulation")) {
      return new Simulation(seed, directory.path(), sabotage).run();
    }
  }

  /** Runs the schedule; throws a {@link Violation}, or another AssertionError. */
  private Result run() throws IOException, InterruptedException {
    try {
      scheduler.checkAfterEach(this::check);
      cluster.start();
      job.start();
      placeFaults();
      later(plan.calmMs() * MILLI, this::calm);
      later(WATCH_NS, this::watch);
      scheduler.run();
    } catch (AssertionError e) {
      throw new AssertionError(
          e.getMessage() + "\n" + plan + "\n" + job.describe() + scheduler.history(), e);
    } finally {
      cluster.close();
    }
    return new Result(
        scheduler.hash(),
        scheduler.happened(),
        scheduler.nowMs(),
        job.recordsDelivered(),
        cluster.nothingAckedIsLost.blocks(),
        job.failures(),
        job.losses(),
        serverFaults,
        cluster.nothingAckedIsLost.moved(),
        cluster.combined(),
        pauses,
        silences,
        job.masterDeaths(),
        cluster.strangersGetNothing.connections());
  }

  private void check() {
    try {
      sabotage.afterEach(cluster);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cluster.check();
    job.check();
  }

  private void later(long delayNs, Runnable work) {
    scheduler.after(delayNs, "director", director, work);
  }

  /** Things that IO errors in the simulation's own directories must not hide. */
  private interface Act {
    void run() throws IOException;
  }

  private void laterDo(long delayNs, Act act) {
    later(
        delayNs,
        () -> {
          try {
            act.run();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  // ---- faults
  // ------------------------------------------------------------------------------------

  private void placeFaults() {
    for (int i = 0; i < plan.serverFaults(); i++) {
      long atNs = scheduler.drawNs(0, plan.calmMs() * MILLI);
      laterDo(atNs, this::fault);
    }
    if (plan.habits().silence() != Plan.Silence.NONE) {
      later(scheduler.random().nextLong(plan.calmMs() * MILLI), this::silence);
    }
    for (int i = 0; i < plan.habits().floods(); i++) {
      later(scheduler.drawNs(0, plan.calmMs() * MILLI), this::flood);
    }
    if (plan.drains()) {
      later(scheduler.random().nextLong(plan.calmMs() * MILLI), this::drain);
    }
  }

  /** The metaserver hears nobody for longer than a chunkserver may be silent, by itself. */
  private void silence() {
    long lengthNs = scheduler.drawNs(SHORTEST_SILENCE_NS, LONGEST_SILENCE_NS);
    silences++;
    if (plan.habits().silence() == Plan.Silence.PAUSE) {
      cluster.metaserverProcess().pause(scheduler.nowNs(), scheduler.nowNs() + lengthNs);
    } else {
      internet.cutOff(Cluster.METASERVER_PORT);
      later(lengthNs, () -> internet.heal(Cluster.METASERVER_PORT));
    }
  }

  /** Strangers connect to one of the servers in crowds. */
  private void flood() {
    SplittableRandom random = scheduler.random();
    Cluster.Node node = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    strangers.flood(random.nextBoolean() ? Cluster.METASERVER_PORT : node.port());
  }

  /** Has a server handed its chunks over to the others. */
  private void drain() {
    Cluster.Node node = cluster.nodes().get(scheduler.random().nextInt(cluster.nodes().size()));
    String address = "127.0.0.1:" + node.port();
    new Tool(internet, plan.keys(), "drain").ask(client -> client.drain(address), () -> {});
  }

  private void fault() throws IOException {
    SplittableRandom random = scheduler.random();
    serverFaults++;
    Cluster.Node node = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    long outageNs = scheduler.drawNs(MILLI, LONGEST_OUTAGE_NS);
    switch (random.nextInt(9)) {
      case 0 -> killMetaserver(outageNs);
      case 1, 2 -> kill(node, false, outageNs);
      case 3 -> kill(node, true, outageNs);
      case 4 -> {
        int port = random.nextBoolean() ? Cluster.METASERVER_PORT : node.port();
        internet.cutOff(port);
        later(outageNs, () -> internet.heal(port));
      }
      case 5 -> {
        SimulatedProcess process = node.process();
        internet.isolate(process);
        later(outageNs, () -> internet.heal(process));
      }
      case 6 -> pause(random.nextBoolean() ? cluster.metaserverProcess() : node.process());
      default -> internet.cutOne();
    }
  }

  /** Stops a process for longer than a chunkserver may be silent before it is given up. */
  private void pause(SimulatedProcess process) {
    if (process.isAlive()) {
      pauses++;
      process.pause(
          scheduler.nowNs(),
          scheduler.nowNs() + scheduler.drawNs(SHORTEST_PAUSE_NS, LONGEST_PAUSE_NS));
    }
  }

  private void killMetaserver(long outageNs) {
    if (cluster.isMetaserverUp()) {
      cluster.killMetaserver();
      laterDo(outageNs, this::reviveMetaserver);
    }
  }

  private void reviveMetaserver() throws IOException {
    if (!cluster.isMetaserverUp()) {
      cluster.startMetaserver();
    }
  }

  private void kill(Cluster.Node node, boolean withStorage, long outageNs) throws IOException {
    if (node.isUp()) {
      cluster.kill(node, withStorage);
      laterDo(outageNs, () -> revive(node));
    }
  }

  private void revive(Cluster.Node node) throws IOException {
    if (!node.isUp()) {
      cluster.start(node);
    }
  }

  /** All faults end. */
  private void calm() {
    calm = true;
    internet.calm();
    job.calm();
    later(
        0,
        () -> {
          try {
            reviveMetaserver();
            for (Cluster.Node node : cluster.nodes()) {
              revive(node);
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  // ---- the end
  // -----------------------------------------------------------------------------------

  private void watch() {
    if (job.isDelivered() && calm) {
      job.delete();
      later(WATCH_NS, this::watchDeletion);
    } else if (scheduler.nowMs() > plan.calmMs() + LONGEST_JOB_MS) {
      throw new Violation(
          EveryWaitEnds.class, "the job does not end although nothing goes wrong any more");
    } else {
      later(WATCH_NS, this::watch);
    }
  }

  private void watchDeletion() {
    if (job.isDeleted()) {
      later(CLEANED_NS, this::end);
    } else {
      later(WATCH_NS, this::watchDeletion);
    }
  }

  private void end() {
    String left = cluster.leftChunks();
    if (left != null) {
      throw new Violation(MetaserverKeepsItsBooks.class, "the job has ended: " + left);
    }
    scheduler.end();
  }
}
