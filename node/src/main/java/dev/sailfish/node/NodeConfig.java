package dev.sailfish.node;

import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.StoreTiers;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.chunkserver.ChunkserverKey;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.config.StorageDirectory;
import dev.sailfish.ground.config.StorageDirectory.DiskType;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.lineage.worker.LineageWorkerKey;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * What a node is told, checked: its own keys, and those of both daemons but for what says where
 * they store.
 *
 * @param settings as they were read
 * @param directories of both
 * @param chunkserver what the chunkserver is told
 * @param worker what the lineage worker is told
 */
record NodeConfig(
    Settings settings,
    List<StorageDirectory> directories,
    ChunkserverConfig chunkserver,
    Settings worker) {
  private static final List<String> OF_ONE_STORE =
      List.of("memory.dir", "memory.size", "data.dirs", "dirs", "growth", "idle.release");

  /**
   * Reads and checks the settings.
   *
   * @throws IllegalArgumentException naming key, value and what is wrong
   */
  static NodeConfig of(Settings settings) {
    NodeKey.ALL.check(settings);
    LineageWorkerKey.ALL.check(settings);
    requireNone(settings, ChunkserverKey.ALL);
    requireNone(settings, LineageWorkerKey.ALL);
    if (!settings.isSet(NodeKey.DIRS)) {
      throw settings.wrong(NodeKey.DIRS, "must name a directory for chunks and blocks");
    }
    List<StorageDirectory> directories = StorageDirectory.of(settings, NodeKey.DIRS);
    for (StorageDirectory directory : directories) {
      boolean isUnlimited = directory.capacityBytes() == StorageDirectory.ALL_OF_IT;
      if (directory.type() == DiskType.MEM && isUnlimited) {
        throw settings.wrong(
            NodeKey.DIRS, "must say :capacity=SIZE of memory: '" + directory.path() + "'");
      }
    }
    String named = String.join(",", settings.get(NodeKey.DIRS));
    Settings chunkserver =
        settings
            .with(ChunkserverKey.PREFIX + "memory.dir", Key.NONE)
            .with(ChunkserverKey.PREFIX + "data.dirs", named);
    return new NodeConfig(
        settings,
        directories,
        ChunkserverConfig.of(chunkserver),
        settings.with(LineageWorkerKey.ALL.prefix() + "dirs", named));
  }

  /** What says where one of them stores would not be looked at. */
  private static void requireNone(Settings settings, KeySet keys) {
    for (Key<?> key : keys.all()) {
      boolean isOfStore = OF_ONE_STORE.contains(key.name().substring(keys.prefix().length()));
      if (isOfStore && settings.isSet(key)) {
        throw settings.wrong(
            key,
            "must not be set: in a node "
                + NodeKey.ALL.prefix()
                + "* say where both store; remove it");
      }
    }
  }

  /**
   * One store with two owners.
   *
   * @throws IOException when a directory cannot be created
   */
  BlockStoreConfig blockStore() throws IOException {
    return new BlockStoreConfig(
        StoreTiers.of(directories),
        List.of(
            new OwnerConfig(ChunkserverConfig.SEGMENT_OWNER, share(NodeKey.CHUNKSERVER_MEMORY)),
            new OwnerConfig(LineageWorker.SEGMENT_OWNER, share(NodeKey.WORKER_MEMORY))),
        settings.get(NodeKey.GROWTH),
        settings.get(NodeKey.IDLE_RELEASE),
        settings.get(NodeKey.WARM));
  }

  private Map<Tier, Double> share(Key<Integer> percent) {
    return Map.of(Tier.MEMORY, settings.get(percent) / 100.0);
  }
}
