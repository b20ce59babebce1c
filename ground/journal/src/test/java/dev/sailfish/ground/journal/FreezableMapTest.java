package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

@Seeded
class FreezableMapTest {
  private static final int NAMES = 60;
  private static final int ROUNDS = 300;

  private final FreezableMap<Integer> map = new FreezableMap<>();
  private final TreeMap<String, Integer> model = new TreeMap<>();
  private int made;

  @Test
  void shouldGiveWhatThereWasWhileItChanges(Seed seed) {
    SplittableRandom random = seed.splittable();
    for (int round = 0; round < ROUNDS; round++) {
      change(random, random.nextInt(NAMES));
      List<Integer> expected = List.copyOf(model.values());
      Iterator<Integer> frozen = map.freeze().iterator();
      List<Integer> given = new ArrayList<>();
      while (frozen.hasNext()) {
        given.add(frozen.next());
        change(random, random.nextInt(4));
      }
      assertThat(given).as("round=%s", round).isEqualTo(expected);
      map.thaw();
      assertThat(map.values()).containsExactlyElementsOf(model.values());
      assertThat(map.keySet()).containsExactlyElementsOf(model.keySet());
    }
  }

  private void change(SplittableRandom random, int times) {
    for (int i = 0; i < times; i++) {
      String name = "n" + random.nextInt(NAMES);
      if (map.containsKey(name)) {
        assertThat(map.remove(name)).isEqualTo(model.remove(name));
      } else {
        map.add(name, ++made);
        model.put(name, made);
      }
    }
  }

  @Test
  void freezeShouldConcernWhatIsOlderThanTheSnapshot() {
    Freeze freeze = new Freeze();
    int before = freeze.number();
    assertThat(freeze.concerns(before)).isFalse();
    freeze.begin();
    assertThat(freeze.concerns(before)).isTrue();
    assertThat(freeze.concerns(freeze.number())).as("made since").isFalse();
    freeze.end();
    assertThat(freeze.concerns(before)).isFalse();
  }
}
