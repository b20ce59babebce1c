package dev.sailfish.imerger;

import dev.sailfish.imerger.fetch.ReadLinks;
import dev.sailfish.imerger.merge.ExternalMerge;

/**
 * What a merge has done so far. Live: the figures grow while the merge goes on. Written by the
 * merging thread; figures read by another thread may be a little old.
 */
public final class MergeStatistics {
  long records;
  long totalRecordsExpected;
  long rawBytes;
  long rereads;
  long prefetchedBytes;
  long prefetchFailures;
  int mapOutputs;
  int chunks;
  int runs;

  private final ReadLinks links;
  private final ExternalMerge external;

  MergeStatistics(ReadLinks links, ExternalMerge external) {
    this.links = links;
    this.external = external;
  }

  /** Records delivered. */
  public long records() {
    return records;
  }

  /**
   * Records that the winners' manifests promise, of a range at most so many; 0 before the merge is
   * started.
   */
  public long totalRecordsExpected() {
    return totalRecordsExpected;
  }

  /** Bytes of blocks that came from chunkservers, as they are stored. */
  public long bytesFetched() {
    return links.bytesFetched();
  }

  /** Bytes of the records in those blocks before compression, of losing attempts too. */
  public long rawBytes() {
    return rawBytes;
  }

  /** Reads that chunkservers answered. */
  public long reads() {
    return links.reads();
  }

  /** Blocks that were damaged and read a second time. */
  public long rereads() {
    return rereads;
  }

  /** Connections to chunkservers that broke. */
  public long reconnects() {
    return links.reconnects();
  }

  /** Of {@link #bytesFetched}, those that came before the merge was started. */
  public long prefetchedBytes() {
    return prefetchedBytes;
  }

  /** Prefetches that failed; what they were to fetch is asked for again at the start. */
  public long prefetchFailures() {
    return prefetchFailures;
  }

  /** Bytes written to local runs by the external merge. */
  public long spilledBytes() {
    return external.spilledBytes();
  }

  /** Records written to local runs by the external merge, once for each pass. */
  public long spilledRecords() {
    return external.spilledRecords();
  }

  /** Winning map attempts that wrote anything to this partition. */
  public int mapOutputs() {
    return mapOutputs;
  }

  /** Local runs written by the external merge. */
  public int spilledRuns() {
    return external.spilledRuns();
  }

  /** Chunks that blocks of winners are in. */
  public int chunks() {
    return chunks;
  }

  /** Sorted runs of those chunks. */
  public int runs() {
    return runs;
  }

  /** How much is done, from 0 to 1. */
  public float fraction() {
    long expected = totalRecordsExpected;
    return expected == 0 ? 0 : Math.min(1f, (float) records / expected);
  }
}
