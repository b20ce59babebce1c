package dev.sailfish.workbuilder.plan;

import java.util.Objects;

/**
 * A key, or group of keys, with more bytes than the target: no border can be inside it.
 *
 * @param partition that it is in
 * @param key in printable form; with a grouping, the first key of the group that the index names
 * @param rawBytes before compression that it has by the index, expected; there may be more
 */
public record HeavyKey(int partition, String key, long rawBytes) {
  /** Checks that there is a key. */
  public HeavyKey {
    Objects.requireNonNull(key, "key");
  }
}
