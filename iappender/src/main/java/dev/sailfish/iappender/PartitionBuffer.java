package dev.sailfish.iappender;

/**
 * The records of one partition that are in no block yet, back to back from {@link #START}. The
 * bytes before that are room for what a record's key overwrites while it is written.
 */
final class PartitionBuffer {
  /** Where the first record begins. */
  static final int START = 8;

  /** The array of a buffer that holds none. */
  static final byte[] NONE = new byte[0];

  final int partition;
  byte[] bytes = NONE;

  /** How much of the array may be used. It may be longer, where a longer one was there. */
  int room;

  /** End of the records, exclusive. */
  int end = START;

  int records;

  /** Bytes of the records' normalized keys and values. */
  long recordBytes;

  /** Sum of the records' {@link dev.sailfish.format.RecordChecksum}. */
  long checksum;

  /** How many of the records are results of the combiner. */
  int combined;

  /**
   * Where the serialized key of the next record should begin, counted from the record's begin, so
   * that nothing has to be moved: the previous record's header length less the length that
   * normalizing its key stripped. May be negative.
   */
  int gap = 2;

  /** Whether a whole block was filled before: then the next array has full size at once. */
  boolean filledBefore;

  PartitionBuffer(int partition) {
    this.partition = partition;
  }

  /** Bytes of records. */
  int length() {
    return end - START;
  }

  /** Forgets the records. */
  void clear() {
    end = START;
    records = 0;
    recordBytes = 0;
    checksum = 0;
    combined = 0;
  }
}
