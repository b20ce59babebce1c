package dev.sailfish.lineage.qfs.wire;

import java.time.Duration;

/**
 * Limits of every connection. Immutable.
 *
 * @param connect a connection is up by then, or it has failed
 * @param request a reply is whole by then, counted from the request's start, or the connection is
 *     broken
 * @param window requests without a reply on one connection; more have to wait
 * @param maxBodyBytes the longest body of a reply that the client makes the room for itself
 * @param idleConnections per server, connections that are kept open for the next use
 */
public record ConnectionSettings(
    Duration connect, Duration request, int window, int maxBodyBytes, int idleConnections) {
  /** 10 s, 60 s, 32 requests, 16 MiB, 4 connections. */
  public static final ConnectionSettings DEFAULTS =
      new ConnectionSettings(Duration.ofSeconds(10), Duration.ofSeconds(60), 32, 16 << 20, 4);

  /** Checks. */
  public ConnectionSettings {
    if (connect.isNegative()
        || connect.isZero()
        || request.isNegative()
        || request.isZero()
        || window < 1
        || maxBodyBytes < 1
        || idleConnections < 0) {
      throw new IllegalArgumentException(
          "connect=%s request=%s window=%s max_body_bytes=%s idle_connections=%s: all are positive"
              .formatted(connect, request, window, maxBodyBytes, idleConnections));
    }
  }

  /** The same with another deadline for replies. */
  public ConnectionSettings withRequest(Duration other) {
    return new ConnectionSettings(connect, other, window, maxBodyBytes, idleConnections);
  }
}
