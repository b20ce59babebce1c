package dev.sailfish.web.job;

import java.util.Map;

/** Counters of stock that say what one of ours says. */
final class StockNames {
  private static final Map<String, String> BESIDE = Map.of("PIECE_RECORDS", "REDUCE_INPUT_RECORDS");

  private StockNames() {}

  /** The name of stock's, or null where the counter is stock's own or has none beside it. */
  static String beside(String name) {
    return BESIDE.get(name);
  }
}
