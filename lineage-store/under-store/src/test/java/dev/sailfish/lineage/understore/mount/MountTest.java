package dev.sailfish.lineage.understore.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seeded;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Seeded
class MountTest {
  @Test
  void shouldHaveTheDefaultsThatAreWritten() {
    Mount mount = new Mount("/data", URI.create("hdfs://nn:8020/warehouse"));
    assertThat(mount.bufferBytes()).isEqualTo(4 << 20);
    assertThat(mount.get(MountKey.CLIENT_BUFFER)).isEqualTo(1L << 20);
    assertThat(mount.get(MountKey.DEADLINE)).isEqualTo(Duration.ofSeconds(30));
    assertThat(mount.get(MountKey.READ_ONLY)).isFalse();
    assertThat(mount.text()).isEqualTo("/data hdfs://nn:8020/warehouse/");
    assertThat(mount).hasToString("/data (hdfs://nn:8020/warehouse/)");
  }

  @Test
  void shouldReadOptions() {
    Mount mount =
        Mount.parse(
            " /my%20data\ts3a://lake/a  buffer=8m deadline=5s hadoop.fs.s3a.secret.key=a%20b%25=c"
                + " create.fs.layout=wide read.only=true ");
    assertThat(mount.path()).isEqualTo("/my data");
    assertThat(mount.bufferBytes()).isEqualTo(8 << 20);
    assertThat(mount.get(MountKey.DEADLINE)).isEqualTo(Duration.ofSeconds(5));
    assertThat(mount.get(MountKey.READ_ONLY)).isTrue();
    assertThat(mount.named(Mount.HADOOP)).isEqualTo(Map.of("fs.s3a.secret.key", "a b%=c"));
    assertThat(mount.named(Mount.CREATE)).isEqualTo(Map.of("fs.layout", "wide"));
    assertThat(Mount.parse(mount.text())).isEqualTo(mount);
    assertThat(mount.toString()).doesNotContain("secret");
  }

  @Test
  void shouldWriteWholeStripes() {
    Mount mount = Mount.parse("/p file:///p buffer=1m stripe.size=384k");
    assertThat(mount.bufferBytes()).isEqualTo(3 * 384 << 10);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/a|path URI",
        "a hdfs://nn/|begins with a slash",
        "/a/ hdfs://nn/|ends with none",
        "/a/../b hdfs://nn/|has the name '..'",
        "/a /b|must be scheme://host/path",
        "/a file:b|must be scheme://host/path",
        "/a hdfs://nn/b/../c|has the name '..'",
        "/a hdfs://nn//b|has the name ''",
        "/a hdfs://nn/b?c|? and # have no meaning",
        "/a hdfs://nn/ bufer=1m|did you mean buffer?",
        "/a hdfs://nn/ buffer=1k|must be a size in 64k..64m",
        "/a hdfs://nn/ rename=often|must be auto or atomic or not.atomic",
        "/a hdfs://nn/ buffer=1m buffer=1m|is there twice",
        "/a hdfs://nn/ buffer|must be name=value",
        "/a%2 hdfs://nn/|% without two digits",
        "/a ::|mount /a"
      })
  void shouldSayWhatIsWrong(String text, String message) {
    assertThatThrownBy(() -> Mount.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mount")
        .hasMessageContaining(message);
  }

  @Test
  void shouldRefuseNamesThatItCouldNotWrite() {
    assertThatThrownBy(() -> new Mount("/a", URI.create("file:///"), Map.of("hadoop.a b", "c")))
        .hasMessageContaining("has a space or = in its name");
  }

  @Test
  void shouldReadWhatItWrites(SplittableRandom random) {
    for (int i = 0; i < 500; i++) {
      Map<String, String> options = new HashMap<>();
      options.put("hadoop.x", text(random) + "x");
      options.put("threads", Integer.toString(random.nextInt(1, 257)));
      Mount mount = new Mount("/" + text(random) + "a", URI.create("file:///x/"), options);
      assertThat(Mount.parse(mount.text())).isEqualTo(mount);
    }
  }

  private static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    for (int left = random.nextInt(20); left > 0; left--) {
      char letter = (char) random.nextInt(1, 0x400);
      text.append(letter == '/' ? ' ' : letter);
    }
    return text.toString();
  }
}
