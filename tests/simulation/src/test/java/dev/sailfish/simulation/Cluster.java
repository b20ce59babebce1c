package dev.sailfish.simulation;

import dev.sailfish.chunkserver.SimulatedChunkserver;
import dev.sailfish.chunkserver.SimulatedChunkserver.HeldBlock;
import dev.sailfish.chunkserver.SimulatedChunkserver.SeenChunk;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.FormatException;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.frame.SimulatedConnection;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.SimulatedMetaserver;
import dev.sailfish.metaserver.state.StateInspection;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.AppendRequest;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.simulator.Actor;
import dev.sailfish.simulator.Internet;
import dev.sailfish.simulator.Machine;
import dev.sailfish.simulator.Scheduler;
import dev.sailfish.simulator.SimulatedDisk;
import dev.sailfish.simulator.SimulatedNetwork;
import dev.sailfish.simulator.SimulatedProcess;
import dev.sailfish.simulator.Violation;
import dev.sailfish.simulator.VirtualTimer;
import dev.sailfish.simulator.WitnessedHandler;
import dev.sailfish.testkit.ScratchDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;

/** The servers of a schedule: their lives, and the invariants that are theirs. */
final class Cluster {
  static final int METASERVER_PORT = 1;

  private static final int FIRST_CHUNKSERVER_PORT = 100;
  private static final long MILLI = 1_000_000;
  private static final long LONGEST_JOURNAL_NS = 30 * MILLI;
  private static final long COPY_NS = 100 * MILLI;
  private static final long KEYS_AGAIN_NS = 200 * MILLI;
  private static final long DISK_BYTES = 64 << 20;
  private static final ServerConfig.Deadlines DEADLINES =
      new ServerConfig.Deadlines(
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          Duration.ofMinutes(30),
          Duration.ofSeconds(5));

  private final Scheduler scheduler;
  private final Internet internet;
  private final Sabotage sabotage;
  private final boolean fair;
  private final boolean drains;
  private final long longestSortNs;
  private final Keys keys;
  private final SimulatedMetaserver metaserver;
  private final List<Node> nodes = new ArrayList<>();
  private final Machine metaserverMachine;
  private final SimulatedDisk<SimulatedMetaserver.Kept> journal;

  final NothingAckedIsLost nothingAckedIsLost = new NothingAckedIsLost();
  final StableChunksDoNotChange stableChunksDoNotChange = new StableChunksDoNotChange();
  final MetaserverKeepsItsBooks metaserverKeepsItsBooks = new MetaserverKeepsItsBooks();
  final ServersNeverFail serversNeverFail = new ServersNeverFail();
  final StrangersGetNothing strangersGetNothing = new StrangersGetNothing();
  private long combined;

  /** A chunkserver over its lives. */
  final class Node {
    private final SimulatedChunkserver.Setup setup;
    private final Machine machine;
    private SimulatedChunkserver server;
    private boolean sortPlaced;

    private Node(SimulatedChunkserver.Setup setup) {
      this.setup = setup;
      this.machine = new Machine(internet, setup.id());
    }

    boolean isUp() {
      return machine.isUp();
    }

    String name() {
      return setup.id();
    }

    int port() {
      return setup.port();
    }

    SimulatedProcess process() {
      return machine.process();
    }
  }

  /**
   * @param directory for the chunkservers' segments
   */
  Cluster(Internet internet, Plan plan, Path directory, Sabotage sabotage) {
    this.internet = internet;
    this.scheduler = internet.scheduler();
    this.sabotage = sabotage;
    this.fair = plan.isFair();
    this.drains = plan.drains();
    this.longestSortNs = plan.habits().longestSortMs() * MILLI;
    this.keys = plan.keys();
    this.metaserverMachine = new Machine(internet, "metaserver");
    this.journal = new SimulatedDisk<>(scheduler, LONGEST_JOURNAL_NS);
    this.metaserver =
        new SimulatedMetaserver(
            plan.chunkBytes(),
            plan.reservationBytes(),
            scheduler::nowNs,
            journal,
            this::refuses,
            keys.clusterSecret());
    for (int i = 0; i < plan.chunkservers(); i++) {
      String id = "s" + i;
      nodes.add(
          new Node(
              new SimulatedChunkserver.Setup(
                  id,
                  FIRST_CHUNKSERVER_PORT + i,
                  directory.resolve(id),
                  plan.memoryBytes(),
                  DISK_BYTES)));
    }
  }

  /** Whether the metaserver would be told that nobody listens on this port. */
  private boolean refuses(int port) {
    boolean reached = !internet.isCutOff(null, port) && !internet.isCutOff(null, METASERVER_PORT);
    return reached && internet.host(port) == null;
  }

  static InetSocketAddress metaserverAddress() {
    return new InetSocketAddress("127.0.0.1", METASERVER_PORT);
  }

  List<Node> nodes() {
    return nodes;
  }

  void start() throws IOException {
    startMetaserver();
    for (Node node : nodes) {
      start(node);
    }
  }

  // ---- the metaserver's lives
  // --------------------------------------------------------------------

  boolean isMetaserverUp() {
    return metaserverMachine.isUp();
  }

  void startMetaserver() throws IOException {
    SimulatedProcess process = metaserverMachine.start();
    journal.attach(process);
    RequestHandler handler = metaserver.start(new VirtualTimer(scheduler, process));
    SimulatedConnection.Server server =
        new SimulatedConnection.Server(
            IfileService.SERVICE,
            config("metaserver"),
            new WitnessedHandler(handler, 0, new MetaserverWitness()),
            sabotaged(metaserver.authenticator()),
            scheduler::nowNs);
    internet.listen(METASERVER_PORT, process, server::accept);
  }

  private Authenticator sabotaged(Authenticator authenticator) {
    return authenticator == null ? null : sabotage.authenticator(authenticator);
  }

  /** The process of the metaserver's present life. */
  SimulatedProcess metaserverProcess() {
    return metaserverMachine.process();
  }

  private static ServerConfig config(String name) {
    return ServerConfig.of(name, "", 0).withDeadlines(DEADLINES);
  }

  void killMetaserver() {
    journal.crash();
    metaserverMachine.kill(false);
  }

  private final class MetaserverWitness implements WitnessedHandler.Witness {
    @Override
    public void answered(Request request, byte[] payload) {
      try {
        if (request.operation() == IfileService.COMMIT_MANIFEST) {
          CommitManifestRequest commit = request.header(CommitManifestRequest.parser());
          metaserverKeepsItsBooks.committed(commit.getJob(), commit.getMap(), commit.getAttempt());
        } else if (request.operation() == IfileService.DELETE_JOB) {
          metaserverKeepsItsBooks.jobEnded();
          nothingAckedIsLost.jobEnded();
          serversNeverFail.jobEnded();
        }
      } catch (RequestRefusedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void refused(Operation<?, ?> operation, Status status, String message) {
      serversNeverFail.refused("metaserver", operation, status, message);
    }
  }

  // ---- chunkservers' lives
  // -----------------------------------------------------------------------

  void start(Node node) throws IOException {
    SimulatedProcess process = node.machine.start();
    node.sortPlaced = false;
    Actor agent = new Actor(scheduler, node.name() + " heartbeat", process);
    Actor copier = new Actor(scheduler, node.name() + " copier", process);
    SimulatedNetwork copying = new SimulatedNetwork(internet, copier);
    KeyAsker asker = new KeyAsker(node.name(), process);
    SimulatedChunkserver server =
        new SimulatedChunkserver(
            node.setup,
            new SimulatedChunkserver.Surroundings(
                metaserverAddress(),
                keys.clusterSecret(),
                new SimulatedNetwork(internet, agent),
                copying,
                asker.network,
                asker::wake),
            new VirtualTimer(scheduler, process));
    node.server = server;
    RequestHandler watched =
        new WitnessedHandler(
            sabotage.chunkserver(server.handler()), BlockHeader.LENGTH, new AppendWitness(node));
    SimulatedConnection.Server port =
        new SimulatedConnection.Server(
            IfileService.SERVICE,
            config(node.name()),
            watched,
            sabotaged(server.authenticator()),
            scheduler::nowNs);
    internet.listen(node.port(), process, port::accept);
    scheduler.start(agent, server::beat, failure -> agentEnded(agent, failure));
    if (server.authenticator() != null) {
      scheduler.start(
          asker.actor, () -> asker.run(server), failure -> agentEnded(asker.actor, failure));
    }
    if (drains) {
      scheduler.start(copier, () -> copy(server, copying), failure -> agentEnded(copier, failure));
    }
  }

  /** The copier's thread: runs until its process dies. */
  private static void copy(SimulatedChunkserver server, SimulatedNetwork network)
      throws IOException {
    while (true) {
      if (!server.copyNext()) {
        network.pause(network.nanoTime() + COPY_NS, "waiting for a chunk to copy");
      }
    }
  }

  /** Who asks the metaserver for jobs' keys, when there are some to ask for. */
  private final class KeyAsker {
    private final Actor actor;
    private final SimulatedNetwork network;
    private boolean rests;

    KeyAsker(String name, SimulatedProcess process) {
      actor = new Actor(scheduler, name + " job keys", process);
      network = new SimulatedNetwork(internet, actor);
    }

    void wake() {
      if (rests) {
        rests = false;
        scheduler.resume(actor, actor.turn(), 0);
      }
    }

    /** Runs until its process dies. */
    void run(SimulatedChunkserver server) throws IOException {
      while (true) {
        if (server.hasKeysToAskFor()) {
          server.askForKeys();
        }
        if (server.hasKeysToAskFor()) {
          network.pause(network.nanoTime() + KEYS_AGAIN_NS, "asking for keys again");
        } else {
          rests = true;
          actor.yield();
        }
      }
    }
  }

  private void agentEnded(Actor agent, Throwable failure) {
    if (!(failure instanceof Actor.Killed)) {
      throw new AssertionError(agent + " ended by itself", failure);
    }
  }

  /**
   * Kills a chunkserver.
   *
   * @param withStorage whether its machine is lost with all that it held
   */
  void kill(Node node, boolean withStorage) throws IOException {
    node.machine.kill(withStorage);
    combined += node.server.combined();
    node.server.die();
    if (withStorage) {
      ScratchDirectory.delete(node.setup.directory());
      nothingAckedIsLost.gone(node.name());
      stableChunksDoNotChange.gone(node.name());
    }
  }

  private final class AppendWitness implements WitnessedHandler.Witness {
    private final Node node;

    AppendWitness(Node node) {
      this.node = node;
    }

    @Override
    public void answered(Request request, byte[] payload) {
      if (request.operation() != IfileService.APPEND) {
        return;
      }
      try {
        AppendRequest append = request.header(AppendRequest.parser());
        BlockHeader block = BlockHeader.read(ByteBuffer.wrap(payload), 0, payload.length);
        nothingAckedIsLost.acked(
            node.name(),
            node.machine.life(),
            append.getChunk(),
            new HeldBlock(block.map(), block.attempt(), block.sequence()));
      } catch (RequestRefusedException | FormatException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void refused(Operation<?, ?> operation, Status status, String message) {
      serversNeverFail.refused(node.name(), operation, status, message);
    }
  }

  // ---- after each event
  // --------------------------------------------------------------------------

  /** Looks at the servers that had to do with the last event. */
  void check() {
    if (metaserverMachine.wasTouched()) {
      Set<Long> lost = metaserver.look(StateInspection::lostChunks);
      if (fair && !lost.isEmpty()) {
        throw new Violation(
            NothingAckedIsLost.class, "chunks are given up although nothing went wrong: " + lost);
      }
      nothingAckedIsLost.givenUp(lost);
      nothingAckedIsLost.places(metaserver.look(StateInspection::places));
      metaserverKeepsItsBooks.check(metaserver);
      String invented =
          metaserver.look(state -> StateInspection.strangersNames(state, Strangers::isInvented));
      if (invented != null) {
        strangersGetNothing.broken(invented);
      }
    }
    for (Node node : nodes) {
      if (node.machine.wasTouched()) {
        check(node);
        placeSort(node);
      }
    }
    serversNeverFail.check();
    strangersGetNothing.check();
  }

  private void check(Node node) {
    List<SeenChunk> seen = node.server.look();
    nothingAckedIsLost.check(node.name(), seen);
    stableChunksDoNotChange.check(node.name(), node.machine.life(), seen);
    String wrong = node.server.wrongCounters();
    if (wrong != null) {
      throw new Violation(ServersNeverFail.class, wrong);
    }
  }

  private void placeSort(Node node) {
    if (node.sortPlaced || node.server.queuedSorts() == 0) {
      return;
    }
    node.sortPlaced = true;
    scheduler.after(
        scheduler.drawNs(longestSortNs / 2, longestSortNs),
        "sort",
        node.process(),
        () -> {
          node.sortPlaced = false;
          node.server.sortNext();
        });
  }

  /** Turns a bit of a SORTED chunk, if there is one; returns whether there was. */
  boolean damageOne() {
    for (Node node : nodes) {
      // What was not seen before cannot be seen to change.
      LongPredicate seen = chunk -> stableChunksDoNotChange.hasSeenSorted(node.name(), chunk);
      if (node.isUp() && node.server.damageOne(seen)) {
        scheduler.touch(node.process());
        return true;
      }
    }
    return false;
  }

  /** Restarts the metaserver without its journal. */
  void loseJournal() throws IOException {
    killMetaserver();
    journal.lose();
    startMetaserver();
  }

  /** Chunks of jobs that have ended: null, or a sentence. */
  String leftChunks() {
    for (Node node : nodes) {
      if (node.isUp() && !node.server.look().isEmpty()) {
        return node.name() + " still has " + node.server.look();
      }
    }
    return null;
  }

  /** How many small chunks were sorted with others, by servers that have ended. */
  long combined() {
    return combined;
  }

  /** Lets go of all directories. */
  void close() {
    for (Node node : nodes) {
      if (node.isUp()) {
        try {
          combined += node.server.combined();
          node.server.die();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }
}
