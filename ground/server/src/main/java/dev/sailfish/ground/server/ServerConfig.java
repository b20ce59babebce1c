package dev.sailfish.ground.server;

import dev.sailfish.ground.wire.tls.TlsContext;
import java.time.Duration;
import java.util.Optional;

/**
 * Everything that the server of a port can be told.
 *
 * @param name how the server names itself in HELLO, for instance {@code "counter 7"}; its threads
 *     are named after it
 * @param host address to bind to
 * @param port port to bind to; 0 = any free one
 * @param threads I/O threads, at least 1
 * @param tls the server's keys; absent: nothing is encrypted
 */
public record ServerConfig(
    String name,
    String host,
    int port,
    int threads,
    Limits limits,
    Deadlines deadlines,
    Optional<TlsContext> tls) {

  /**
   * What may be held in memory.
   *
   * @param collectedBytes longest payload that is collected for one request
   * @param collectedTotalBytes memory of all payloads that are collected and not answered yet, over
   *     all connections; past it requests are refused with BUSY
   * @param receiveBytes largest read of a socket
   * @param outboundBytes answers that wait for one peer; past it nothing more is read from that
   *     peer
   * @param outstandingRequests requests of one connection that are not answered yet; past it
   *     nothing more is read from that peer
   * @param connections connections at a time; further ones are closed at once
   * @param unauthenticated connections at a time whose peers have not proved who they are, where
   *     they have to, and a quarter of it of one address; past it the oldest one is closed
   */
  public record Limits(
      int collectedBytes,
      long collectedTotalBytes,
      int receiveBytes,
      int outboundBytes,
      int outstandingRequests,
      int connections,
      int unauthenticated) {
    /** 32 MiB, 256 MiB, 256 KiB, 4 MiB, 4096 requests, 20000 connections, 1024 of them new. */
    public static final Limits DEFAULT =
        new Limits(32 << 20, 256L << 20, 256 << 10, 4 << 20, 4096, 20_000, 1024);

    /** Checks the ranges. */
    public Limits {
      atLeast("collectedBytes", collectedBytes, 1024);
      atLeast("collectedTotalBytes", collectedTotalBytes, collectedBytes);
      atLeast("receiveBytes", receiveBytes, 2048);
      atLeast("outboundBytes", outboundBytes, 1024);
      atLeast("outstandingRequests", outstandingRequests, 1);
      atLeast("connections", connections, 1);
      atLeast("unauthenticated", unauthenticated, 1);
    }

    /** The same with a longest request of this many bytes. */
    public Limits withCollected(int bytes) {
      return with(bytes, collectedTotalBytes, connections, unauthenticated);
    }

    /** The same with so much for all requests that are not answered yet. */
    public Limits withCollectedTotal(long bytes) {
      return with(collectedBytes, bytes, connections, unauthenticated);
    }

    /** The same with this many connections. */
    public Limits withConnections(int count) {
      return with(collectedBytes, collectedTotalBytes, count, unauthenticated);
    }

    /** The same with this many connections whose peers have not proved who they are. */
    public Limits withUnauthenticated(int count) {
      return with(collectedBytes, collectedTotalBytes, connections, count);
    }

    private Limits with(int longest, long total, int most, int mostUnauthenticated) {
      return new Limits(
          longest,
          total,
          receiveBytes,
          outboundBytes,
          outstandingRequests,
          most,
          mostUnauthenticated);
    }
  }

  /**
   * How long a peer may take.
   *
   * @param frame for each step of the handshake, 10 s at most there, and for the next byte of a
   *     frame once it has begun; in this time a header must be complete, and a payload complete or
   *     256 KiB further
   * @param write for the next byte of an answer to be taken by the peer
   * @param idle without any request; requests that are not answered yet keep a connection alive
   * @param close for the server's end
   */
  public record Deadlines(Duration frame, Duration write, Duration idle, Duration close) {

    /** 30 s, 60 s, 30 min, 5 s. */
    public static final Deadlines DEFAULT =
        new Deadlines(
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            Duration.ofMinutes(30),
            Duration.ofSeconds(5));

    private static final Duration LONGEST_HANDSHAKE = Duration.ofSeconds(10);

    /** Checks the ranges. */
    public Deadlines {
      atLeast("frame deadline in ms", frame.toMillis(), 1);
      atLeast("write deadline in ms", write.toMillis(), 1);
      atLeast("idle deadline in ms", idle.toMillis(), 1);
      atLeast("close deadline in ms", close.toMillis(), 1);
    }

    /** For each step of the handshake. */
    public Duration handshake() {
      return frame.compareTo(LONGEST_HANDSHAKE) < 0 ? frame : LONGEST_HANDSHAKE;
    }
  }

  /** Checks the ranges. */
  public ServerConfig {
    atLeast("threads", threads, 1);
    if (port < 0 || port > 0xffff) {
      throw new IllegalArgumentException("port=" + port + " is not in 0..65535");
    }
  }

  /** A server with two I/O threads and the default limits and deadlines. */
  public static ServerConfig of(String name, String host, int port) {
    return new ServerConfig(
        name, host, port, 2, Limits.DEFAULT, Deadlines.DEFAULT, Optional.empty());
  }

  /** The same with this many I/O threads. */
  public ServerConfig withThreads(int count) {
    return new ServerConfig(name, host, port, count, limits, deadlines, tls);
  }

  /** The same with these limits. */
  public ServerConfig withLimits(Limits other) {
    return new ServerConfig(name, host, port, threads, other, deadlines, tls);
  }

  /** The same with these deadlines. */
  public ServerConfig withDeadlines(Deadlines other) {
    return new ServerConfig(name, host, port, threads, limits, other, tls);
  }

  /** The same with TLS, or without. */
  public ServerConfig withTls(Optional<TlsContext> context) {
    return new ServerConfig(name, host, port, threads, limits, deadlines, context);
  }

  private static void atLeast(String what, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(what + "=" + value + " must be at least " + least);
    }
  }
}
