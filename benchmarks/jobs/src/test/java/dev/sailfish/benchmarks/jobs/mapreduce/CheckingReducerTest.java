package dev.sailfish.benchmarks.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.mapreduce.Counters;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the reducer of the partitioned sort finds wrong, for each kind of reduce work. */
@Seeded
class CheckingReducerTest {
  private static final int PARTITIONS = 5;
  private static final int RECORDS = 2_000;
  private static final int OWN = 3;

  /** A record and where it belongs. */
  private record Row(int partition, byte[] key, byte[] value) {
    long hash() {
      return SyntheticRecords.hash(key, value);
    }
  }

  private final List<Row> rows = new ArrayList<>();
  private final Configuration configuration = new Configuration(false);

  /** All records of a job in the order (partition, key). */
  @BeforeEach
  void generate(Seed seed) {
    configuration.setInt("partitioned.sort.partitions", PARTITIONS);
    configuration.setInt(HeavyPartitioner.HEAVY, 1);
    HeavyPartitioner partitioner = new HeavyPartitioner();
    partitioner.setConf(configuration);
    SyntheticRecords source = new SyntheticRecords(seed.value());
    for (int i = 0; i < RECORDS; i++) {
      byte[] key = new byte[SyntheticRecords.KEY_BYTES];
      byte[] value = SyntheticRecords.newValue();
      source.next(key, value);
      rows.add(
          new Row(partitioner.getPartition(new BytesWritable(key), null, PARTITIONS), key, value));
    }
    rows.sort(Comparator.comparingInt(Row::partition).thenComparing(Row::key, Arrays::compare));
  }

  private List<Row> of(int first, int last) {
    return new ArrayList<>(
        rows.stream().filter(row -> row.partition() >= first && row.partition() <= last).toList());
  }

  private void assign(int first, int last) {
    configuration.setInt("sailfish.reduce.work.first.partition", first);
    configuration.setInt("sailfish.reduce.work.last.partition", last);
  }

  private Counters reduce(List<Row> input) throws Exception {
    ReduceInput records = new ReduceInput(configuration, OWN);
    for (Row row : input) {
      records.add(row.key(), row.value());
    }
    return records.reduce(new PartitionedSortJob.CheckingReducer());
  }

  private void assertRight(List<Row> input) throws Exception {
    Counters counters = reduce(input);
    assertThat(input).isNotEmpty();
    assertThat(value(counters, Check.REDUCE_RECORDS)).isEqualTo(input.size());
    assertThat(value(counters, Check.REDUCE_HASH_SUM))
        .isEqualTo(input.stream().mapToLong(Row::hash).sum());
    assertMistakes(counters, 0, 0);
  }

  private static void assertMistakes(Counters counters, int outOfOrder, int wrongPartition) {
    assertThat(value(counters, Check.OUT_OF_ORDER)).as("out of order").isEqualTo(outOfOrder);
    assertThat(value(counters, Check.WRONG_PARTITION)).as("partition").isEqualTo(wrongPartition);
    assertThat(value(counters, Check.WRONG_SIZE)).as("size").isZero();
  }

  private static long value(Counters counters, Check check) {
    return counters.findCounter(check).getValue();
  }

  @Test
  void withoutAPlanTheNumberOfTheTaskIsItsPartition() throws Exception {
    assertRight(of(OWN, OWN));
    assertThat(value(reduce(of(OWN + 1, OWN + 1)), Check.WRONG_PARTITION)).isPositive();
  }

  @Test
  void aPartOfAPartitionIsRight(SplittableRandom random) throws Exception {
    assign(0, 0);
    List<Row> partition = of(0, 0);
    int begin = random.nextInt(partition.size() / 2);
    assertRight(partition.subList(begin, partition.size() / 2 + 1));
    assertRight(partition.subList(partition.size() / 2, partition.size() - begin));
  }

  @Test
  void severalPartitionsAreRightEachInItsOrder() throws Exception {
    assign(1, PARTITIONS - 1);
    assertRight(of(1, PARTITIONS - 1));
    assertRight(of(1, 1)); // the others are empty
    assertRight(of(2, 2));
  }

  @Test
  void twoKeysThatChangedPlacesAreOutOfOrder(SplittableRandom random) throws Exception {
    assign(1, 2);
    List<Row> work = of(1, 2);
    Collections.swap(work, 0, 1 + random.nextInt(of(1, 1).size() - 1));
    assertThat(value(reduce(work), Check.OUT_OF_ORDER)).isPositive();
  }

  @Test
  void partitionsThatChangedPlacesAreSeen() throws Exception {
    assign(1, 2);
    List<Row> work = of(2, 2);
    work.addAll(of(1, 1));
    assertThat(value(reduce(work), Check.WRONG_PARTITION)).isPositive();
  }

  @Test
  void aRecordOfAnotherReduceTaskIsSeen() throws Exception {
    assign(2, 3);
    List<Row> work = of(2, 3);
    work.add(of(4, 4).get(0));
    assertMistakes(reduce(work), 0, 1);
    assertThat(value(reduce(of(1, 3)), Check.WRONG_PARTITION)).isPositive();
  }
}
