package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.client.lost.LostFiles;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** What is known of the process, and how long its readers wait for lost files. */
class ContainerTest {
  private final Configuration conf = new Configuration(false);

  private static String application(String container) {
    return Container.application(Map.of("CONTAINER_ID", container));
  }

  @Test
  void theApplicationIsInTheNameOfItsContainer() {
    assertThat(application("container_e17_1410901177871_0012_01_000005"))
        .isEqualTo("application_1410901177871_0012");
    assertThat(application("container_1410901177871_12345_02_000001"))
        .isEqualTo("application_1410901177871_12345");
    assertThat(application("somewhere else")).isEmpty();
    assertThat(Container.application(Map.of())).isEmpty();
  }

  private LostFiles settings() {
    Map<String, String> environment =
        Map.of("CONTAINER_ID", "container_1410901177871_0012_01_000005");
    return LostFileSettings.of(new StoreSettings(conf), conf, environment);
  }

  @Test
  void theKeysSayIt() {
    assertThat(settings().application()).isEqualTo("application_1410901177871_0012");
    assertThat(settings().longest()).isEqualTo(Duration.ofMinutes(10));
    conf.set(LineageKey.APPLICATION.name(), "application_1_2");
    conf.set(LineageKey.LOST_WAIT.name(), "2h");
    assertThat(settings().application()).isEqualTo("application_1_2");
    assertThat(settings().longest()).isEqualTo(Duration.ofHours(2));
  }

  @Test
  void aTaskFailsBeforeItIsKilled() {
    conf.set("mapreduce.task.attempt.id", "attempt_1410901177871_0012_m_000001_0");
    assertThat(settings().longest()).as("Spark").isEqualTo(Duration.ofMinutes(10));
    conf.set("mapreduce.job.dir", "/staging");
    assertThat(settings().longest()).isEqualTo(Duration.ofMinutes(9));
    conf.set("mapreduce.task.timeout", "60000");
    assertThat(settings().longest()).isEqualTo(Duration.ofSeconds(45));
    conf.set("mapreduce.task.timeout", "0");
    assertThat(settings().longest()).isEqualTo(Duration.ofMinutes(10));
    conf.set("mapreduce.task.timeout", "60000");
    conf.set("mapreduce.task.ping-for-liveliness-check.enabled", "true");
    assertThat(settings().longest()).isEqualTo(Duration.ofMinutes(10));
    conf.set(LineageKey.LOST_WAIT.name(), "0s");
    assertThat(settings().longest()).isEqualTo(Duration.ZERO);
  }
}
