package dev.sailfish.imerger.fetch;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.protocol.client.SlowServerException;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The way to one chunkserver: one connection at a time, opened when it is needed, replaced when it
 * breaks. Requests that had no reply when it broke are sent again over the next one.
 *
 * <p>A server counts as unreachable when it has given no good reply for the whole deadline although
 * one was waited for; that it needs more time, or is busy, is no loss. From then on every wait
 * fails at once, until {@link #close}. While it cannot be reached the metaserver is asked now and
 * then, and a chunk that is not there any more is not waited for: the metaserver gives silent
 * servers up long before a reader's deadline.
 *
 * <p>A server that refuses connections has no process. A reader that is impatient with that ({@link
 * ImergerConfig#refusalPatience}) gives it up after some retries, and at once when the metaserver
 * says that another reader of the job could not read there.
 */
public final class ReadLink implements Closeable {
  private final String host;
  private final int port;
  private final ReadLinks links;
  private final List<Fetch> pending = new ArrayList<>();
  private final Network network;
  private Connection connection;
  private boolean failing;
  private int failures;
  private boolean unreachable;
  private boolean refusing;
  private long refusedSince;
  private long refusedAt;
  private long askPlaceAt;
  private long lastProgress;
  private IOException lastFailure;

  ReadLink(ReadLinks links, String host, int port) {
    this.links = links;
    this.host = host;
    this.port = port;
    this.network = links.config.network();
    this.lastProgress = network.nanoTime();
  }

  boolean leadsTo(String otherHost, int otherPort) {
    return port == otherPort && host.equals(otherHost);
  }

  /**
   * Sends a request without waiting for its reply. When the server cannot be reached, the failure
   * comes out of {@link #await}.
   */
  public void send(Fetch fetch) throws IOException {
    if (connection == null && !failing) {
      connect();
    }
    fetch.link = this;
    pending.add(fetch);
    request(fetch);
  }

  /**
   * Waits for the good reply to a request. One that was sent to another server is sent to this one.
   *
   * @throws UnavailableException when the server cannot be reached, does not hold the chunk any
   *     more, or keeps refusing until the deadline
   * @throws SlowServerException when it answers, but needs more time than there is
   * @throws RemoteException when it refuses in a way that no repetition heals
   */
  public void await(Fetch fetch) throws IOException {
    if (!fetch.complete && fetch.link != this) {
      send(fetch);
    }
    long begin = network.nanoTime();
    while (!fetch.complete) {
      if (unreachable) {
        throw UnavailableException.away(this + " was not reachable before", lastFailure);
      }
      if (fetch.refusal != null) {
        askAgain(fetch, begin);
      } else if (fetch.notYet) {
        waitOn(fetch, begin);
      } else if (connection == null) {
        checkRefusal();
        checkPlace(fetch);
        reconnect(begin);
      } else {
        poll(begin);
      }
    }
  }

  /** Takes the replies that are there, without waiting. */
  public void pollNow() throws IOException {
    if (connection == null || pending.isEmpty()) {
      return;
    }
    try {
      connection.pollNow();
    } catch (IOException e) {
      broken(e);
    }
  }

  /** The server lives and works: a reply came that was good or asks for time. */
  void answered(Fetch fetch) {
    if (fetch.complete) {
      pending.remove(fetch);
    }
    failing = false;
    refusing = false;
    failures = 0;
    lastProgress = network.nanoTime();
  }

  private void poll(long begin) throws IOException {
    try {
      connection.poll();
    } catch (IOException e) {
      broken(e);
      return;
    }
    checkDeadline(begin, lastFailure);
  }

  /** Whether the server refuses connections now, and the reader is impatient with that. */
  public boolean isRefused() {
    return refusing && links.isImpatient();
  }

  /** How long a server may be away before the metaserver is asked, and from then on between. */
  private Duration placePeriod() {
    Duration period =
        isRefused() ? links.config.refusalPatience().dividedBy(4) : links.patience.dividedBy(12);
    return period.plusMillis(1);
  }

  /** Gives a server up that has refused connections all the time, the last one after that time. */
  private void checkRefusal() throws UnavailableException {
    long refused = refusedAt - refusedSince;
    long limit = links.config.refusalPatience().toNanos();
    if (isRefused() && refused >= limit) {
      unreachable = true;
      throw UnavailableException.away(
          "%s refuses connections, for %s ms, limit=%s ms: %s"
              .formatted(this, refused / 1_000_000, limit / 1_000_000, lastFailure.getMessage()),
          lastFailure);
    }
  }

  private void checkPlace(Fetch fetch) throws IOException {
    if (network.nanoTime() - askPlaceAt < 0) {
      return;
    }
    String why = links.metaserver.whyNotThere(fetch.chunk, this, isRefused(), placePeriod());
    if (why != null) {
      pending.remove(fetch);
      throw UnavailableException.away(
          this
              + " cannot be reached, and "
              + why
              + (lastFailure == null ? "" : ": " + lastFailure.getMessage()),
          lastFailure);
    }
    askPlaceAt = network.nanoTime() + placePeriod().toNanos();
  }

  private void reconnect(long begin) throws IOException {
    checkDeadline(begin, lastFailure);
    pause("reconnecting to " + this);
    connect();
  }

  /** Opens a connection and asks again for all that has no answer. */
  private void connect() throws IOException {
    try {
      connection =
          Connection.open(
              network,
              new InetSocketAddress(host, port),
              links.metaserver.caller(),
              links.config.credentials(),
              ReadLinks.silence(links.patience));
      for (int i = 0; i < pending.size(); i++) {
        Fetch fetch = pending.get(i);
        if (fetch.refusal == null && !fetch.notYet) {
          fetch.request(connection);
        }
      }
    } catch (IOException e) {
      broken(e);
    }
  }

  private void askAgain(Fetch fetch, long begin) throws IOException {
    RemoteException refusal = fetch.refusal;
    Status status = refusal.status();
    if (!status.retryable()) {
      pending.remove(fetch);
      boolean gone = status == Status.CHUNK_UNKNOWN || status == Status.CHUNK_LOST;
      throw gone
          ? UnavailableException.missing(this + " says: " + refusal.getMessage(), refusal)
          : refusal;
    }
    lastFailure = refusal;
    checkDeadline(begin, refusal);
    pause("asking " + this + " again");
    request(fetch);
  }

  private void pause(String what) throws IOException {
    long nowNs = network.nanoTime();
    network.pause(nowNs + RetryPolicy.TASK.waitNs(++failures, nowNs), what);
  }

  /** The server needs more time: it gets that as long as it advances. */
  private void waitOn(Fetch fetch, long begin) throws IOException {
    fetch.sortWait.lookedAt(begin);
    SlowServerException slow = fetch.sortWait.slow(toString(), network.nanoTime());
    if (slow != null) {
      pending.remove(fetch);
      throw slow;
    }
    long pauseMs = Math.min(fetch.sortWait.askAgainMs(), links.sortedDeadlineMs());
    network.pause(network.nanoTime() + pauseMs * 1_000_000, "waiting for a sort by " + this);
    request(fetch);
  }

  /** Puts a request on the wire, or leaves that to {@link #connect}. */
  private void request(Fetch fetch) throws IOException {
    fetch.notYet = false;
    fetch.refusal = null;
    if (connection != null) {
      try {
        fetch.request(connection);
      } catch (IOException e) {
        broken(e);
      }
    }
  }

  private void checkDeadline(long begin, IOException cause) throws IOException {
    long now = network.nanoTime();
    long waited = now - (lastProgress - begin > 0 ? lastProgress : begin);
    long patienceMs = links.patience.toMillis();
    if (waited / 1_000_000 > patienceMs) {
      // A server that answers this lives, and only has too much to do.
      if (cause instanceof RemoteException refusal
          && (refusal.status() == Status.BUSY || refusal.status() == Status.DEADLINE)) {
        throw new SlowServerException(
            "%s is too busy, nothing is lost: for %s ms, limit=%s ms: %s"
                .formatted(this, waited / 1_000_000, patienceMs, cause.getMessage()),
            cause);
      }
      unreachable = true;
      throw UnavailableException.away(
          "no good reply from %s in %s ms, deadline=%s ms, outstanding requests=%s%s"
              .formatted(
                  this,
                  waited / 1_000_000,
                  patienceMs,
                  pending.size(),
                  cause == null ? "" : ": " + cause.getMessage()),
          cause);
    }
  }

  private void broken(IOException failure) throws IOException {
    Clock.checkInterrupt("talking to " + this);
    if (failure instanceof RemoteException refusal && refusal.status() == Status.JOB_UNKNOWN) {
      throw refusal;
    }
    lastFailure = failure;
    if (!failing) {
      askPlaceAt = network.nanoTime() + placePeriod().toNanos();
    }
    failing = true;
    noteRefusal(failure.getCause() instanceof ConnectException);
    links.reconnects++;
    disconnect();
  }

  /**
   * Takes note since when the server has refused. A reader that has not tried for a long time does
   * not know what was in between: it begins anew.
   */
  private void noteRefusal(boolean refused) {
    long now = network.nanoTime();
    long gap = now - refusedAt;
    if (refused && (!refusing || gap > 2 * links.config.refusalPatience().toNanos())) {
      refusedSince = now;
      askPlaceAt = links.isImpatient() ? now : askPlaceAt;
    }
    refusing = refused;
    refusedAt = now;
  }

  private void disconnect() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }

  /** Forgets everything that was asked; the link can be used again afterwards. */
  @Override
  public void close() {
    pending.clear();
    failing = false;
    refusing = false;
    unreachable = false;
    failures = 0;
    disconnect();
  }

  @Override
  public String toString() {
    return "chunkserver " + host + ":" + port;
  }
}
