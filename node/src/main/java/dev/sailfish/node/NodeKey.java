package dev.sailfish.node;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import java.time.Duration;
import java.util.List;

/**
 * The configuration keys of a node; all others are those of its chunkserver and its lineage worker.
 */
public final class NodeKey {
  /** All of them. */
  public static final KeySet ALL = new KeySet("sailfish.node.");

  static final Key<List<String>> DIRS =
      ALL.list(
          "dirs",
          "",
          "directories for chunks and blocks, path[:disktype=MEM|SSD|HDD][:capacity=SIZE] with commas"
              + " between them, each on a file system of its own; one of disktype MEM lies on a"
              + " memory file system, such as /dev/shm, and has a capacity");
  static final Key<Integer> CHUNKSERVER_MEMORY =
      ALL.number(
          "chunkserver.memory",
          "100",
          "1..100",
          "percent of each directory in memory that chunks may take; with 100 for both it is for who"
              + " comes first");
  static final Key<Integer> WORKER_MEMORY =
      ALL.number(
          "worker.memory",
          "100",
          "1..100",
          "percent of each directory in memory that the lineage store's blocks may take");
  static final Key<Long> GROWTH =
      ALL.size(
          "growth",
          "1m",
          "4k..1g",
          "step in which chunks and blocks grow that come over the network, a multiple of 4k");
  static final Key<Duration> IDLE_RELEASE =
      ALL.duration(
          "idle.release",
          "10min",
          "0..1d",
          "how long memory is kept warm after the last chunk and block have left it");
  static final Key<Long> WARM =
      ALL.size(
          "warm",
          "2g",
          "0..1t",
          "memory that is made ready in idle times for blocks that writers on this host will begin,"
              + " in each directory, at most a quarter of it; 0: none");

  private NodeKey() {}
}
