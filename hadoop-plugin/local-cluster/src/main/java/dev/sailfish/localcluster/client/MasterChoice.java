package dev.sailfish.localcluster.client;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a job of Sailfish's shuffle wants of its ApplicationMaster, which follows from it.
 *
 * @param reduceWork who decides how many reduce tasks there are
 * @param warmTasks whether tasks share JVMs; empty: the job does not say
 */
public record MasterChoice(ReduceWork reduceWork, Optional<WarmTasks> warmTasks) {
  /** Hadoop's own ApplicationMaster: nothing but the plug-in is Sailfish's. */
  public static final MasterChoice STOCK = new MasterChoice(ReduceWork.STOCK, Optional.empty());

  /** The same, but in Sailfish's ApplicationMaster, and with these tasks. */
  public MasterChoice with(WarmTasks tasks) {
    return new MasterChoice(
        reduceWork == ReduceWork.STOCK ? ReduceWork.FIXED : reduceWork, Optional.of(tasks));
  }

  /** The keys of a job's configuration that say so, on a local cluster. */
  public Map<String, String> configuration() {
    Map<String, String> keys = new HashMap<>(reduceWork.configuration());
    warmTasks.ifPresent(tasks -> keys.putAll(tasks.configuration()));
    return keys;
  }
}
