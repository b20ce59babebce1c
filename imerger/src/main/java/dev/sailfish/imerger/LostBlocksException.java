package dev.sailfish.imerger;

import java.io.IOException;

/**
 * Blocks that count are gone or damaged: the map tasks named by {@link #mapAttemptPairs} have to
 * run again. When it comes out of {@link Imerger#start}, that may be called again with the new
 * winners; out of {@link Imerger#next} it ends the merge.
 */
public final class LostBlocksException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int[] mapAttemptPairs;
  private final boolean serversAway;

  LostBlocksException(String message, int[] mapAttemptPairs, boolean serversAway, Throwable cause) {
    super(message, cause);
    this.mapAttemptPairs = mapAttemptPairs;
    this.serversAway = serversAway;
  }

  /**
   * Whether all of them are on servers that cannot be reached now: what those have may be there
   * again before the maps have run again.
   */
  public boolean serversAway() {
    return serversAway;
  }

  /** Pairs (map, attempt) whose blocks are lost, ascending by map, each once; a copy. */
  public int[] mapAttemptPairs() {
    return mapAttemptPairs.clone();
  }
}
