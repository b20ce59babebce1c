package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.protocol.wire.FileBlocks;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.StorageType;

/**
 * Which hosts have the blocks of a part of a file, so that tasks run there. One that has a block in
 * memory is also named as a cache of it. A block that no worker has is on no host.
 */
final class BlockHosts {
  private static final int BLOCKS_PER_QUESTION = 1000;
  private static final int TIER_BITS = 2;
  private static final String[] NONE = {};

  private final FileEntry file;
  private final Map<Integer, List<Integer>> places = new HashMap<>();
  private final Map<Integer, WorkerAddress> workers = new HashMap<>();

  private BlockHosts(FileEntry file) {
    this.file = file;
  }

  /**
   * Asks the master.
   *
   * @param blockSize of the file in bytes, as far as the caller knows
   * @param start of the part, in bytes from 0
   * @param length of the part, in bytes
   * @return the blocks that have bytes of the part, as wholes and in their order
   */
  static BlockLocation[] of(
      NamespaceClient namespace, String path, long blockSize, long start, long length)
      throws IOException {
    int first = block(start, blockSize);
    OpenFileResponse opened = namespace.open(path, first, BLOCKS_PER_QUESTION);
    FileEntry file = opened.getEntry();
    if (file.getBlockSize() != blockSize) {
      return of(namespace, path, file.getBlockSize(), start, length);
    }
    long left = file.getLength() - start;
    if (left <= 0 || length == 0) {
      return new BlockLocation[0];
    }
    int last = block(start + Math.min(left, length) - 1, blockSize);
    BlockHosts hosts = new BlockHosts(file);
    hosts.learn(opened);
    for (int next = first + BLOCKS_PER_QUESTION; next <= last; next += BLOCKS_PER_QUESTION) {
      hosts.learn(namespace.locate(file.getFid(), next, BLOCKS_PER_QUESTION));
    }
    return hosts.locations(first, last - first + 1);
  }

  /**
   * All blocks of a file that a listing has located, in their order.
   *
   * @param workers by their numbers
   */
  static BlockLocation[] of(
      FileEntry file, FileBlocks blocks, Map<Integer, WorkerAddress> workers) {
    BlockHosts hosts = new BlockHosts(file);
    hosts.workers.putAll(workers);
    blocks.getBlocksList().forEach(at -> hosts.places.put(at.getBlock(), at.getPlacesList()));
    int count = block(file.getLength() + file.getBlockSize() - 1, file.getBlockSize());
    return hosts.locations(0, count);
  }

  private static int block(long position, long blockSize) {
    return (int) Math.min(Integer.MAX_VALUE, position / blockSize);
  }

  private void learn(OpenFileResponse told) {
    told.getBlocksList().forEach(at -> places.put(at.getBlock(), at.getPlacesList()));
    told.getWorkersList().forEach(worker -> workers.put(worker.getNumber(), worker));
  }

  private BlockLocation[] locations(int first, int count) {
    BlockLocation[] locations = new BlockLocation[count];
    for (int i = 0; i < count; i++) {
      locations[i] = location(first + i);
    }
    return locations;
  }

  private BlockLocation location(int block) {
    List<String> names = new ArrayList<>();
    List<String> hosts = new ArrayList<>();
    List<String> caches = new ArrayList<>();
    List<StorageType> types = new ArrayList<>();
    for (int place : places.getOrDefault(block, List.of())) {
      WorkerAddress worker = workers.get(place >>> TIER_BITS);
      StorageType type = type(place & (1 << TIER_BITS) - 1);
      if (worker != null) {
        names.add(worker.getHost() + ":" + worker.getPort());
        hosts.add(worker.getHost());
        types.add(type);
        if (type == StorageType.RAM_DISK) {
          caches.add(worker.getHost());
        }
      }
    }
    long offset = block * file.getBlockSize();
    return new BlockLocation(
        names.toArray(NONE),
        hosts.toArray(NONE),
        caches.toArray(NONE),
        null,
        null,
        types.toArray(StorageType[]::new),
        offset,
        Math.min(file.getBlockSize(), file.getLength() - offset),
        false);
  }

  private static StorageType type(int tier) {
    return switch (tier) {
      case 0 -> StorageType.RAM_DISK;
      case 1 -> StorageType.SSD;
      default -> StorageType.DISK;
    };
  }
}
