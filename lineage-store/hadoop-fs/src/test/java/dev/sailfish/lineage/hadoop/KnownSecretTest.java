package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against a master that lets nobody in who does not know the cluster's secret. */
@Timeout(60)
class KnownSecretTest {
  private static final Path DIRECTORY = new Path("/d");

  @TempDir private java.nio.file.Path local;
  private LineageMaster master;
  private Configuration conf;

  @BeforeEach
  void start() throws IOException {
    java.nio.file.Path secret = local.resolve("secret");
    ClusterSecret.create(secret);
    List<String> settings =
        List.of(
            "host=127.0.0.1",
            "port=0",
            "web.port=0",
            "authentication=secret",
            "cluster.secret.file=" + secret,
            "journal.dir=none");
    java.nio.file.Path file = local.resolve("master.properties");
    String prefix = LineageMasterKey.ALL.prefix();
    Files.write(file, settings.stream().map(setting -> prefix + setting).toList());
    master = LineageMaster.start(Settings.read(file));
    conf = new Configuration();
    conf.set(LineageKey.SECRET_FILE.name(), secret.toString());
    conf.set(LineageKey.PATIENCE.name(), "1s");
    conf.set(LineageKey.SUPERUSER.name(), System.getProperty("user.name"));
  }

  @AfterEach
  void stop() {
    master.close();
  }

  private FileSystem open() throws IOException {
    return FileSystem.newInstance(URI.create("lineage://127.0.0.1:" + master.port()), conf);
  }

  @Test
  void whoKnowsItIsLetIn() throws IOException {
    try (FileSystem fs = open()) {
      assertThat(fs.mkdirs(DIRECTORY)).isTrue();
      assertThat(fs.getFileStatus(DIRECTORY).isDirectory()).isTrue();
    }
  }

  @Test
  void othersAreNot() throws IOException {
    java.nio.file.Path wrong = local.resolve("wrong");
    ClusterSecret.create(wrong);
    conf.set(LineageKey.SECRET_FILE.name(), wrong.toString());
    try (FileSystem fs = open()) {
      assertThatThrownBy(() -> fs.mkdirs(DIRECTORY)).isInstanceOf(IOException.class);
    }
    conf.set(LineageKey.AUTHENTICATION.name(), "none");
    try (FileSystem fs = open()) {
      assertThatThrownBy(() -> fs.getFileStatus(DIRECTORY)).isInstanceOf(IOException.class);
    }
  }
}
