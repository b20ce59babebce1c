package dev.sailfish.hadoop;

import dev.sailfish.ground.config.Settings;
import org.apache.hadoop.conf.Configuration;

/** The settings of a job. */
final class JobSettings extends Settings {
  private final Configuration conf;

  JobSettings(Configuration conf) {
    this.conf = conf;
  }

  @Override
  protected String find(String name) {
    return conf.get(name);
  }
}
