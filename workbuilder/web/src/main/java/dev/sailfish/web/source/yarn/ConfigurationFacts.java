package dev.sailfish.web.source.yarn;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.web.source.JsonPages;

/**
 * What the configuration of a job says of its shuffle.
 *
 * @param collects whether its map output is given to Sailfish's collector
 * @param master whether its ApplicationMaster is Sailfish's
 */
public record ConfigurationFacts(boolean collects, boolean master) {
  private static final String COLLECTOR = "mapreduce.job.map.output.collector.class";
  private static final String COLLECTOR_CLASS = "dev.sailfish.hadoop.SailfishMapOutputCollector";
  private static final String MASTER = "yarn.app.mapreduce.am.command-opts";
  private static final String MASTER_CLASS = "dev.sailfish.hadoop.am.SailfishAppMaster";

  static ConfigurationFacts of(JsonNode conf) {
    boolean collects = false;
    boolean master = false;
    for (JsonNode property : JsonPages.elements(conf.path("property"))) {
      String value = property.path("value").asText("");
      switch (property.path("name").asText("")) {
        case COLLECTOR -> collects = value.contains(COLLECTOR_CLASS);
        case MASTER -> master = value.contains(MASTER_CLASS);
        default -> {
          // nothing that is shown
        }
      }
    }
    return new ConfigurationFacts(collects, master);
  }
}
