package dev.sailfish.system.programs;

import dev.sailfish.localcluster.client.ReduceWork;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a node's {@code mapred-site.xml} says beside the cluster's own keys. */
enum Mode {
  /**
   * Nothing of Sailfish. The same shuffle in the client's JVM: what stock does on YARN is not what
   * is tested.
   */
  STOCK("stock", Map.of("mapreduce.framework.name", "local")),
  /** Nothing of Sailfish, on YARN: for the time that it takes. */
  STOCK_ON_YARN("stock", Map.of()),
  /** The plug-in, in Hadoop's own ApplicationMaster. */
  PLUGIN("plug-in alone", Map.of()),
  /** Sailfish's ApplicationMaster, with as many reduce tasks as the job asks for. */
  FIXED("fixed", ReduceWork.FIXED.configuration()),
  /** Sailfish's ApplicationMaster, which makes the reduce work of the data. */
  AUTO("auto", ReduceWork.AUTO.configuration());

  /** Those that are compared with stock. */
  static final List<Mode> OURS = List.of(PLUGIN, FIXED, AUTO);

  private final String label;
  private final Map<String, String> keys;

  Mode(String label, Map<String, String> keys) {
    this.label = label;
    this.keys = keys;
  }

  /** As the page calls it. */
  String label() {
    return label;
  }

  /**
   * Keys of {@code mapred-site.xml}.
   *
   * @param plugin those that switch the plug-in on
   */
  Map<String, String> keys(Map<String, String> plugin) {
    Map<String, String> all = new HashMap<>(OURS.contains(this) ? plugin : Map.of());
    all.putAll(keys);
    return all;
  }

  /** Whether a program may write another number of files, which hold the same one by one. */
  boolean changesFiles() {
    return this == AUTO;
  }
}
