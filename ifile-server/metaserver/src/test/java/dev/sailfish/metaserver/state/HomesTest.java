package dev.sailfish.metaserver.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Which servers are home to which maps. */
@Seeded
class HomesTest {
  private static List<ServerInfo> ring(int servers) {
    List<ServerInfo> ring = new ArrayList<>();
    for (int server = 0; server < servers; server++) {
      ring.add(new ServerInfo(MapPhase.server(server)));
    }
    return ring;
  }

  private static Set<ServerInfo> without(List<ServerInfo> ring, int... gone) {
    Set<ServerInfo> takers = new HashSet<>(ring);
    for (int server : gone) {
      takers.remove(ring.get(server));
    }
    return takers;
  }

  /** How many maps' worth each server gets when partitions spread over a home evenly. */
  private static Map<ServerInfo, Double> load(Homes homes, int maps, Set<ServerInfo> takers) {
    Map<ServerInfo, Double> load = new HashMap<>();
    for (int map = 0; map < maps; map++) {
      List<ServerInfo> home = homes.of(map, takers);
      home.forEach(server -> load.merge(server, 1.0 / home.size(), Double::sum));
    }
    return load;
  }

  @Test
  void areOneServerEachWhereThereAreFew() {
    for (int servers = 1; servers <= Homes.FEW - 1; servers++) {
      List<ServerInfo> ring = ring(servers);
      Homes homes = Homes.of(ring, 10, 0);
      for (int map = 0; map < 20; map++) {
        assertThat(homes.of(map, without(ring))).containsExactly(ring.get(map % servers));
      }
    }
  }

  @Test
  void areFewWhereThereAreManyServers() {
    List<ServerInfo> ring = ring(8);
    Homes homes = Homes.of(ring, 10, 0);
    assertThat(homes.of(5, without(ring))).containsExactly(ring.get(1), ring.get(5));
    assertThat(homes.of(-1, without(ring))).containsExactly(ring.get(3), ring.get(7));
  }

  @Test
  void areAsManyAsServersInEach() {
    for (int servers : new int[] {16, 64, 256}) {
      List<ServerInfo> ring = ring(servers);
      List<ServerInfo> home = Homes.of(ring, 10, 0).of(7, without(ring));
      assertThat(home).hasSize((int) Math.sqrt(servers)).doesNotHaveDuplicates();
    }
    List<ServerInfo> ring = ring(17);
    assertThat(Homes.of(ring, 10, 0).of(7, without(ring))).hasSize(4);
  }

  @Test
  void areFewerWhenPartitionsAreMany() {
    List<ServerInfo> ring = ring(4);
    int partitions = Homes.FIRST_CHUNKS;
    assertThat(Homes.of(ring, partitions, 0).of(0, without(ring))).hasSize(1);
    assertThat(Homes.of(ring, partitions + 1, 0).of(0, without(ring))).hasSize(2);
    assertThat(Homes.of(ring, 2 * partitions + 1, 0).of(0, without(ring))).hasSize(4);
    assertThat(Homes.of(ring, JobSpec.MAX_PARTITIONS, 0).of(0, without(ring))).hasSize(4);
  }

  @Test
  void areDividedAsChunksFill() {
    List<ServerInfo> ring = ring(16);
    for (int map = 0; map < 64; map++) {
      List<ServerInfo> before = ring;
      for (long chunks : new long[] {0, 120, 240, 100_000}) {
        List<ServerInfo> home = Homes.of(ring, 10, chunks).of(map, without(ring));
        assertThat(before).containsAll(home);
        before = home;
      }
      assertThat(before).containsExactly(ring.get(map % 16));
      assertThat(Homes.of(ring, 10, 119).of(map, without(ring))).hasSize(4);
      assertThat(Homes.of(ring, 10, 120).of(map, without(ring))).hasSize(2);
      assertThat(Homes.of(ring, 10, 239).of(map, without(ring))).hasSize(2);
    }
  }

  @RepeatedTest(20)
  void giveAllServersTheSame(SplittableRandom random) {
    List<ServerInfo> ring = ring(random.nextInt(1, 100));
    Homes homes = Homes.of(ring, random.nextInt(1, 5000), random.nextLong(1 << 20));
    int rounds = random.nextInt(1, 5);
    Map<ServerInfo, Double> load = load(homes, rounds * ring.size(), without(ring));
    assertThat(load).hasSameSizeAs(ring);
    assertThat(load.values())
        .allSatisfy(maps -> assertThat(maps).isCloseTo(rounds, Offset.offset(1e-9)));
  }

  @Test
  void ofALostServerMoveToAllOthersAlike() {
    List<ServerInfo> ring = ring(4);
    Homes homes = Homes.of(ring, 10, 0);
    Set<ServerInfo> left = without(ring, 2);
    for (int map = 0; map < 12; map++) {
      if (map % 4 != 2) {
        assertThat(homes.of(map, left)).isEqualTo(homes.of(map, without(ring)));
      }
    }
    assertThat(load(homes, 12, left).values()).containsExactly(4.0, 4.0, 4.0);
    assertThat(homes.of(7, without(ring, 0, 2, 3))).containsExactly(ring.get(1));
    assertThat(homes.of(7, Set.of())).isEmpty();
  }

  @Test
  void loseAServerAndKeepTheOthers() {
    List<ServerInfo> ring = ring(8);
    Homes homes = Homes.of(ring, 10, 0);
    assertThat(homes.of(1, without(ring, 5))).containsExactly(ring.get(1));
    assertThat(homes.of(2, without(ring, 5))).containsExactly(ring.get(2), ring.get(6));
  }
}
