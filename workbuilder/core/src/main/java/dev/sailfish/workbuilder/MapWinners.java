package dev.sailfish.workbuilder;

import java.util.Arrays;

/**
 * Which attempt of each map task of a job counts, as the AM's completion events tell it, in the
 * order of the events.
 *
 * <pre>
 *               succeeded(a)                    withdrawn(a)
 *   PENDING ─────────────────▶ WON by a ─────────────────────▶ PENDING
 *      │                          │  succeeded(b): WON by b
 *      └────────── gaveUp ────────┴─────────▶ GIVEN_UP
 * </pre>
 *
 * <p>A map is given up when the job may go on without it ({@code
 * mapreduce.map.failures.maxpercent}): its records are not waited for. Not thread-safe.
 */
public final class MapWinners {
  private static final int PENDING = -1;
  private static final int GIVEN_UP = -2;

  private final int[] winner;

  /** The last one that was withdrawn. */
  private final int[] before;

  private int undecided;
  private int won;

  /**
   * @param maps how many map tasks the job has
   */
  public MapWinners(int maps) {
    if (maps < 0) {
      throw new IllegalArgumentException("maps=" + maps + " must not be negative");
    }
    winner = new int[maps];
    Arrays.fill(winner, PENDING);
    before = winner.clone();
    undecided = maps;
  }

  /** How many map tasks the job has. */
  public int maps() {
    return winner.length;
  }

  /** How many maps have neither a winner nor been given up. */
  public int undecided() {
    return undecided;
  }

  /** Whether every map has a winner or was given up. */
  public boolean complete() {
    return undecided == 0;
  }

  /** Whether this attempt is the winner of its map. */
  public boolean counts(int map, int attempt) {
    return attempt >= 0 && winner[check(map)] == attempt;
  }

  /** The attempt {@code attempt} of map {@code map} succeeded and counts from now on. */
  public void succeeded(int map, int attempt) {
    if (attempt < 0) {
      throw new IllegalArgumentException("map=" + map + " attempt=" + attempt + " is no attempt");
    }
    become(map, attempt);
  }

  /** The attempt is obsolete, failed or was killed; nothing changes unless it was the winner. */
  public void withdrawn(int map, int attempt) {
    if (winner[check(map)] == attempt) {
      before[map] = attempt;
      become(map, PENDING);
    }
  }

  /** The map failed for good and the job goes on without it. */
  public void gaveUp(int map) {
    become(map, GIVEN_UP);
  }

  private void become(int map, int next) {
    int previous = winner[check(map)];
    winner[map] = next;
    undecided += (next == PENDING ? 1 : 0) - (previous == PENDING ? 1 : 0);
    won += (next >= 0 ? 1 : 0) - (previous >= 0 ? 1 : 0);
  }

  private int check(int map) {
    if (map < 0 || map >= winner.length) {
      throw new IllegalArgumentException(
          "map=" + map + " is not among the job's maps=" + winner.length);
    }
    return map;
  }

  /** The winners so far as pairs (map, attempt), ascending by map. */
  public int[] pairs() {
    return pairs(winner, won);
  }

  /**
   * The same, and for each map that is to run again the attempt that won before.
   *
   * @return null when a map has not won at all yet
   */
  public int[] pairsWithWithdrawn() {
    int[] attempts = winner.clone();
    for (int map = 0; map < attempts.length; map++) {
      attempts[map] = attempts[map] == PENDING ? before[map] : attempts[map];
      if (attempts[map] == PENDING) {
        return null;
      }
    }
    return pairs(attempts, won + undecided);
  }

  private static int[] pairs(int[] attempts, int count) {
    int[] pairs = new int[2 * count];
    int next = 0;
    for (int map = 0; map < attempts.length; map++) {
      if (attempts[map] >= 0) {
        pairs[next++] = map;
        pairs[next++] = attempts[map];
      }
    }
    return pairs;
  }
}
