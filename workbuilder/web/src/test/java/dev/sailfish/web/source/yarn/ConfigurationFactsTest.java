package dev.sailfish.web.source.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ConfigurationFactsTest {
  private static ConfigurationFacts of(String properties) throws IOException {
    return ConfigurationFacts.of(new ObjectMapper().readTree("{\"property\":" + properties + "}"));
  }

  @Test
  void saysWhatIsSailfishs() throws IOException {
    assertThat(
            of(
                """
                [{"name":"a","value":"dev.sailfish.hadoop.am.SailfishAppMaster"},
                 {"name":"mapreduce.job.map.output.collector.class",
                  "value":"dev.sailfish.hadoop.SailfishMapOutputCollector"},
                 {"name":"yarn.app.mapreduce.am.command-opts","value":"-Xmx1g"}]"""))
        .isEqualTo(new ConfigurationFacts(true, false));
    assertThat(
            of(
                """
                [{"name":"yarn.app.mapreduce.am.command-opts",
                  "value":"-Xmx1g dev.sailfish.hadoop.am.SailfishAppMaster"}]"""))
        .isEqualTo(new ConfigurationFacts(false, true));
    assertThat(of("[]")).isEqualTo(new ConfigurationFacts(false, false));
  }
}
