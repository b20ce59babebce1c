package dev.sailfish.simulator;

import dev.sailfish.ground.server.frame.SimulatedConnection;
import dev.sailfish.ground.wire.Wire;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * One connection from a client's {@link Wire} to a server's {@link SimulatedConnection}. Bytes go
 * in pieces, cut anywhere; the pieces of one direction arrive in order, whenever they arrive.
 */
final class Link implements Wire, SimulatedConnection.Output {
  private static final long MILLI = 1_000_000;
  private static final long LEAST_NS = 20_000;
  private static final long LONGEST_STALL_NS = 4_000 * MILLI;
  private static final long TASKS_NS = 1_000 * MILLI;
  private static final int MOST_PIECES = 4;

  private final Internet internet;
  private final Scheduler scheduler;
  private final Actor actor;
  private final int port;
  private final InetSocketAddress clientAddress;

  // The client's end.
  private final ArrayDeque<ByteBuffer> arrived = new ArrayDeque<>();
  private boolean connecting;
  private boolean connected;
  private boolean ended;
  private boolean closed;
  private IOException broken;
  private int interest;
  private int onTheWay;

  // The server's end.
  private SimulatedProcess server;
  private SimulatedConnection connection;
  private boolean tasksQueued;

  // Both ways.
  private long lastToServerNs;
  private long lastToClientNs;
  private boolean lost;
  private final ArrayDeque<Runnable> held = new ArrayDeque<>();

  Link(Internet internet, Actor actor, int port) {
    this.internet = internet;
    this.scheduler = internet.scheduler();
    this.actor = actor;
    this.port = port;
    this.clientAddress = new InetSocketAddress("127.0.0.1", internet.nextPort());
  }

  private boolean isCutOff() {
    return internet.isCutOff(actor.process(), port);
  }

  boolean isOver() {
    return (closed || broken != null) && (connection == null || !connection.isOpen());
  }

  // ---- the client's end
  // --------------------------------------------------------------------------

  @Override
  public boolean connect() throws IOException {
    actor.checkAlive();
    if (!connecting) {
      connecting = true;
      internet.add(this);
      scheduler.after(latencyNs(), "connect", actor.process(), this::knock);
    }
    throwIfBroken();
    return connected;
  }

  private void throwIfBroken() throws IOException {
    if (broken != null) {
      throw broken;
    }
  }

  /** The client's first packet arrives. */
  private void knock() {
    if (isCutOff()) {
      held.add(this::knock);
      return;
    }
    if (lost) {
      return;
    }
    Internet.Host host = internet.host(port);
    SplittableRandom random = scheduler.random();
    if (host == null || random.nextDouble() < internet.weather().refuse()) {
      breakClient(new ConnectException("Connection refused"));
      return;
    }
    server = host.process();
    connection = host.listener().accept(clientAddress, this);
    runTasksLater(TASKS_NS);
    scheduler.after(
        latencyNs(),
        "connected",
        actor.process(),
        () -> {
          connected = true;
          wakeActor();
        });
  }

  @Override
  public int write(ByteBuffer bytes) throws IOException {
    actor.checkAlive();
    throwIfBroken();
    int count = Math.min(bytes.remaining(), internet.weather().outBytes() - onTheWay);
    if (count <= 0) {
      return 0;
    }
    byte[] taken = new byte[count];
    bytes.get(taken);
    onTheWay += count;
    scheduler.note(count);
    lastToServerNs = send(taken, lastToServerNs, true);
    return count;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    actor.checkAlive();
    int count = 0;
    while (!arrived.isEmpty() && target.hasRemaining()) {
      ByteBuffer piece = arrived.peek();
      int part = Math.min(piece.remaining(), target.remaining());
      target.put(target.position(), piece, piece.position(), part);
      target.position(target.position() + part);
      piece.position(piece.position() + part);
      count += part;
      if (!piece.hasRemaining()) {
        arrived.remove();
      }
    }
    if (count == 0) {
      throwIfBroken();
      return ended ? -1 : 0;
    }
    return count;
  }

  @Override
  public void await(int wanted, long waitMs) {
    actor.checkAlive();
    if (Thread.currentThread().isInterrupted()) {
      return;
    }
    interest = wanted;
    if (isReady()) {
      scheduler.resume(actor, actor.turn(), scheduler.drawNs(0, MILLI));
    } else if (!internet.isEndless()) {
      scheduler.resume(actor, actor.turn(), waitMs * MILLI);
    }
    try {
      actor.yield();
    } finally {
      interest = 0;
    }
  }

  private boolean isReady() {
    return broken != null
        || ((interest & READ) != 0 && (!arrived.isEmpty() || ended))
        || ((interest & WRITE) != 0 && onTheWay < internet.weather().outBytes())
        || ((interest & CONNECT) != 0 && connected);
  }

  private void wakeActor() {
    if (interest != 0 && isReady()) {
      scheduler.resume(actor, actor.turn(), scheduler.drawNs(0, MILLI / 4));
    }
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() {
    if (closed || !actor.process().isAlive()) {
      return;
    }
    closed = true;
    if (arrived.isEmpty()) {
      lastToServerNs = deliver("end", lastToServerNs, true, this::inputEnded);
    } else {
      lastToServerNs = deliver("reset", lastToServerNs, true, this::reset);
    }
  }

  private void breakClient(IOException cause) {
    if (broken == null && !closed) {
      broken = cause;
      wakeActor();
    }
  }

  // ---- the way
  // -----------------------------------------------------------------------------------

  private long latencyNs() {
    return scheduler.drawNs(LEAST_NS, internet.weather().slowestNs());
  }

  /** Sends bytes in pieces and returns when the last one arrives. */
  private long send(byte[] bytes, long lastNs, boolean toServer) {
    SplittableRandom random = scheduler.random();
    int pieces = random.nextInt(3) > 0 ? 1 : 1 + random.nextInt(MOST_PIECES);
    long arrivalNs = lastNs;
    int from = 0;
    for (int i = 1; i <= pieces; i++) {
      double part = random.nextDouble();
      int to = i == pieces ? bytes.length : from + (int) ((bytes.length - from) * part);
      if (to > from) {
        byte[] piece = Arrays.copyOfRange(bytes, from, to);
        arrivalNs =
            toServer
                ? deliver("to server", arrivalNs, true, () -> atServer(piece))
                : deliver("to client", arrivalNs, false, () -> atClient(piece));
      }
      from = to;
    }
    return arrivalNs;
  }

  private long deliver(String what, long lastNs, boolean toServer, Runnable arrival) {
    SplittableRandom random = scheduler.random();
    Weather weather = internet.weather();
    long arrivalNs = scheduler.nowNs() + latencyNs();
    if (random.nextDouble() < weather.stall()) {
      arrivalNs += scheduler.drawNs(MILLI, LONGEST_STALL_NS);
    }
    if (random.nextDouble() < weather.cut()) {
      scheduler.after(latencyNs(), "cut", actor.process(), this::cut);
    }
    if (random.nextDouble() < weather.lose()) {
      lost = true;
    }
    arrivalNs = Math.max(arrivalNs, lastNs + 1);
    SimulatedProcess to = toServer && server != null ? server : actor.process();
    scheduler.after(arrivalNs - scheduler.nowNs(), what, to, () -> arrive(arrival));
    return arrivalNs;
  }

  private void arrive(Runnable arrival) {
    if (isCutOff() || !held.isEmpty()) {
      held.add(arrival);
    } else if (!lost) {
      arrival.run();
    }
  }

  /** What waited for the port to be reachable goes on. */
  void healed() {
    if (!held.isEmpty() && !isCutOff()) {
      scheduler.after(LEAST_NS, "goes on", internet.process(), this::goOn);
    }
  }

  private void goOn() {
    while (!held.isEmpty() && !isCutOff()) {
      Runnable next = held.remove();
      if (!lost) {
        next.run();
      }
    }
  }

  /** Both ends learn that the connection is broken. */
  void cut() {
    breakClient(new SocketException("Connection reset"));
    reset();
  }

  // ---- the server's end
  // --------------------------------------------------------------------------

  private boolean atOpenServer() {
    if (connection == null || !server.isAlive() || !connection.isOpen()) {
      return false;
    }
    scheduler.touch(server);
    return true;
  }

  private void atServer(byte[] piece) {
    onTheWay -= piece.length;
    if (!atOpenServer()) {
      scheduler.after(
          latencyNs(),
          "reset",
          actor.process(),
          () -> breakClient(new SocketException("Broken pipe")));
      return;
    }
    connection.receive(piece);
    wakeActor();
  }

  private void inputEnded() {
    if (atOpenServer()) {
      connection.inputEnded();
    }
  }

  private void reset() {
    if (atOpenServer()) {
      connection.reset();
    }
  }

  private void atClient(byte[] piece) {
    if (!closed && broken == null) {
      arrived.add(ByteBuffer.wrap(piece));
      wakeActor();
    }
  }

  @Override
  public void sent(byte[] bytes) {
    if (bytes.length > 0) {
      lastToClientNs = send(bytes, lastToClientNs, false);
    }
    runTasksSoon();
  }

  @Override
  public void closed() {
    lastToClientNs =
        deliver(
            "end",
            lastToClientNs,
            false,
            () -> {
              ended = true;
              wakeActor();
            });
  }

  private void runTasksSoon() {
    if (!tasksQueued) {
      tasksQueued = true;
      scheduler.after(
          0,
          "server tasks",
          server == null ? actor.process() : server,
          () -> {
            tasksQueued = false;
            connection.runTasks();
          });
    }
  }

  private void runTasksLater(long delayNs) {
    scheduler.after(
        delayNs,
        "server deadlines",
        server,
        () -> {
          if (connection.isOpen()) {
            connection.runTasks();
            runTasksLater(delayNs);
          }
        });
  }

  /** One of the two processes may have died. */
  void died(SimulatedProcess process, boolean silently) {
    if (silently) {
      lost |= process == server || process == actor.process();
    } else if (process == server) {
      scheduler.after(
          latencyNs(),
          "reset",
          actor.process(),
          () -> breakClient(new SocketException("Connection reset by peer")));
    } else if (process == actor.process() && server != null) {
      boolean resets = scheduler.random().nextBoolean();
      scheduler.after(
          Math.max(latencyNs(), lastToServerNs - scheduler.nowNs() + 1),
          "client is dead",
          server,
          resets ? this::reset : this::inputEnded);
    }
  }
}
