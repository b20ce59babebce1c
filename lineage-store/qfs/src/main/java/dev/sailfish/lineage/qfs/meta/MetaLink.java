package dev.sailfish.lineage.qfs.meta;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.wire.BrokenConnectionException;
import dev.sailfish.lineage.qfs.wire.Connection;
import dev.sailfish.lineage.qfs.wire.Connections;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.Reply;
import dev.sailfish.lineage.qfs.wire.Request;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The way to the metaserver that leads: one connection for all threads, another address when that
 * breaks, and the same request again until its deadline. Thread-safe.
 */
final class MetaLink implements Closeable {
  private static final int NO_AUTHENTICATION = 1;
  private static final int KERBEROS = 2;
  private static final int X509 = 4;
  private static final int PRE_SHARED_KEY = 8;

  private final List<HostPort> metaservers;
  private final Owner caller;
  private final Connections connections;
  private final RetrySettings retry;
  private final ReentrantLock connecting = new ReentrantLock();
  private Connection current;
  private int next;

  MetaLink(List<HostPort> metaservers, Owner caller, Connections connections, RetrySettings retry) {
    if (metaservers.isEmpty()) {
      throw new IllegalArgumentException("no address of a QFS metaserver");
    }
    this.metaservers = List.copyOf(metaservers);
    this.caller = caller;
    this.connections = connections;
    this.retry = retry;
  }

  /**
   * Asks, and asks again when a connection breaks.
   *
   * @param request may be done twice, or has an id by which the server knows it again
   */
  Reply call(Request request) throws IOException {
    request.field("UserId", caller.user()).field("GroupId", caller.group());
    long endNs = retry.endNs(connections.clock());
    int failures = 0;
    while (true) {
      try {
        return callOnce(request);
      } catch (BrokenConnectionException e) {
        failures++;
        if (!retry.pause(connections.clock(), failures, endNs, request.toString())) {
          throw new BrokenConnectionException(
              "%s: gave up after %s attempts in %s ms at %s: %s"
                  .formatted(
                      request, failures, retry.deadline().toMillis(), metaservers, e.getMessage()),
              e);
        }
      }
    }
  }

  /** Asks once only: for what does no harm when it is not done. */
  Reply callWithoutRetry(Request request) throws IOException {
    return callOnce(request.field("UserId", caller.user()).field("GroupId", caller.group()));
  }

  private Reply callOnce(Request request) throws IOException {
    Connection connection = connection();
    Reply reply = connection.send(request).await();
    if (reply.status() < 0 && QfsError.of(reply.status()).isElsewhere()) {
      connection.close();
      throw new BrokenConnectionException(
          "metaserver %s does not lead any more (status=%s)"
              .formatted(connection.server(), reply.status()));
    }
    if (reply.has("Ack")) {
      // The server need not remember any longer what came of it.
      connection.post(
          Request.of("ACK")
              .field("Ack", reply.text("Ack", ""))
              .field("UserId", caller.user())
              .field("GroupId", caller.group()));
    }
    return reply;
  }

  private Connection connection() throws IOException {
    connecting.lock();
    try {
      if (current == null || !current.isOpen()) {
        drop();
        current = connect();
      }
      return current;
    } finally {
      connecting.unlock();
    }
  }

  /** Tries each address once, from the one that was good last. */
  private Connection connect() throws IOException {
    IOException failure = null;
    for (int i = 0; i < metaservers.size(); i++) {
      HostPort server = metaservers.get(next);
      try {
        return greet(server);
      } catch (BrokenConnectionException e) {
        next = (next + 1) % metaservers.size();
        if (failure != null) {
          e.addSuppressed(failure);
        }
        failure = e;
      }
    }
    throw failure;
  }

  private Connection greet(HostPort server) throws IOException {
    Connection connection = connections.take(server);
    boolean ready = false;
    try {
      Reply reply =
          connection.call(
              Request.of("LOOKUP")
                  .field("Parent File-handle", MetaClient.ROOT_ID)
                  .field("Filename", "/")
                  .field("Auth-type", NO_AUTHENTICATION)
                  .field("UserId", caller.user())
                  .field("GroupId", caller.group())
                  .about("its way to authenticate"));
      if (reply.number("Vr-primary", 1) == 0) {
        throw new BrokenConnectionException("metaserver " + server + " does not lead now");
      }
      requireNoAuthentication(server, (int) reply.number("Auth-type", NO_AUTHENTICATION));
      ready = true;
      return connection;
    } finally {
      if (!ready) {
        connection.close();
      }
    }
  }

  private static void requireNoAuthentication(HostPort server, int kinds) throws IOException {
    if ((kinds & NO_AUTHENTICATION) == 0) {
      throw new IOException(
          ("QFS metaserver %s takes nobody who does not authenticate with%s%s%s; this client cannot"
                  + " do that: use a metaserver or a port without authentication")
              .formatted(
                  server,
                  (kinds & KERBEROS) == 0 ? "" : " Kerberos",
                  (kinds & X509) == 0 ? "" : " an X.509 certificate",
                  (kinds & PRE_SHARED_KEY) == 0 ? "" : " a pre-shared key"));
    }
  }

  private void drop() {
    if (current != null) {
      connections.give(current);
      current = null;
    }
  }

  /** Gives its connection up; the next call opens one again. */
  @Override
  public void close() {
    connecting.lock();
    try {
      if (current != null) {
        current.close();
      }
      drop();
    } finally {
      connecting.unlock();
    }
  }
}
