package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.BlockLocation;

/**
 * Which hosts have the chunks of a part of a file, so that tasks run there. A chunk that was never
 * written, a hole, is on no host.
 */
final class ChunkHosts {
  private ChunkHosts() {}

  /**
   * @param chunks those of the part
   * @param start of the part, in bytes from 0
   * @param end of the part, in bytes from 0, at most {@code fileLength}
   * @param fileLength in bytes
   * @return the chunks that have bytes of the part, as wholes and in their order
   */
  static BlockLocation[] of(List<ChunkInfo> chunks, long start, long end, long fileLength) {
    Map<Long, List<HostPort>> servers = new HashMap<>();
    chunks.forEach(chunk -> servers.put(chunk.offset(), chunk.servers()));
    int first = Math.toIntExact(start / ChunkInfo.BYTES);
    int last = Math.toIntExact((end - 1) / ChunkInfo.BYTES);
    BlockLocation[] locations = new BlockLocation[last - first + 1];
    for (int i = 0; i < locations.length; i++) {
      long offset = (long) (first + i) * ChunkInfo.BYTES;
      long length = Math.min((long) ChunkInfo.BYTES, fileLength - offset);
      List<HostPort> having = servers.getOrDefault(offset, List.of());
      locations[i] =
          new BlockLocation(
              having.stream().map(HostPort::toString).toArray(String[]::new),
              having.stream().map(HostPort::host).toArray(String[]::new),
              offset,
              length);
    }
    return locations;
  }
}
