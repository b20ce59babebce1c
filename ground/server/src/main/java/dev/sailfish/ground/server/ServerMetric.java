package dev.sailfish.ground.server;

import dev.sailfish.ground.server.metrics.Metric;

/** What the server of a port counts. */
public enum ServerMetric implements Metric {
  CONNECTIONS(Kind.GAUGE, "Connections open now"),
  CONNECTIONS_ACCEPTED(Kind.COUNTER, "Connections accepted since the start"),
  CONNECTIONS_REFUSED(Kind.COUNTER, "Connections closed at once: the limit was reached"),
  PROTOCOL_ERRORS(Kind.COUNTER, "Connections closed because the peer broke the protocol"),
  PEER_DEADLINES(Kind.COUNTER, "Connections closed because the peer let a deadline pass"),
  REQUESTS(Kind.COUNTER, "Requests whose frame was begun, HELLO included"),
  REQUEST_SECONDS(Kind.HISTOGRAM, "From a request's header to its answer, with what it waits for"),
  REFUSALS(Kind.COUNTER, "Answers with an error"),
  HANDLER_ERRORS(Kind.COUNTER, "Answers INTERNAL because a handler threw"),
  RECEIVED_BYTES(Kind.COUNTER, "Bytes read from sockets"),
  SENT_BYTES(Kind.COUNTER, "Bytes of answers that were written"),
  READ_PAUSES(Kind.COUNTER, "Times that a peer was not read: too many answers or requests wait"),
  UNAUTHENTICATED(Kind.COUNTER, "Connections closed because the peer did not prove who it is"),
  CROWDED_OUT(Kind.COUNTER, "Connections closed for newer ones before the peer proved who it is"),
  TLS_FAILURES(Kind.COUNTER, "Connections closed because the TLS handshake failed"),
  FORBIDDEN(Kind.COUNTER, "Requests refused because the caller may not do that");

  private final Declaration declaration;

  ServerMetric(Kind kind, String help) {
    Declaration whole = Declaration.of("server", name(), kind, help);
    declaration = kind == Kind.HISTOGRAM ? whole.by("operation") : whole;
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
