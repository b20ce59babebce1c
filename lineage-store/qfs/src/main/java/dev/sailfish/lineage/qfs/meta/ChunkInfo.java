package dev.sailfish.lineage.qfs.meta;

import dev.sailfish.ground.config.HostPort;
import java.util.List;

/**
 * One chunk and where it is. Immutable.
 *
 * @param offset in the file, a multiple of {@link #BYTES}
 * @param id the chunk's handle
 * @param version goes up with every new right to write; a server with another one has another chunk
 * @param servers that hold it; for writing the first is the one to send to
 */
public record ChunkInfo(long offset, long id, long version, List<HostPort> servers) {
  /** Most bytes of a chunk. */
  public static final int BYTES = 64 << 20;

  /** A chunk's bytes are checksummed in blocks of so many. */
  public static final int BLOCK_BYTES = 64 << 10;

  /** Copies. */
  public ChunkInfo {
    servers = List.copyOf(servers);
  }
}
