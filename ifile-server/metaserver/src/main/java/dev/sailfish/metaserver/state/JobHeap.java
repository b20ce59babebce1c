package dev.sailfish.metaserver.state;

import dev.sailfish.metaserver.manifest.ManifestMemory;

/**
 * What jobs make the metaserver keep in its heap, at a fixed price each: bindings, chunks,
 * manifests apart from their bytes, and maps that cannot be repeated. Not thread-safe.
 */
final class JobHeap {
  /** A place in a sorted map, with its key. */
  static final int BYTES_PER_BINDING = 64;

  /** The sorted map of an attempt's bindings. */
  static final int BYTES_PER_ATTEMPT = 128;

  /** An object and its places in the maps and lists of its job, I-file and server. */
  static final int BYTES_PER_CHUNK = 384;

  static final int BYTES_PER_MANIFEST = ManifestMemory.BYTES_PER_MANIFEST;

  /** A number in a set. */
  static final int BYTES_PER_MAP = 64;

  private final JobHeap all;
  private long bytes;

  /** That of all jobs together. */
  JobHeap() {
    this(null);
  }

  /** That of one job; its bytes count there too. */
  JobHeap(JobHeap all) {
    this.all = all;
  }

  /** It takes this many bytes more; negative: less. */
  void add(long more) {
    bytes += more;
    if (all != null) {
      all.add(more);
    }
  }

  /** The job ends. */
  void release() {
    add(-bytes);
  }

  long bytes() {
    return bytes;
  }

  /** What all jobs take together. */
  long allBytes() {
    return all == null ? bytes : all.bytes;
  }
}
