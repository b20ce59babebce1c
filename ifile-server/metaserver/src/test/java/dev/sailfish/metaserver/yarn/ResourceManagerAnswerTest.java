package dev.sailfish.metaserver.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Answers of something that is no ResourceManager, or of one that was cut off. */
@Seeded
class ResourceManagerAnswerTest {
  private static final int ROUNDS = Integer.getInteger("sailfish.rounds", 50_000);
  private static final String GOOD =
      "{\"x\": [1, {\"a\": null}, \"\\u0041\"], \"app\": {\"id\": \"a\", \"n\": {\"b\": [[]]},"
          + " \"state\": \"FINISHED\"}}";
  private static final String PIECES = "{}[]\",:\\u0/ \n1etruenull";

  private static Map<String, String> read(String answer) throws IOException {
    return ResourceManagerStates.textFields(answer.getBytes(StandardCharsets.UTF_8), "app");
  }

  @Test
  void readsTextFields() throws IOException {
    assertThat(
            read(
                " { \"x\" : [1, -2.5e3, true, null, {\"app\":{\"a\":\"no\"}}, []] ,"
                    + " \"app\" : {\"a\":\"\\u00e4\\n\\\"\", \"n\":1, \"o\":{\"a\":\"no\"},"
                    + " \"b\":\"\"}, \"y\":\"\" }"))
        .containsOnly(Map.entry("a", "\u00e4\n\""), Map.entry("b", ""));
    assertThat(read("{\"app\":[{\"a\":\"no\"}]}")).isEmpty();
    assertThatThrownBy(() -> read("[]")).hasMessage("answer is no JSON object");
  }

  @Test
  void readsOrSaysWhatIsWrong(SplittableRandom random) {
    int refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
      StringBuilder text = new StringBuilder(GOOD);
      for (int i = random.nextInt(4); i >= 0; i--) {
        int at = random.nextInt(text.length());
        char piece = PIECES.charAt(random.nextInt(PIECES.length()));
        switch (random.nextInt(3)) {
          case 0 -> text.setCharAt(at, piece);
          case 1 -> text.insert(at, piece);
          default -> text.setLength(at + 1);
        }
      }
      try {
        Map<String, String> fields = read(text.toString());
        assertThat(fields.size()).isLessThan(10);
      } catch (IOException e) {
        refused++;
        assertThat(e).hasMessageContaining("answer is no JSON object");
      }
    }
    assertThat(refused).isBetween(1, ROUNDS - 1);
  }

  @Test
  void nestingIsLimited() {
    for (String open : new String[] {"[", "{\"a\":"}) {
      assertThatThrownBy(() -> read("{\"x\":" + open.repeat(1_000_000)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("answer is no JSON object")
          .hasMessageContaining("nesting depth (65) exceeds the maximum allowed (64");
    }
  }
}
