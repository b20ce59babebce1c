package dev.sailfish.blockstore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Who gives memory first. */
@Seeded
class FairShareTest {
  private record Held(String user, String name, long bytes) {}

  private static List<String> order(Map<String, Long> kept, Held... held) {
    return FairShare.order(List.of(held), Held::user, Held::bytes, kept).stream()
        .map(Held::name)
        .toList();
  }

  @Test
  void theOneWhoHoldsMostGivesUntilTheyAreEven() {
    assertThat(
            order(
                Map.of(),
                new Held("alice", "a1", 1),
                new Held("bob", "b1", 1),
                new Held("bob", "b2", 1),
                new Held("bob", "b3", 1),
                new Held("alice", "a2", 1)))
        .containsExactly("b1", "a1", "b2", "b3", "a2");
  }

  @Test
  void whatStaysCountsToo() {
    assertThat(
            order(
                Map.of("alice", 10L),
                new Held("bob", "b1", 3),
                new Held("bob", "b2", 3),
                new Held("alice", "a1", 3),
                new Held("alice", "a2", 3)))
        .containsExactly("a1", "a2", "b1", "b2");
  }

  @Test
  void oneUserHasTheOrderThatIsGiven() {
    assertThat(order(Map.of(), new Held("a", "1", 5), new Held("a", "2", 1), new Held("a", "3", 9)))
        .containsExactly("1", "2", "3");
  }

  @Test
  void nobodyGivesWhoHoldsNoMoreThanAnEqualPart(Seed seed) {
    Random random = seed.random();
    for (int round = 0; round < 200; round++) {
      List<Held> held = new ArrayList<>();
      Map<String, Long> bytes = new HashMap<>();
      int users = 1 + random.nextInt(5);
      for (int i = 0; i < 60; i++) {
        Held each = new Held("user-" + random.nextInt(users), "b" + i, 1);
        held.add(each);
        bytes.merge(each.user(), 1L, Long::sum);
      }
      for (Held gone : FairShare.order(held, Held::user, Held::bytes, Map.of())) {
        long most = bytes.values().stream().mapToLong(Long::longValue).max().orElseThrow();
        assertThat(bytes.get(gone.user())).isEqualTo(most);
        bytes.merge(gone.user(), -1L, Long::sum);
      }
      assertThat(bytes.values()).allMatch(left -> left == 0);
    }
  }
}
