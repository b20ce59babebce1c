package dev.sailfish.counter;

import dev.sailfish.ground.server.metrics.Metric;

/** What a peer counts. */
enum CounterMetric implements Metric {
  LEADS(Kind.GAUGE, "1 while this peer leads"),
  INCREMENTS(Kind.COUNTER, "Increments that this peer has acknowledged");

  private final Declaration declaration;

  CounterMetric(Kind kind, String help) {
    declaration = Declaration.of(CounterServer.NAME, name(), kind, help);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
