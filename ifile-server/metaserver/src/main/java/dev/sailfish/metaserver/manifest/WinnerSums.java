package dev.sailfish.metaserver.manifest;

import dev.sailfish.protocol.wire.SumWinnersResponse;

/** What winning attempts wrote, added up for each of some partitions. Not thread-safe. */
public final class WinnerSums {
  /** Most partitions in one answer: some megabytes. */
  static final int MAX_PARTITIONS = 1 << 16;

  private final int first;
  private final long[] records;
  private final long[] rawBytes;
  private final long[] recordBytes;
  private final long[] checksums;
  private final SumWinnersResponse.Builder response = SumWinnersResponse.newBuilder();

  /**
   * No winner yet.
   *
   * @param first partition that counts
   * @param partitions how many the job has; of more than an answer takes the last ones do not count
   */
  public WinnerSums(int first, int partitions) {
    this.first = first;
    int count = Math.min(MAX_PARTITIONS, partitions - first);
    records = new long[count];
    rawBytes = new long[count];
    recordBytes = new long[count];
    checksums = new long[count];
    response.setMore(first + count < partitions);
  }

  /**
   * Adds a winner.
   *
   * @param manifest what it committed, or null when that is not known
   */
  public void add(AttemptId winner, Manifest manifest) {
    if (manifest == null) {
      response.addUnknown(winner.map()).addUnknown(winner.attempt());
    } else {
      response.setKnown(response.getKnown() + 1);
      manifest.addTo(this);
    }
  }

  /** Adds what an attempt wrote to one partition. */
  void add(
      int partition, long moreRecords, long moreRawBytes, long moreRecordBytes, long checksum) {
    int at = partition - first;
    if (at >= 0 && at < records.length) {
      records[at] += moreRecords;
      rawBytes[at] += moreRawBytes;
      recordBytes[at] += moreRecordBytes;
      checksums[at] += checksum;
    }
  }

  /** The sums, for a workbuilder. */
  public SumWinnersResponse response() {
    for (int at = 0; at < records.length; at++) {
      response
          .addRecords(records[at])
          .addRawBytes(rawBytes[at])
          .addRecordBytes(recordBytes[at])
          .addChecksums(checksums[at]);
    }
    return response.build();
  }
}
