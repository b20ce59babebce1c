package dev.sailfish.transport;

import dev.sailfish.transport.metrics.Metrics;
import java.util.Locale;

/** What a {@link FrameServer} counts. */
public enum ServerMetric implements Metrics.Id {
  /** Connections open now. */
  CONNECTIONS,
  /** Connections accepted since the start. */
  CONNECTIONS_ACCEPTED,
  /** Connections closed at once because the limit on connections was reached. */
  CONNECTIONS_REFUSED,
  /** Connections that this side closed because the peer broke the protocol. */
  PROTOCOL_ERRORS,
  /** Connections that this side closed because the peer let a deadline pass. */
  PEER_DEADLINES,
  /** Requests whose frame was begun, HELLO included. */
  REQUESTS,
  /** Answers with an error. */
  REFUSALS,
  /** Answers INTERNAL because a handler threw. */
  HANDLER_ERRORS,
  /** Bytes read from sockets. */
  BYTES_RECEIVED,
  /** Bytes of answers that were written. */
  BYTES_SENT,
  /** Times that reading from a peer was stopped because of its outbound or outstanding limit. */
  READ_PAUSES,
  /** Connections closed because the peer did not prove who it is. */
  UNAUTHENTICATED,
  /** Connections closed before their peers had proved who they are, because there were too many. */
  CROWDED_OUT,
  /** Connections closed because the TLS handshake failed. */
  TLS_FAILURES,
  /** Requests refused because whoever is connected may not do that. */
  FORBIDDEN;

  @Override
  public String fullName() {
    return "transport_" + name().toLowerCase(Locale.ROOT);
  }
}
