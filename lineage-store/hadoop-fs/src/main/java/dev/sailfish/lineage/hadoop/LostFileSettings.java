package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.lost.LostFiles;
import dev.sailfish.lineage.client.lost.LostFiles.Waiting;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the readers of a file system do with files that are lost and can be recomputed. */
final class LostFileSettings {
  private static final Logger LOG = LoggerFactory.getLogger(LostFileSettings.class);
  private static final Duration PERIOD = Duration.ofSeconds(30);

  private LostFileSettings() {}

  /**
   * As the keys say. A task of MapReduce waits for less time than it may be silent, so that it
   * fails with a sentence before it is killed without one.
   *
   * @param environment of the process
   */
  static LostFiles of(StoreSettings settings, Configuration conf, Map<String, String> environment) {
    Duration wanted = settings.get(LineageKey.LOST_WAIT);
    Duration longest =
        Container.longestRead(conf).filter(most -> most.compareTo(wanted) < 0).orElse(wanted);
    String said = settings.get(LineageKey.APPLICATION);
    String application = said.isEmpty() ? Container.application(environment) : said;
    return new LostFiles(longest, application, LostFileSettings::log);
  }

  private static void log(Waiting waiting) {
    if (waiting.begins(PERIOD)) {
      LOG.warn("{}", waiting.text());
    }
  }
}
