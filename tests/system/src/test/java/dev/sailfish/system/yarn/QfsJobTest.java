package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.hadoop.qfs.QfsFileSystem;
import dev.sailfish.lineage.hadoop.qfs.QfsFs;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.testkit.qfs.QfsTestServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An unchanged job on real YARN whose input and output are in a QFS: in the one that {@code
 * QFS_META=host:port} names, else in that of the tests; and a lineage store above it.
 */
@Tag("long")
@Timeout(900)
class QfsJobTest {
  @TempDir private Path directory;
  private QfsTestServer server;
  private YarnCluster cluster;
  private String root;

  @BeforeEach
  void start() throws Exception {
    root = "qfs://" + metaserver() + "/sailfish-test-" + ProcessHandle.current().pid();
    cluster =
        YarnCluster.start(
            directory,
            "--lineage-workers=1",
            "-Dsailfish.lineage.worker.idle.release=2s",
            "-Dfs.qfs.impl=" + QfsFileSystem.class.getName(),
            "-Dfs.AbstractFileSystem.qfs.impl=" + QfsFs.class.getName());
  }

  private String metaserver() {
    String real = System.getenv("QFS_META");
    if (real != null) {
      return real;
    }
    server = QfsTestServer.start();
    return "127.0.0.1:" + server.metaPort(0);
  }

  /** Not in the test itself: what it says of a cluster that does not end would hide a failure. */
  @AfterEach
  void stop() throws Exception {
    try {
      if (cluster != null) {
        cluster.stop();
      }
    } finally {
      if (server != null) {
        server.close();
      }
    }
  }

  @Test
  void readsAndWritesQfsAsAnyFileSystem() throws Exception {
    Path text = cluster.text();
    cluster.succeed("fs", "-mkdir", "-p", root + "/data", root + "/below");
    cluster.succeed("fs", "-put", text.toString(), root + "/data/");
    Path stock = directory.resolve("stock");
    cluster.run(
        "stock", cluster.examples(), List.of("wordcount", text.toString()), stock, List.of());
    for (String shuffle : List.of("sailfish", "stock")) {
      count(shuffle, root + "/out-" + shuffle);
      assertThat(fetched(root + "/out-" + shuffle, shuffle))
          .isNotEmpty()
          .isEqualTo(OutputFiles.read(stock));
    }
    cluster.succeed("store", "mount", "/q", root + "/below", "write=through");
    count("sailfish", "lineage:///q/out");
    assertThat(fetched("lineage:///q/out", "above")).isEqualTo(OutputFiles.read(stock));
    assertThat(fetched(root + "/below/out", "below")).isEqualTo(OutputFiles.read(stock));
    cluster.succeed("store", "unmount", "/q");
    cluster.succeed("fs", "-mkdir", root + "/copies");
    cluster.succeed("store", "mount", "/c", root + "/copies");
    count("sailfish", "lineage:///c/out");
    cluster.succeed("lineage", "checkpoint", "/c/out");
    assertThat(fetched(root + "/copies/out", "copies")).isEqualTo(OutputFiles.read(stock));
    cluster.succeed("store", "unmount", "/c");
    // What the job's record keeps in the store.
    cluster.succeed("fs", "-rm", "-r", "-skipTrash", "lineage:///*");
    cluster.succeed("fs", "-rm", "-r", "-skipTrash", root);
  }

  private void count(String shuffle, String out) throws Exception {
    cluster.succeed(
        "jar",
        "--shuffle",
        shuffle,
        cluster.examples().toString(),
        "wordcount",
        root + "/data/text",
        out);
    assertThat(cluster.succeed("fs", "-ls", out).output()).contains("_SUCCESS", "part-r-00000");
  }

  private Map<String, String> fetched(String from, String name) throws Exception {
    Path here = directory.resolve(name);
    cluster.succeed("fs", "-get", from, here.toString());
    return OutputFiles.read(here);
  }
}
