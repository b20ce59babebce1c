package dev.sailfish.lineage.understore.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.testkit.Seeded;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Seeded
class MountTableTest {
  private static MountTable table(String... mounts) {
    return new MountTable(Stream.of(mounts).map(Mount::parse).toList());
  }

  @Test
  void shouldTakeTheLongestBeginning() throws Exception {
    MountTable table =
        table("/ file:///base", "/a hdfs://nn/w", "/a/b s3a://lake", "/ab file:///x");
    assertThat(table.resolve("/").underText()).isEqualTo("file:///base/");
    assertThat(table.resolve("/c").underText()).isEqualTo("file:///base/c");
    assertThat(table.resolve("/a").underText()).isEqualTo("hdfs://nn/w/");
    assertThat(table.resolve("/a/c d").underText()).isEqualTo("hdfs://nn/w/c d");
    assertThat(table.resolve("/a/b").underText()).isEqualTo("s3a://lake/");
    assertThat(table.resolve("/a/b/c").path()).isEqualTo(UnderPath.of("c"));
    assertThat(table.resolve("/a/bc").underText()).isEqualTo("hdfs://nn/w/bc");
    assertThat(table.resolve("/ab").underText()).isEqualTo("file:///x/");
    assertThat(table.mounts()).extracting(Mount::path).containsExactly("/", "/a", "/a/b", "/ab");
  }

  @Test
  void shouldSayWhatIsMounted() throws Exception {
    MountTable table = table("/a hdfs://nn/w", "/b file:///b");
    assertThat(table.find("/c")).isEmpty();
    assertThat(table.find("/")).isEmpty();
    assertThatThrownBy(() -> table.resolve("/c/d"))
        .isInstanceOfSatisfying(
            UnderStoreException.class, e -> assertThat(e.reason()).isEqualTo(Reason.MISSING))
        .hasMessageContaining("/c/d")
        .hasMessageContaining("[/a, /b]");
  }

  @ParameterizedTest
  @CsvSource({"a", "/a/../b", "/a//b", "/a/", "//", "/a/.", "''"})
  void shouldRefuseWhatIsNoPath(String path) {
    assertThatThrownBy(() -> table("/a hdfs://nn/w").find(path))
        .isInstanceOfSatisfying(
            UnderStoreException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID));
  }

  @Test
  void shouldGoBack() throws Exception {
    MountTable table = table("/a hdfs://nn/w", "/a/b s3a://lake/x", "/l file:///l");
    assertThat(back(table, "hdfs://NN:8020/w/c%20d")).contains("/a/c d");
    assertThat(back(table, "hdfs://nn/w")).contains("/a");
    assertThat(back(table, "hdfs://nn/w/")).contains("/a");
    assertThat(back(table, "hdfs://nn/w2")).isEmpty();
    assertThat(back(table, "hdfs://nn/w/b")).as("hidden by a mount").isEmpty();
    assertThat(back(table, "hdfs://nn:9000/w")).isEmpty();
    assertThat(back(table, "s3a://lake/x/y")).contains("/a/b/y");
    assertThat(back(table, "s3a://Lake/x/y")).as("a host in other letters").contains("/a/b/y");
    assertThat(back(table, "file:/l/m")).contains("/l/m");
    assertThat(back(table, "file:///")).isEmpty();
    assertThatThrownBy(() -> back(table, "hdfs://nn/w/../v")).hasMessageContaining("'..'");
    assertThatThrownBy(() -> back(table, "/w")).hasMessageContaining("scheme://host/path");
  }

  private static Optional<String> back(MountTable table, String uri) throws UnderStoreException {
    return table.reverse(URI.create(uri)).map(MountedPath::lineagePath);
  }

  @ParameterizedTest
  @CsvSource({
    "/a hdfs://nn/x, /a file:///y, is at the same path as",
    "/a hdfs://nn/x, /b hdfs://nn:8020/x/, has the same files as",
    "/a hdfs://nn/x, /b hdfs://nn/x/y, has files that are also in",
    "/a hdfs://nn/, /a/b hdfs://nn/y, has files that are also in",
    "/a file:///, /b file:///y/z, has files that are also in"
  })
  void shouldRefuseOneFileAtTwoPaths(String one, String other, String message) {
    for (List<String> order : List.of(List.of(one, other), List.of(other, one))) {
      assertThatThrownBy(() -> table(order.toArray(String[]::new)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(message)
          .hasMessageContaining(Mount.parse(one).toString())
          .hasMessageContaining(Mount.parse(other).toString());
    }
  }

  @Test
  void shouldAgreeWithAListOfBeginnings(SplittableRandom random) throws Exception {
    for (int round = 0; round < 300; round++) {
      TreeMap<String, Mount> mounts = new TreeMap<>();
      for (int i = random.nextInt(6); i > 0; i--) {
        String path = path(random);
        mounts.put(path, new Mount(path, URI.create("file:///" + round + "-" + i)));
      }
      MountTable table = new MountTable(new ArrayList<>(mounts.values()));
      for (int i = 0; i < 20; i++) {
        String path = path(random);
        Optional<MountedPath> found = table.find(path);
        assertThat(found.map(MountedPath::mount)).isEqualTo(expected(mounts.values(), path));
        if (found.isPresent()) {
          assertThat(found.get().lineagePath()).isEqualTo(path);
          assertThat(back(table, found.get().underText())).contains(path);
        }
      }
    }
  }

  private static Optional<Mount> expected(Collection<Mount> mounts, String path) {
    return mounts.stream()
        .filter(mount -> mount.path().equals("/") || (path + "/").startsWith(mount.path() + "/"))
        .max(Comparator.comparingInt(mount -> mount.path().length()));
  }

  private static String path(SplittableRandom random) {
    StringBuilder path = new StringBuilder();
    for (int depth = random.nextInt(4); depth > 0; depth--) {
      path.append('/').append((char) random.nextInt('a', 'd'));
      path.append(random.nextInt(4) == 0 ? "b" : "");
    }
    return path.isEmpty() ? "/" : path.toString();
  }
}
