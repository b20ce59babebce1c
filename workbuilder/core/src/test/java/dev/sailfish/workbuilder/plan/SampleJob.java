package dev.sailfish.workbuilder.plan;

import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.tail.IndexSummary;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * A job's records as they truly are, and what indexes of a random grain tell of them: partitions
 * that are empty, small, skewed, of one hot key or of one key alone, with losing attempts or
 * without.
 */
final class SampleJob {
  /** A record of partition {@code partition}; losers are in the index and not in the totals. */
  record Sample(int partition, byte[] key, long size, boolean wins) {}

  final List<Sample> records = new ArrayList<>();
  private final SplittableRandom random;
  private final Comparator<byte[]> order;
  private final int shortestKey;
  private final int partitions;

  /** Whether servers do not know the keys of some entries. */
  private final boolean keysMissing;

  SampleJob(SplittableRandom random, Comparator<byte[]> order, int shortestKey) {
    this.random = random;
    this.order = order;
    this.shortestKey = shortestKey;
    partitions = random.nextInt(1, 12);
    boolean hasLosers = random.nextBoolean();
    keysMissing = random.nextInt(4) == 0;
    for (int partition = 0; partition < partitions; partition++) {
      int count = random.nextInt(4) == 0 ? 0 : 1 << random.nextInt(1, 12);
      int distinct = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1 << random.nextInt(1, 14);
      int hot = random.nextInt(3) == 0 ? random.nextInt(2, 10) : 0;
      byte[] hotKey = key(distinct);
      for (int i = 0; i < count; i++) {
        byte[] key = random.nextInt(10) < hot ? hotKey : key(distinct);
        boolean wins = !hasLosers || random.nextInt(5) > 0;
        records.add(new Sample(partition, key, random.nextInt(2, 200), wins));
      }
    }
  }

  /** Keys of a letter or two that group them, and a number; some longer than the index holds. */
  private byte[] key(int distinct) {
    int number = random.nextInt(distinct);
    String text = (char) ('a' + number % 7) + "-" + Integer.toString(number * 31 % 1000, 36);
    byte[] key = text.getBytes(StandardCharsets.ISO_8859_1);
    int length =
        switch (number % 11) {
          case 3 -> RunDescriptor.MAX_KEY_LENGTH - 1 + number % 4;
          case 5 -> shortestKey;
          case 7 -> key.length + 1;
          default -> key.length;
        };
    return Arrays.copyOf(key, length);
  }

  List<Sample> of(int partition) {
    return records.stream().filter(record -> record.partition == partition).toList();
  }

  long winnerBytes(int partition) {
    return of(partition).stream().filter(Sample::wins).mapToLong(Sample::size).sum();
  }

  int partitions() {
    return partitions;
  }

  long winnerBytes() {
    return records.stream().filter(Sample::wins).mapToLong(Sample::size).sum();
  }

  /** What is known of the job, with chunks, runs and entries cut at random. */
  List<PartitionData> data() {
    List<PartitionData> data = new ArrayList<>();
    long chunk = 1;
    for (int partition = 0; partition < partitions; partition++) {
      List<Sample> all = new ArrayList<>(of(partition));
      List<ChunkIndex> chunks = new ArrayList<>();
      int chunkRecords = random.nextInt(1, 1 + Math.max(1, all.size()));
      long grain = 1L << random.nextInt(14);
      for (int from = 0; from < all.size(); from += chunkRecords) {
        List<Sample> part = all.subList(from, Math.min(all.size(), from + chunkRecords));
        chunks.add(index(chunk++, part, random.nextInt(1, 4), grain));
      }
      long records = all.stream().filter(Sample::wins).count();
      data.add(
          new PartitionData(
              records, winnerBytes(partition), 9L * records, -partition, chunks, null, null));
    }
    return data;
  }

  private ChunkIndex index(long chunk, List<Sample> records, int runs, long grain) {
    List<IndexSummary.Entry> entries = new ArrayList<>();
    int length = (records.size() + runs - 1) / runs;
    for (int from = 0, run = 0; from < records.size(); from += length, run++) {
      List<Sample> sorted =
          new ArrayList<>(records.subList(from, Math.min(records.size(), from + length)));
      sorted.sort(Comparator.comparing(Sample::key, order));
      addRun(entries, run, sorted, grain);
    }
    return new ChunkIndex(chunk, entries);
  }

  private void addRun(List<IndexSummary.Entry> entries, int run, List<Sample> sorted, long grain) {
    for (int at = 0; at < sorted.size(); ) {
      byte[] key = sorted.get(at).key;
      int first = at;
      long bytes = 0;
      while (at < sorted.size() && (at == first || bytes < grain)) {
        bytes += sorted.get(at++).size;
      }
      byte[] cut = Arrays.copyOf(key, Math.min(key.length, RunDescriptor.MAX_KEY_LENGTH));
      byte[] known = keysMissing && random.nextInt(4) == 0 ? null : cut;
      entries.add(new IndexSummary.Entry(run, known, at - first, bytes));
    }
  }

  /** The same with the chunks of each partition in another order. */
  static List<PartitionData> shuffled(List<PartitionData> data, long seed) {
    List<PartitionData> shuffled = new ArrayList<>();
    for (PartitionData partition : data) {
      List<ChunkIndex> chunks = new ArrayList<>(partition.chunks());
      Collections.shuffle(chunks, new Random(seed));
      shuffled.add(
          new PartitionData(
              partition.records(),
              partition.rawBytes(),
              partition.recordBytes(),
              partition.checksum(),
              chunks,
              null,
              null));
    }
    return shuffled;
  }
}
