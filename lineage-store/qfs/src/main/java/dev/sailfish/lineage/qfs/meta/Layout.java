package dev.sailfish.lineage.qfs.meta;

import java.util.List;

/**
 * A file's chunks. Where none is for an offset, the file has a hole. Immutable.
 *
 * @param fileSize in bytes, or {@link FileInfo#UNKNOWN}
 * @param chunks in the order of their offsets; servers may be missing when none has a copy
 */
public record Layout(long fileSize, List<ChunkInfo> chunks) {
  /** Copies. */
  public Layout {
    chunks = List.copyOf(chunks);
  }
}
