package dev.sailfish.benchmarks.jobs.mapreduce;

import java.util.SplittableRandom;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * Records of one partition in the order of their keys, serialized as BytesWritables, of the sizes
 * of {@link SyntheticRecords}: what a reduce task of the partitioned sort reads, without a shuffle.
 * They are not those that the maps of the job have made.
 *
 * <p>Cheap, so that the reducer's work is what takes time: the first eight bytes of a key are
 * random and stay for a run of records; of the last two those are taken that lead to the partition.
 * Which ones these are follows from the hash of the first, looked up in a table. Values come out of
 * a ring of random ones. Not thread-safe.
 */
final class SortedRecords implements RawKeyValueIterator {
  /** How many symbols a byte may be, one after the other from a blank on. */
  private static final int SYMBOLS = 64;

  private static final int BITS_PER_SYMBOL = 6;
  private static final int PREFIX_BYTES = 8;
  private static final int PREFIX_BITS = PREFIX_BYTES * BITS_PER_SYMBOL;
  private static final int KEYS_PER_PREFIX = SYMBOLS * SYMBOLS;
  private static final int VALUES = 4096;
  private static final int VALUE_BYTES = Integer.BYTES + SyntheticRecords.VALUE_BYTES;
  private static final int HASH_FACTOR = 31;
  private static final int RECORDS_PER_UPDATE = 4096;

  private final SplittableRandom random;
  private final long count;
  private final int shares;

  /** By the share that the first symbol leads to: the symbols that lead to the partition. */
  private final byte[][] rows;

  /** How far prefixes are apart, on average. */
  private final long stride;

  private final byte[] key = new byte[Integer.BYTES + SyntheticRecords.KEY_BYTES];
  private final byte[] values = new byte[VALUES * VALUE_BYTES];
  private final DataInputBuffer keyBuffer = new DataInputBuffer();
  private final DataInputBuffer valueBuffer = new DataInputBuffer();
  private final Progress progress = new Progress();
  private long given;
  private long prefixes;
  private int prefixHash;
  private int second = SYMBOLS;
  private byte[] row = new byte[0];
  private int inRow;

  /**
   * The records of one partition; as many of the job's as its share is.
   *
   * @param seed from which the same records follow each time
   * @param records of all partitions
   */
  SortedRecords(
      long seed, long records, HeavyPartitioner partitioner, int partition, int partitions) {
    random = new SplittableRandom(seed + partition);
    shares = partitioner.shares(partitions);
    int first = partitioner.firstShare(partition, partitions);
    int end = partitioner.firstShare(partition + 1, partitions);
    count = records * end / shares - records * first / shares;
    rows = rows(first, end);
    long needed = count * shares / (end - first) / KEYS_PER_PREFIX;
    stride = (1L << PREFIX_BITS) / (2 * needed + SYMBOLS);
    key[Integer.BYTES - 1] = SyntheticRecords.KEY_BYTES;
    fillValues(seed);
  }

  private byte[][] rows(int first, int end) {
    byte[][] table = new byte[shares][];
    byte[] found = new byte[SYMBOLS];
    for (int share = 0; share < shares; share++) {
      int length = 0;
      for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        int reached = (share + symbol) % shares;
        if (reached >= first && reached < end) {
          found[length++] = (byte) (' ' + symbol);
        }
      }
      table[share] = new byte[length];
      System.arraycopy(found, 0, table[share], 0, length);
    }
    return table;
  }

  private void fillValues(long seed) {
    SyntheticRecords source = new SyntheticRecords(seed);
    byte[] unused = new byte[SyntheticRecords.KEY_BYTES];
    byte[] value = SyntheticRecords.newValue();
    for (int at = 0; at < values.length; at += VALUE_BYTES) {
      source.next(unused, value);
      values[at + Integer.BYTES - 1] = SyntheticRecords.VALUE_BYTES;
      System.arraycopy(value, 0, values, at + Integer.BYTES, value.length);
    }
  }

  /** How many there are. */
  long count() {
    return count;
  }

  @Override
  public boolean next() {
    if (given == count) {
      return false;
    }
    while (inRow == row.length) {
      nextRow();
    }
    key[key.length - 1] = row[inRow++];
    keyBuffer.reset(key, 0, key.length);
    valueBuffer.reset(values, (int) (given % VALUES) * VALUE_BYTES, VALUE_BYTES);
    if (++given % RECORDS_PER_UPDATE == 0) {
      progress.set((float) given / count);
    }
    return true;
  }

  private void nextRow() {
    if (second == SYMBOLS) {
      nextPrefix();
      second = 0;
    }
    int symbol = ' ' + second++;
    key[key.length - 2] = (byte) symbol;
    int hash = HASH_FACTOR * (HASH_FACTOR * prefixHash + symbol) + ' ' & Integer.MAX_VALUE;
    // A row in which the hash begins at 0 again is left out: shares do not follow there.
    row = hash > Integer.MAX_VALUE - SYMBOLS ? new byte[0] : rows[hash % shares];
    inRow = 0;
  }

  private void nextPrefix() {
    long prefix = prefixes++ * stride + random.nextLong(stride);
    for (int i = 0; i < PREFIX_BYTES; i++) {
      int symbol = (int) (prefix >>> PREFIX_BITS - (i + 1) * BITS_PER_SYMBOL) & SYMBOLS - 1;
      key[Integer.BYTES + i] = (byte) (' ' + symbol);
    }
    prefixHash = WritableComparator.hashBytes(key, Integer.BYTES, PREFIX_BYTES);
  }

  @Override
  public DataInputBuffer getKey() {
    return keyBuffer;
  }

  @Override
  public DataInputBuffer getValue() {
    return valueBuffer;
  }

  @Override
  public void close() {
    // Nothing is open.
  }

  @Override
  public Progress getProgress() {
    return progress;
  }
}
