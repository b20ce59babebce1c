package dev.sailfish.metaserver.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.metaserver.state.MapPhase.Setting;
import dev.sailfish.metaserver.state.MapPhase.StoredChunk;
import dev.sailfish.metaserver.wire.ServerDied;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What one lost chunkserver, and one lost drive, costs; prints the table of RELIABILITY.md. */
@Seeded
class LossCostTest {
  private static final int DRIVES = 4;
  private static final long MAP_BYTES = MapPhase.CHUNK_BYTES;

  /** The mean of a loss of each server, or of each drive. */
  private record Cost(double maps, double bytes) {}

  private static Cost cost(Setting setting, List<SortedMap<Integer, Integer>> losses) {
    double maps = 0;
    double partitions = 0;
    for (SortedMap<Integer, Integer> lost : losses) {
      maps += lost.size();
      partitions += lost.values().stream().mapToInt(Integer::intValue).sum();
    }
    double all = (double) losses.size() * setting.maps();
    return new Cost(maps / all, partitions / all / setting.partitions());
  }

  private static Predicate<StoredChunk> on(String server) {
    return chunk -> chunk.server.equals(server);
  }

  private static Cost ofServers(Setting setting, MapPhase phase) {
    List<SortedMap<Integer, Integer>> losses = new ArrayList<>();
    for (int server = 0; server < setting.servers(); server++) {
      losses.add(phase.lost(on(MapPhase.server(server))));
    }
    return cost(setting, losses);
  }

  private static Cost ofDrives(Setting setting, MapPhase phase) {
    List<SortedMap<Integer, Integer>> losses = new ArrayList<>();
    for (int drive = 0; drive < DRIVES; drive++) {
      int lost = drive;
      Predicate<StoredChunk> isLost = chunk -> chunk.drive == lost;
      losses.add(phase.lost(isLost.and(on(MapPhase.server(0)))));
    }
    return cost(setting, losses);
  }

  private static double mostToMean(Setting setting, MapPhase phase) {
    Map<String, Long> bytes = new HashMap<>();
    phase.chunks().forEach(chunk -> bytes.merge(chunk.server, chunk.bytes, Long::sum));
    return (double) Collections.max(bytes.values()) * setting.servers() / setting.bytes();
  }

  private static void print(Setting setting, long seed) throws RequestRefusedException {
    MapPhase phase = MapPhase.run(setting, seed);
    Cost server = ofServers(setting, phase);
    Cost drive = ofDrives(setting, phase);
    double partitions = setting.partitions();
    double chunks = phase.chunks().size() / partitions;
    double open = phase.chunks().stream().filter(chunk -> !chunk.full).count() / partitions;
    double mostToMean = mostToMean(setting, phase);
    System.out.printf(
        "| %d | %d × %d | %.0f %% | %.1f %% | %.0f %% | %.1f %% | %.0f | %.0f | %.2f |%n",
        setting.servers(),
        setting.maps(),
        setting.partitions(),
        100 * server.maps,
        100 * server.bytes,
        100 * drive.maps,
        100 * drive.bytes,
        chunks,
        open,
        mostToMean);
    double homes = Math.min(setting.servers(), Math.max(Homes.FEW, Math.sqrt(setting.servers())));
    assertThat(server.maps).as("%s", setting).isLessThanOrEqualTo(1 / homes);
    assertThat(server.bytes).as("%s", setting).isLessThan(1.1 / setting.servers());
    assertThat(open).as("%s", setting).isLessThanOrEqualTo(Math.max(homes, chunks / 2));
    assertThat(mostToMean).as("%s", setting).isLessThan(1.1);
  }

  @Test
  void isAFewMapsAndLittleElse(Seed seed) throws RequestRefusedException {
    System.out.println("LossCostTest seed=" + seed.value());
    System.out.println(
        "| servers | maps × partitions | a server: maps | bytes | a drive of 4: maps | bytes"
            + " | chunks per partition | partly filled | most bytes to mean |");
    for (int servers : new int[] {2, 4, 16, 64}) {
      int slots = 4 * servers;
      print(new Setting(servers, DRIVES, slots, slots, 2 * servers, MAP_BYTES), seed.value());
      print(new Setting(servers, DRIVES, 8 * slots, slots, 2 * servers, MAP_BYTES), seed.value());
    }
  }

  /** What the core itself says that attempts which run again need not append. */
  @Test
  void isTheMapsOfTheServerAndNoOther(Seed seed) throws RequestRefusedException {
    Setting setting = new Setting(4, DRIVES, 40, 8, 8, MAP_BYTES);
    for (int victim = 0; victim < setting.servers(); victim++) {
      MapPhase phase = MapPhase.run(setting, seed.value());
      String server = MapPhase.server(victim);
      SortedMap<Integer, Integer> lost = phase.lost(on(server));
      int first = lost.firstKey();
      SortedMap<Integer, Integer> expected = new TreeMap<>();
      for (int map = first; map < setting.maps(); map += setting.servers()) {
        expected.put(map, setting.partitions());
      }
      assertThat(first).isLessThan(setting.servers());
      assertThat(lost).isEqualTo(expected);
      phase.core.state.desk().serverDied(ServerDied.newBuilder().setServerId(server).build());
      for (int map = 0; map < setting.maps(); map++) {
        assertThat(phase.heldByMapThatRunsAgain(map))
            .as("map=%s seed=%s", map, seed.value())
            .isEqualTo(setting.partitions() - lost.getOrDefault(map, 0));
      }
    }
  }
}
