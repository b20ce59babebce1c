package dev.sailfish.ground.wire;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * Requests to the one of several servers that leads, over one connection that is opened when it is
 * needed. A request that fails because the connection broke is sent once more over a new one. Then,
 * or when the server says that it does not lead, or takes no connection of this client, each of the
 * others is asked: first the one that is named as the leader, if it is among the addresses. So only
 * requests that may be repeated without harm go this way. When nobody takes it, the caller may ask
 * again later, as {@link RetryPolicy} says. For one thread at a time.
 */
public final class LeaderClient implements Closeable {
  private final Network network;
  private final List<InetSocketAddress> addresses;
  private final String caller;
  private final Credentials credentials;
  private final Duration deadline;
  private int current;
  private Connection connection;

  /**
   * Does not connect yet.
   *
   * @param network what the connections go over
   * @param addresses one that is not resolved is looked up for each connection, because addresses
   *     change
   * @param caller who calls, for the server's log
   * @param credentials who calls, for what it may do
   * @param deadline of each connect and of each reply
   */
  public LeaderClient(
      Network network,
      List<InetSocketAddress> addresses,
      String caller,
      Credentials credentials,
      Duration deadline) {
    this.network = network;
    this.addresses = addresses;
    this.caller = caller;
    this.credentials = credentials;
    this.deadline = deadline;
  }

  /**
   * Connects to the first server that can be reached, unless there is a connection.
   *
   * @throws RemoteException UNAUTHENTICATED when with none of them both sides have proved who they
   *     are
   * @throws IOException naming the last address when none can be reached
   */
  public void connect() throws IOException {
    call(null, null, null);
  }

  /**
   * Asks, and waits for the reply.
   *
   * @param parser of the reply; null: the reply says nothing more, and null is returned
   * @throws RemoteException when the leader refuses, or with NOT_LEADER when nobody leads
   * @throws IOException when no server that leads can be reached
   */
  public <Q extends MessageLite, T extends MessageLite> T call(
      Operation<Q, T> operation, Q request, Parser<T> parser) throws IOException {
    if (addresses.isEmpty()) {
      throw new IOException("no server is configured to ask: caller=" + caller);
    }
    LeaderSearch search = null; // mostly there is none
    // A connection that was there before may have broken since; that counts for no failure.
    for (int failures = isConnected() ? 0 : 1; ; failures++) {
      try {
        if (!isConnected()) {
          connection =
              Connection.open(network, addresses.get(current), caller, credentials, deadline);
        }
        return operation == null ? null : connection.call(operation, request, parser);
      } catch (IOException e) {
        boolean elsewhere = addresses.size() > 1 && isElsewhere(e);
        boolean refused = e instanceof RemoteException && !elsewhere;
        if (refused || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        if (failures > 0 || elsewhere) {
          search = search == null ? new LeaderSearch(addresses, current) : search;
          search.failed(e);
          current = search.current();
          if (failures == addresses.size()) {
            throw search.failure();
          }
          close();
        }
      }
    }
  }

  /** Whether another server may serve although this one refuses. */
  private boolean isElsewhere(IOException failure) {
    return LeaderSearch.isNotLeader(failure)
        || !isConnected() && LeaderSearch.isOfOneServer(failure);
  }

  /**
   * The same, and asks again later as long as that may help.
   *
   * @param patience no attempt begins after that
   */
  public <Q extends MessageLite, T extends MessageLite> T call(
      Operation<Q, T> operation, Q request, Parser<T> parser, RetryPolicy retry, Duration patience)
      throws IOException {
    long endNs = network.nanoTime() + patience.toNanos();
    for (int failures = 1; ; failures++) {
      try {
        return call(operation, request, parser);
      } catch (IOException e) {
        long nextNs = retry.next(e, failures, network.nanoTime(), endNs);
        if (nextNs == RetryPolicy.NEVER) {
          throw e;
        }
        network.pause(nextNs, "the next attempt of " + operation);
      }
    }
  }

  /** By which its deadlines pass. */
  public Clock clock() {
    return network;
  }

  private boolean isConnected() {
    return connection != null && connection.isOpen();
  }

  /** Both nonces of the connection over which the last reply came; see {@link Connection}. */
  public byte[] session() {
    return connection.session();
  }

  /** Closes the connection; the next request opens another one. */
  @Override
  public void close() {
    if (connection != null) {
      connection.close();
    }
  }
}
