package dev.sailfish.iappender;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.protocol.IfileService;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;

/** The connection to one chunkserver, opened when it is needed, and what was sent over it. */
final class AppendLink {
  private final Network network;

  /** The server's id. */
  final String id;

  private final InetSocketAddress address;
  private final String caller;
  private final Credentials credentials;
  private final Duration deadline;

  /** Blocks that were sent and not answered, oldest first. */
  final ArrayDeque<StoredBlock> sent = new ArrayDeque<>();

  private Connection connection;

  /** How often in a row the server could not be reached or its connection broke. */
  int failures;

  private long lastAnswerNs;

  /** When the server may be tried again. */
  long notBeforeNs;

  // Since when nothing was answered, over several connections.
  private boolean troubled;
  private long troubledSinceNs;

  /** When the metaserver may be asked about the server. */
  long askAtNs;

  private boolean warned;

  /** Whether appends went elsewhere, and the server has not worked since. */
  boolean isLeft;

  /**
   * @param deadline of connecting, and of each wait for a socket that is full
   */
  AppendLink(
      Network network,
      String id,
      InetSocketAddress address,
      String caller,
      Credentials credentials,
      Duration deadline) {
    this.network = network;
    this.id = id;
    this.address = address;
    this.caller = caller;
    this.credentials = credentials;
    this.deadline = deadline;
    this.notBeforeNs = network.nanoTime();
    this.lastAnswerNs = notBeforeNs;
    this.askAtNs = notBeforeNs;
  }

  /** Sends a block, over a new connection if there is none. */
  void send(byte[] request, StoredBlock block) throws IOException {
    if (connection == null) {
      connection = Connection.open(network, address, caller, credentials, deadline);
    }
    sent.add(block);
    connection.send(IfileService.APPEND, request, block, block.header(), block.stored());
  }

  /** Takes replies that are there, and waits for one if {@code waitMs} is not 0. */
  void poll(long waitMs) throws IOException {
    connection.pollFor(waitMs);
  }

  /**
   * Since when the server has owed an answer, to a block or to an attempt to connect. Only while
   * there are blocks in {@link #sent}, or after {@link #broke}.
   */
  long silentSinceNs() {
    if (troubled) {
      return troubledSinceNs;
    }
    long sentNs = sent.peekFirst().sentNs;
    return sentNs - lastAnswerNs > 0 ? sentNs : lastAnswerNs;
  }

  /** Marks that the server was written of in the log; returns whether that is new. */
  boolean warned() {
    boolean changed = !warned;
    warned = true;
    return changed;
  }

  boolean leadsTo(String host, int port) {
    return address.getPort() == port && address.getHostString().equals(host);
  }

  /** A block was answered. */
  void answered(StoredBlock block) {
    lastAnswerNs = network.nanoTime();
    troubled = false;
    if (sent.peekFirst() == block) {
      sent.removeFirst();
    } else {
      sent.remove(block);
    }
  }

  /** A block was acknowledged: the server works. */
  void works() {
    failures = 0;
    isLeft = false;
  }

  /**
   * The connection broke; the server is left alone for a while. Before {@link #sent} is emptied.
   */
  void broke(long nowNs) {
    troubledSinceNs = silentSinceNs();
    troubled = true;
    close();
    failures++;
    notBeforeNs = nowNs + RetryPolicy.TASK.waitNs(failures, nowNs);
  }

  /** Appends go elsewhere. If they come back nevertheless, the silence begins anew. */
  void left() {
    troubled = false;
    isLeft = true;
  }

  /** Closes the connection, if any. */
  void close() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }

  @Override
  public String toString() {
    return id + " (" + address.getHostString() + ":" + address.getPort() + ")";
  }
}
