package dev.sailfish.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.ClusterState;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.ProcessStat;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusCommandTest {
  private static final String HOST = "127.0.0.1";

  @TempDir private Path directory;

  @AfterEach
  void forgetRoot() {
    System.clearProperty(Distribution.ROOT_PROPERTY);
  }

  @Test
  void tellsWhatIsWrongAroundADaemonThatIsUp() throws IOException {
    System.setProperty(Distribution.ROOT_PROPERTY, directory.toString());
    ClusterLayout layout = new ClusterLayout(directory.resolve("cluster"));
    Files.createDirectories(layout.home());
    ClusterSecret.create(layout.secret());
    Map<String, String> settings =
        Map.of(
            "sailfish.metaserver.host",
            HOST,
            "sailfish.metaserver.port",
            "0",
            "sailfish.metaserver.web.port",
            "0",
            "sailfish.metaserver.journal.dir",
            "none",
            "sailfish.metaserver.resourcemanager",
            HOST + ":1",
            "sailfish.metaserver.cluster.secret.file",
            layout.secret().toString());
    try (Metaserver metaserver = Metaserver.start(MetaserverConfig.of(settings))) {
      remember(layout, metaserver);
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () ->
                  assertThat(status(layout))
                      .contains(" up")
                      .contains("warning resourcemanager: the ResourceManager does not answer")
                      .contains("sailfish.metaserver.resourcemanager=http://127.0.0.1:1"));
    }
  }

  /** As if a local cluster had been started; its one daemon runs in this process. */
  private static void remember(ClusterLayout layout, Metaserver metaserver) throws IOException {
    long pid = ProcessHandle.current().pid();
    DaemonRecord daemon =
        new DaemonRecord(
            "metaserver",
            pid,
            ProcessStat.read(pid).orElseThrow().startTicks(),
            HOST + ":" + metaserver.port(),
            "http://" + HOST + ":" + metaserver.webPort(),
            "its log");
    new ObjectMapper()
        .writeValue(
            layout.home().resolve("cluster.json").toFile(),
            new ClusterState(List.of(), Map.of(), List.of(daemon)));
  }

  private static String status(ClusterLayout layout) {
    StringWriter out = new StringWriter();
    int code =
        Sailfish.commandLine()
            .setOut(new PrintWriter(out, true))
            .execute("status", "--dir", layout.home().toString());
    assertThat(code).as(out.toString()).isZero();
    return out.toString();
  }
}
