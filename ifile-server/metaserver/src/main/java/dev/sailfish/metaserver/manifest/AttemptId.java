package dev.sailfish.metaserver.manifest;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** One attempt of one map task of a job. */
public record AttemptId(int map, int attempt) implements Comparable<AttemptId> {
  private static final Comparator<AttemptId> ORDER =
      Comparator.comparingInt(AttemptId::map).thenComparingInt(AttemptId::attempt);

  /**
   * The winners that a request names, in its order.
   *
   * @param job for messages
   * @param numbers pairs (map, attempt)
   * @throws RequestRefusedException BAD_REQUEST when they are no pairs, or a map has two
   */
  public static List<AttemptId> winners(String job, List<Integer> numbers)
      throws RequestRefusedException {
    if (numbers.size() % 2 != 0) {
      throw bad("winners are no pairs: numbers=" + numbers.size() + " job=" + job);
    }
    List<AttemptId> winners = new ArrayList<>(numbers.size() / 2);
    Set<Integer> maps = new HashSet<>();
    for (int i = 0; i < numbers.size(); i += 2) {
      AttemptId winner = new AttemptId(numbers.get(i), numbers.get(i + 1));
      if (!maps.add(winner.map())) {
        throw bad("a map has two winners: job=" + job + " " + winner);
      }
      winners.add(winner);
    }
    return winners;
  }

  private static RequestRefusedException bad(String message) {
    return new RequestRefusedException(Status.BAD_REQUEST, message);
  }

  @Override
  public int compareTo(AttemptId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return "map=" + map + " attempt=" + attempt;
  }
}
