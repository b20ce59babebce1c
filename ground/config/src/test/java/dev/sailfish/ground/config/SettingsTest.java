package dev.sailfish.ground.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class SettingsTest {
  private static final KeySet KEYS = new KeySet("d.", "foreign");
  private static final Key<String> TEXT = KEYS.text("text", "t", "a text");
  private static final Key<String> WORD = KEYS.word("word", "", "red|blue", "a word");
  private static final Key<List<String>> LIST = KEYS.list("list", "", "words");
  private static final Key<List<String>> COLOURS = KEYS.list("colours", "red|blue", "words");
  private static final Key<Optional<Path>> PATH = KEYS.path("path", "/x", "a path");
  private static final Key<Boolean> FLAG = KEYS.flag("flag", "true", "a flag");
  private static final Key<Integer> NUMBER =
      KEYS.number("number", "7", "1..2147483647", "a number");
  private static final Key<Integer> MUST = KEYS.number("must", "", "1..9", "has no default");
  private static final Key<Long> SIZE = KEYS.size("size", "1g", "64k..", "a size");
  private static final Key<Long> OR_ZERO = KEYS.size("or.zero", "0", "0|4k..8k", "a size or 0");
  private static final Key<Duration> TIME = KEYS.duration("time", "30s", "0..2d", "a duration");
  private static final Key<List<HostPort>> PLACES = KEYS.addresses("places", "a:1", "", "places");
  private static final Key<List<HostPort>> OR_NONE =
      KEYS.addresses("or.none", "none", Key.NONE, "places or none");

  @TempDir private Path directory;

  private static Settings of(String... namesAndValues) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      values.put("d." + namesAndValues[i], namesAndValues[i + 1]);
    }
    return Settings.of(values);
  }

  private Settings file(String text) throws IOException {
    return Settings.read(Files.writeString(directory.resolve("d.properties"), text));
  }

  private static void refused(Settings settings, Key<?> key, String message) {
    assertThatIllegalArgumentException().isThrownBy(() -> settings.get(key)).withMessage(message);
  }

  @Test
  void whatIsNotSetOrBlankHasItsDefault() {
    for (Settings settings :
        List.of(of(), of("text", " ", "size", "", "flag", " ", "places", ""))) {
      assertThat(settings.get(TEXT)).isEqualTo("t");
      assertThat(settings.get(WORD)).isEmpty();
      assertThat(settings.get(LIST)).isEmpty();
      assertThat(settings.get(PATH)).hasValue(Path.of("/x"));
      assertThat(settings.get(FLAG)).isTrue();
      assertThat(settings.get(NUMBER)).isEqualTo(7);
      assertThat(settings.get(SIZE)).isEqualTo(1L << 30);
      assertThat(settings.get(TIME)).isEqualTo(Duration.ofSeconds(30));
      assertThat(settings.get(PLACES)).containsExactly(new HostPort("a", 1));
      assertThat(settings.get(OR_NONE)).isEmpty();
      assertThat(settings.get(MUST, 5)).isEqualTo(5);
      assertThat(settings.isSet(TEXT)).isFalse();
    }
  }

  @Test
  void valuesAreRead() {
    assertThat(of("text", " a b ").get(TEXT)).isEqualTo("a b");
    assertThat(of("word", "blue").get(WORD)).isEqualTo("blue");
    assertThat(of("list", " a,, b , ").get(LIST)).containsExactly("a", "b");
    assertThat(of("colours", "blue,red").get(COLOURS)).containsExactly("blue", "red");
    assertThat(of("path", "/y").get(PATH)).hasValue(Path.of("/y"));
    assertThat(of("path", "none").get(PATH)).isEmpty();
    assertThat(of("flag", "false").get(FLAG)).isFalse();
    assertThat(of("number", "2147483647").get(NUMBER)).isEqualTo(Integer.MAX_VALUE);
    assertThat(of("must", "3").get(MUST, 5)).isEqualTo(3);
    assertThat(of("size", "64k").get(SIZE)).isEqualTo(65536);
    assertThat(of("or.zero", "0").get(OR_ZERO)).isZero();
    assertThat(of("or.zero", "8k").get(OR_ZERO)).isEqualTo(8192);
    assertThat(of("time", "2d").get(TIME)).isEqualTo(Duration.ofDays(2));
    assertThat(of("places", "a:1, [::1]:2").get(PLACES)).hasSize(2);
  }

  @Test
  void errorsNameKeyValueAndWhatIsAllowed() {
    refused(of("word", "green"), WORD, "d.word=green must be red or blue");
    refused(of("word", "red|blue"), WORD, "d.word=red|blue must be red or blue");
    refused(
        of("colours", "red,x"),
        COLOURS,
        "d.colours=red,x must be words of red, blue with commas between");
    refused(of("path", "a\0b"), PATH, "d.path=a\0b is not a path");
    refused(of("flag", "TRUE"), FLAG, "d.flag=TRUE must be true or false");
    refused(of("number", "0"), NUMBER, "d.number=0 must be a whole number in 1..2147483647");
    refused(
        of("number", "2147483648"),
        NUMBER,
        "d.number=2147483648 must be a whole number in 1..2147483647");
    refused(of(), MUST, "d.must= must be a whole number in 1..9");
    refused(
        of("size", "1k"),
        SIZE,
        "d.size=1k must be a size in 64k.., as 64k, 128m, 1g, 2t or in bytes");
    for (String size : List.of("1", "4095", "8193", "x", "")) {
      Settings settings = of("or.zero", size + "k");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> settings.get(OR_ZERO))
          .withMessageStartingWith("d.or.zero=" + size + "k must be a size in 0 or 4k..8k, as 64k");
    }
    refused(
        of("time", "30"),
        TIME,
        "d.time=30 must be a duration in 0..2d, as 500ms, 30s, 10min, 1h or 2d");
    refused(
        of("places", "none"),
        PLACES,
        "d.places=none must be host:port, or several with commas between");
    refused(
        of("or.none", "a"),
        OR_NONE,
        "d.or.none=a must be host:port, or several with commas between, or none");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of("text", "v").address(TEXT, "p"))
        .withMessageStartingWith("d.text=v is wrong: 'p' is not host:port");
  }

  @Test
  void errorsNameFileAndLine() throws IOException {
    Settings settings =
        file("# d.number=1\\\n\n d.number = 2\\\n  x\n! c\r\nd.size:\\\\\nd.time=1\nd.time=5x");
    String at = " (" + directory.resolve("d.properties") + ":";
    refused(settings, NUMBER, "d.number=2x must be a whole number in 1..2147483647" + at + "3)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings.get(SIZE))
        .withMessageStartingWith("d.size=\\ must be")
        .withMessageEndingWith(at + "6)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings.get(TIME))
        .withMessageStartingWith("d.time=5x must be")
        .withMessageEndingWith(at + "8)");
  }

  @Test
  void aFileThatCannotBeReadIsNamed() {
    assertThatThrownBy(() -> Settings.read(directory.resolve("absent")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("configuration cannot be read: " + directory.resolve("absent"));
    assertThatThrownBy(() -> file("a=b\nc=\\uXXXX\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("d.properties:2: ");
  }

  /** Line by line, a file says what {@link Properties} read in it as a whole. */
  @Test
  void filesAreReadAsPropertiesAre(SplittableRandom random) throws IOException {
    String[] pieces = {
      "a", "b", "=", ":", " ", "\\", "\n", "\r\n", "#", "!", "\t", "\\u0041", "\n"
    };
    for (int round = 0; round < 2000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(30); i > 0; i--) {
        text.append(pieces[random.nextInt(pieces.length)]);
      }
      Properties whole = new Properties();
      try {
        whole.load(new StringReader(text.toString()));
      } catch (IllegalArgumentException e) {
        assertThatThrownBy(() -> file(text.toString())).isInstanceOf(IOException.class);
        continue;
      }
      Settings settings = file(text.toString());
      // A backslash alone before an empty line is none to Properties, and an empty name here.
      settings.names().remove("");
      whole.remove("");
      assertThat(settings.names()).as("%s", text).isEqualTo(whole.stringPropertyNames());
      for (String name : settings.names()) {
        assertThat(settings.find(name)).as("%s: %s", text, name).isEqualTo(whole.get(name));
      }
    }
  }

  @Test
  void wrongValuesAreFoundBeforeTheyAreRead() {
    KEYS.check(of("size", "64k", "flag", "false"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KEYS.check(of("size", "64k", "flag", "no")))
        .withMessage("d.flag=no must be true or false");
  }

  @Test
  void unknownKeysAreRefusedWithTheNearestOne() throws IOException {
    KEYS.check(of("text", "t", "foreign", "f"));
    KEYS.check(Settings.of(Map.of("other.text", "x")));
    Settings settings = file("d.size=1g\nd.sizes=1\nd.tiem=1s\n");
    String at = " (" + directory.resolve("d.properties") + ":";
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KEYS.check(settings))
        .withMessage(
            "unknown key d.sizes%s2), did you mean d.size?; unknown key d.tiem%s3), did you mean"
                + " d.time?",
            at, at);
  }

  @Test
  void aKeyHasWhatItWasDeclaredWith() {
    assertThat(SIZE).hasToString("d.size");
    assertThat(List.of(SIZE.name(), SIZE.type(), SIZE.defaultText(), SIZE.range(), SIZE.meaning()))
        .containsExactly("d.size", "size", "1g", "64k..", "a size");
    assertThat(KEYS.all()).startsWith(TEXT, WORD).endsWith(OR_NONE);
    assertThat(KEYS.prefix()).isEqualTo("d.");
  }
}
