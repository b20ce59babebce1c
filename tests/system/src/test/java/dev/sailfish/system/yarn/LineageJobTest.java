package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.system.OutputFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An unchanged job on real YARN whose input and output are in the lineage store. */
@Tag("long")
@Timeout(900)
class LineageJobTest {
  @TempDir private Path directory;
  private YarnCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster =
        YarnCluster.start(
            directory, "--lineage-workers=1", "-Dsailfish.lineage.worker.idle.release=2s");
  }

  /** Not in the test itself: what it says of a cluster that does not end would hide a failure. */
  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  @Test
  void readsAndWritesTheStoreAsAnyFileSystem() throws Exception {
    Path text = cluster.text();
    cluster.succeed("fs", "-mkdir", "-p", "lineage:///data");
    cluster.succeed("fs", "-put", text.toString(), "lineage:///data/");
    Path stock = directory.resolve("stock");
    cluster.run(
        "stock", cluster.examples(), List.of("wordcount", text.toString()), stock, List.of());
    for (String shuffle : List.of("sailfish", "stock")) {
      String out = "lineage:///out-" + shuffle;
      cluster.succeed(
          "jar",
          "--shuffle",
          shuffle,
          cluster.examples().toString(),
          "wordcount",
          "lineage:///data/text",
          out);
      assertThat(cluster.succeed("fs", "-ls", out).output()).contains("_SUCCESS", "part-r-00000");
      Path ours = directory.resolve(shuffle);
      cluster.succeed("fs", "-get", out, ours.toString());
      assertThat(OutputFiles.read(ours)).isNotEmpty().isEqualTo(OutputFiles.read(stock));
    }
    readsAndWritesUnderAMount(text, stock);
    cluster.succeed("fs", "-rm", "-r", "-skipTrash", "lineage:///*");
  }

  /** The input exists only below; the output is there, too, when the job is done. */
  private void readsAndWritesUnderAMount(Path text, Path stock) throws Exception {
    Path below = Files.createDirectories(directory.resolve("below"));
    cluster.succeed("fs", "-cp", text.toUri().toString(), below.toUri().toString());
    cluster.succeed("store", "mount", "/m", below.toUri().toString(), "write=through");
    for (String shuffle : List.of("sailfish", "stock")) {
      String out = "out-" + shuffle;
      cluster.succeed(
          "jar",
          "--shuffle",
          shuffle,
          cluster.examples().toString(),
          "wordcount",
          "lineage:///m/text",
          "lineage:///m/" + out);
      assertThat(OutputFiles.read(below.resolve(out))).isEqualTo(OutputFiles.read(stock));
      assertThat(below.resolve(out).resolve("_SUCCESS")).exists();
      assertThat(below.resolve(out).resolve("_temporary")).doesNotExist();
    }
    cluster.succeed("store", "free", "/m");
    Path ours = directory.resolve("mounted");
    cluster.succeed("fs", "-get", "lineage:///m/out-sailfish", ours.toString());
    assertThat(OutputFiles.read(ours)).isEqualTo(OutputFiles.read(stock));
    cluster.succeed("store", "unmount", "/m");
    assertThat(below.resolve("out-sailfish")).exists();
  }
}
