package dev.sailfish.imerger;

/** What was delivered of a partition, beside what the winners' manifests promise. */
final class DeliveredRecords {
  /** Bytes of the keys, as they are stored, and values delivered so far. */
  long recordBytes;

  /** Sum of the {@link dev.sailfish.format.RecordChecksum} of the records delivered so far. */
  long checksum;

  private long expectedRecords;
  private long expectedBytes;
  private long expectedChecksum;

  /** Takes what is promised. */
  void expect(AcceptedBlocks accepted) {
    expectedRecords = accepted.totalRecords();
    expectedBytes = accepted.totalRecordBytes();
    expectedChecksum = accepted.checksum();
  }

  /** Whether so many records are all, and the right ones. */
  boolean areAll(long records) {
    return records == expectedRecords
        && recordBytes == expectedBytes
        && checksum == expectedChecksum;
  }

  /** Both sides, for an error. */
  String describe(long records) {
    return ("delivered records=%s bytes=%s checksum=%x,"
            + " in the manifests of the winners records=%s bytes=%s checksum=%x")
        .formatted(
            records, recordBytes, checksum, expectedRecords, expectedBytes, expectedChecksum);
  }
}
