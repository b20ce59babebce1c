package dev.sailfish.system.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.chunkserver.ChunkserverKey;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverKey;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Configuration files with nonsense in them: taken, or refused with a sentence that names the key.
 */
@Seeded
class ConfigurationFuzzTest {
  private static final int ROUNDS = Integer.getInteger("sailfish.rounds", 50_000);
  private static final String[] PIECES = {
    "0",
    "1",
    "-1",
    "1024",
    "64k",
    "1g",
    "9t",
    "30s",
    "5min",
    "7d",
    "[::1]:80",
    "true",
    "h",
    "9223372036854775807",
    "none",
    "host",
    ":",
    ",",
    "=",
    "/",
    " ",
    ".",
    "\u0000",
    "\u0665",
    "1e9",
    ":capacity=",
    "\u20ac",
    "0x10"
  };

  private static String value(SplittableRandom random) {
    StringBuilder value = new StringBuilder();
    for (int i = random.nextInt(5); i > 0; i--) {
      value.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return value.toString();
  }

  private static void fuzz(
      SplittableRandom random, List<String> keys, Consumer<Map<String, String>> reader) {
    int refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Map<String, String> values = new HashMap<>();
      values.put(ChunkserverKey.PREFIX + "host", "host");
      for (int i = 1 + random.nextInt(2); i > 0; i--) {
        String key = keys.get(random.nextInt(keys.size()));
        values.put(random.nextInt(50) == 0 ? key + "x" : key, value(random));
      }
      try {
        reader.accept(values);
      } catch (IllegalArgumentException e) {
        refused++;
        assertThat(keys).as("%s: %s", values, e).anyMatch(e.getMessage()::contains);
      }
    }
    assertThat(refused).isBetween(1, ROUNDS - 1);
  }

  private static List<String> names(KeySet keys) {
    List<String> names = new ArrayList<>();
    keys.all().forEach(key -> names.add(key.name()));
    return names;
  }

  @Test
  void aMetaserverTakesItOrNamesTheKey(SplittableRandom random) {
    fuzz(random, names(MetaserverKey.ALL), MetaserverConfig::of);
  }

  @Test
  void aChunkserverTakesItOrNamesTheKey(SplittableRandom random) {
    fuzz(random, names(ChunkserverKey.ALL), ChunkserverConfig::of);
  }
}
