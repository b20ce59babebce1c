package dev.sailfish.system.yarn.chain;

import dev.sailfish.testkit.Seed;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** What was killed when, and what became of the files. For one thread. */
final class ChainTally {
  private final Map<Phase, Map<Victim, Integer>> kills = new EnumMap<>(Phase.class);
  private int chains;
  private int losses;
  private int deleted;
  private int read;

  void killed(Phase phase, Victim victim) {
    kills.computeIfAbsent(phase, any -> new EnumMap<>(Victim.class)).merge(victim, 1, Integer::sum);
  }

  void chainEnded() {
    chains++;
  }

  /** Files were lost at a time. */
  void lost(int files) {
    losses += files;
  }

  /** A file was deleted although others are made of it. */
  void deleted() {
    deleted++;
  }

  /** A file was read back, and is what it was to be. */
  void read() {
    read++;
  }

  int kills() {
    return kills.values().stream()
        .flatMap(one -> one.values().stream())
        .mapToInt(Integer::intValue)
        .sum();
  }

  boolean hasAllPhases() {
    return kills.size() == Phase.values().length;
  }

  /** In short. */
  String line() {
    return "kills=%d %s chains=%d files_lost_for_a_time=%d deleted=%d read_back=%d"
        .formatted(kills(), kills, chains, losses, deleted, read);
  }

  /** As a table. */
  String text(Seed seed) {
    StringBuilder text = new StringBuilder("seed=" + seed.value() + " " + line() + "\n");
    for (Phase phase : Phase.values()) {
      Map<Victim, Integer> row = kills.getOrDefault(phase, Map.of());
      text.append("| ").append(phase);
      Arrays.stream(Victim.values())
          .forEach(victim -> text.append(" | ").append(row.getOrDefault(victim, 0)));
      text.append(" |\n");
    }
    return text.toString();
  }
}
