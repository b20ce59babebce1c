package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sailfish.ground.journal.Freeze;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import dev.sailfish.testkit.Seeded;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@Seeded
class DirectoryTest {
  private final InodeTable inodes = new InodeTable(new Freeze());
  private final Directory directory = new Directory(inodes);

  private static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  private int add(String name) {
    int slot = inodes.allocate(Kind.COMPLETE);
    inodes.setName(slot, bytes(name));
    directory.add(slot);
    return slot;
  }

  /** Phases of growth and decay, so that leaves split and merge. */
  @Test
  void isASortedMap(Random random) {
    TreeMap<String, Integer> expected = new TreeMap<>();
    for (int phase = 0; phase < 6; phase++) {
      boolean grows = phase % 2 == 0;
      for (int i = 0; i < 4_000; i++) {
        String name = "%x".formatted(random.nextInt(8_000));
        if (random.nextInt(10) < (grows ? 8 : 2)) {
          expected.computeIfAbsent(name, this::add);
        } else {
          directory.remove(bytes(name));
          expected.remove(name);
        }
      }
      assertHolds(expected, random);
    }
    new ArrayList<>(expected.keySet()).forEach(name -> directory.remove(bytes(name)));
    assertHolds(new TreeMap<>(), random);
    add("again");
    assertThat(directory.size()).isOne();
  }

  private void assertHolds(TreeMap<String, Integer> expected, Random random) {
    assertThat(directory.size()).isEqualTo(expected.size());
    List<Integer> all =
        IntStream.of(directory.after(bytes(""), Integer.MAX_VALUE)).boxed().toList();
    assertThat(all).containsExactlyElementsOf(expected.values());
    for (int i = 0; i < 500; i++) {
      String name = "%x".formatted(random.nextInt(8_000));
      assertThat(directory.find(bytes(name)))
          .isEqualTo(expected.getOrDefault(name, InodeTable.NONE));
      int limit = 1 + random.nextInt(1_500);
      assertThat(directory.after(bytes(name), limit))
          .containsExactly(
              expected.tailMap(name, false).values().stream()
                  .limit(limit)
                  .mapToInt(Integer::intValue)
                  .toArray());
    }
    if (!expected.isEmpty()) {
      assertThat(directory.last()).isEqualTo(expected.lastEntry().getValue());
    }
  }

  @Test
  void ordersNamesByTheirBytes() {
    List<String> names = Arrays.asList("z", "é", "日本", "a", "ab", "Z", "\uD83D\uDC1F");
    names.forEach(this::add);
    assertThat(IntStream.of(directory.after(bytes(""), 10)).mapToObj(this::name))
        .containsExactly("Z", "a", "ab", "z", "é", "日本", "\uD83D\uDC1F");
  }

  private String name(int slot) {
    return new String(inodes.name(slot), StandardCharsets.UTF_8);
  }

  @Test
  void aNameCannotComeTwice() {
    add("a");
    assertThatIllegalStateException().isThrownBy(() -> add("a"));
  }
}
