package dev.sailfish.localcluster.client;

import java.util.Locale;
import java.util.Map;

/** Which shuffle a job uses. */
public enum Shuffle {
  /** Hadoop's own: sort and spill in the map task, fetch and merge in the reduce task. */
  STOCK(Map.of()),
  /** Through I-files. */
  SAILFISH(
      Map.of(
          "mapreduce.job.map.output.collector.class",
              "dev.sailfish.hadoop.SailfishMapOutputCollector",
          "mapreduce.job.reduce.shuffle.consumer.plugin.class",
              "dev.sailfish.hadoop.SailfishShuffleConsumer",
          // Hadoop 3.5 has this key; earlier ones make a secret of 64 bits.
          "mapreduce.shuffle-key-length", "256"));

  /** Key under which a job finds the metaserver; its value is {@code host:port}. */
  public static final String METASERVER_ADDRESS = "sailfish.metaserver.address";

  /** Key by which a job's tasks know the metaserver. */
  public static final String METASERVER_PUBLIC_KEY = "sailfish.metaserver.public.key";

  private final Map<String, String> configuration;

  Shuffle(Map<String, String> configuration) {
    this.configuration = configuration;
  }

  /** The keys of a job's configuration that select this shuffle. */
  public Map<String, String> configuration() {
    return configuration;
  }

  /** The name on the command line and in reports. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
