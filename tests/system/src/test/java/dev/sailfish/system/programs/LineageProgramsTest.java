package dev.sailfish.system.programs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.yarn.YarnCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of Hive leave records of how their files in the lineage store were made. */
@Tag("long")
@Timeout(900)
class LineageProgramsTest {
  @TempDir private Path directory;
  private YarnCluster cluster;
  private StoreClient client;
  private EdgeNode node;

  @BeforeEach
  void start() throws Exception {
    cluster =
        YarnCluster.start(
            directory, "--lineage-workers=1", "-Dsailfish.lineage.worker.idle.release=2s");
    client = cluster.store();
    Path in = Files.createDirectory(directory.resolve("in"));
    Inputs.write(in);
    cluster.succeed("fs", "-put", in.toString(), "lineage:///in");
    node =
        EdgeNode.create(
            directory.resolve("node"),
            cluster.conf(),
            cluster.succeed("env").output(),
            Mode.FIXED,
            Version.OWN);
    Map<String, String> environment = new HashMap<>(Commands.environment(in));
    Path jar = SailfishCommand.projectRoot().resolve("hadoop-plugin/cli/target/dist/client");
    environment.merge("HADOOP_CLASSPATH", jar + "/sailfish-client.jar", (a, b) -> a + ":" + b);
    node.set(environment);
  }

  /** Not in the test itself: what it says of a cluster that does not end would hide a failure. */
  @AfterEach
  void stop() throws Exception {
    if (client != null) {
      client.close();
    }
    if (cluster != null) {
      cluster.stop();
    }
  }

  @Test
  void ofHive() throws Exception {
    HiveServer server = HiveServer.start(node, directory.resolve("hive"));
    try {
      server.run(
          """
          CREATE EXTERNAL TABLE words (line string) LOCATION 'lineage:///in/words';
          INSERT OVERWRITE DIRECTORY 'lineage:///hive'
            SELECT line, count(*) FROM words GROUP BY line;
          """);
    } finally {
      server.stop();
    }
    assertRecorded("/hive", "/in/words");
    cluster.succeed("fs", "-rm", "-r", "-skipTrash", "lineage:///*");
  }

  /** One record has all files that can be seen, and is of all files that were read. */
  private void assertRecorded(String out, String in) throws IOException {
    List<Long> outputs = files(out);
    assertThat(outputs).isNotEmpty();
    DependencyRecord record = client.lineage().of(outputs.get(0));
    assertThat(record.getName()).startsWith("job_");
    assertThat(record.getOutputsList()).extracting(DependencyOutput::getFid).containsAll(outputs);
    assertThat(record.getInputsList())
        .extracting(DependencyInput::getFid)
        .containsExactlyInAnyOrderElementsOf(files(in));
  }

  private List<Long> files(String path) throws IOException {
    List<Long> fids = new ArrayList<>();
    client
        .namespace()
        .list(
            path,
            entry -> {
              if (!entry.getDirectory() && !entry.getName().startsWith("_")) {
                fids.add(entry.getFid());
              }
            });
    return fids;
  }
}
