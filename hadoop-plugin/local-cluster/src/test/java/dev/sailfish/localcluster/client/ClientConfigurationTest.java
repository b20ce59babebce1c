package dev.sailfish.localcluster.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.SiteFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientConfigurationTest {
  @TempDir private Path base;

  @Test
  void jobKeysWinOverTheClustersInEachFile() throws IOException {
    SiteFile.write(base.resolve("mapred-site.xml"), Optional.empty(), Map.of("a", "cluster"));
    SiteFile.write(base.resolve("yarn-site.xml"), Optional.empty(), Map.of("b", "cluster"));
    Path directory;
    try (ClientConfiguration client =
        ClientConfiguration.create(base, Map.of("a", "job", "b", "job"))) {
      directory = client.directory();
      assertThat(client.classPath()).isEqualTo(directory + ":" + base);
      Configuration configuration = new Configuration(false);
      for (String site : new String[] {"core-site.xml", "mapred-site.xml", "yarn-site.xml"}) {
        configuration.addResource(directory.resolve(site).toUri().toURL());
      }
      assertThat(configuration.get("a")).isEqualTo("job");
      assertThat(configuration.get("b")).isEqualTo("job");
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void refusesAClusterOnWhichJobsWouldRunInTheClient() {
    assertThatThrownBy(() -> ClientConfiguration.create(base, Map.of()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("mapred-site.xml");
  }
}
