package dev.sailfish.workbuilder.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyComparator;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.IndexSummary;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ReducePlannerTest {
  private static final GroupOrder ORDER =
      new GroupOrder(KeyOrder.normalized(KeyEncoding.RAW), null);
  private static final long MAX = Long.MAX_VALUE;

  private final SplittableRandom random = new SplittableRandom(1);

  /** A chunk of one run: an entry of 10 records and 100 bytes for each key. */
  private static ChunkIndex chunk(long id, String... keys) {
    List<IndexSummary.Entry> entries = new ArrayList<>();
    for (String key : keys) {
      entries.add(new IndexSummary.Entry(0, bytes(key), 10, 100));
    }
    return new ChunkIndex(id, entries);
  }

  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static PartitionData partition(ChunkIndex... chunks) {
    int entries = 0;
    for (ChunkIndex chunk : chunks) {
      entries += chunk.entries() == null ? 1 : chunk.entries().size();
    }
    return new PartitionData(10L * entries, 100L * entries, List.of(chunks));
  }

  private static PartitionData small(long bytes) {
    return new PartitionData(bytes, bytes, List.of());
  }

  private static ReducePlan plan(long target, PartitionData... partitions) {
    ReducePolicy policy = ReducePolicy.auto(WorkTarget.given(target), 1000);
    return ReducePlanner.plan(List.of(partitions), ORDER, policy);
  }

  private static List<String> borders(ReducePlan plan) {
    return plan.works().stream()
        .filter(work -> work.to() != null)
        .map(work -> new String(work.to(), StandardCharsets.ISO_8859_1))
        .toList();
  }

  @Test
  void shouldCutAtTheSharesOfAllRunsTogether() {
    ReducePlan plan = plan(200, partition(chunk(1, "a", "c", "e"), chunk(2, "b", "d", "f")));
    assertThat(borders(plan)).containsExactly("c", "e");
    assertThat(plan.works()).extracting(ReduceWork::rawBytes).containsExactly(200L, 200L, 200L);
    assertThat(plan.works()).extracting(ReduceWork::records).containsExactly(20L, 20L, 20L);
    // Of the second run [b, d) reaches into [c, e), of the first [a, c) may have keys that are c.
    assertThat(plan.works()).extracting(ReduceWork::maxRawBytes).containsExactly(200L, 400L, 400L);
    assertThat(plan.works()).extracting(ReduceWork::piece).containsExactly("0.0", "0.1", "0.2");
  }

  @Test
  void shouldGiveAHeavyKeyAPieceOfItsOwn() {
    ReducePlan plan = plan(250, partition(chunk(1, "a", "b", "b", "b", "b", "c", "d")));
    assertThat(borders(plan)).containsExactly("b", "b\0");
    assertThat(plan.heavyKeys()).containsExactly(new HeavyKey(0, "\"b\"", 300));
    assertThat(plan.works()).extracting(ReduceWork::rawBytes).containsExactly(100L, 400L, 200L);
  }

  @Test
  void shouldNameAHeavyKeyThatIsThePartition() {
    ReducePlan plan = plan(250, partition(chunk(1, "b", "b", "b", "b")));
    assertThat(plan.works()).hasSize(1);
    assertThat(plan.heavyKeys()).containsExactly(new HeavyKey(0, "\"b\"", 300));
    assertThat(plan.refusals()).containsExactly(new Refusal(0, "its index has no key to cut at"));
  }

  @Test
  void shouldNotTakeWhatIsCutOffForAKey() {
    String cut = "k".repeat(RunDescriptor.MAX_KEY_LENGTH);
    ReducePlan plan = plan(250, partition(chunk(1, "a", cut, cut, cut, cut, cut, "z")));
    assertThat(plan.heavyKeys()).isEmpty();
    assertThat(borders(plan)).containsExactly(cut, "z");
  }

  @Test
  void shouldCoalesceNeighboursUpToTheTarget() {
    ReducePlan plan = plan(100, small(60), small(40), small(0), small(1), small(100), small(0));
    assertThat(plan.works()).extracting(ReduceWork::firstPartition).containsExactly(0, 3, 4);
    assertThat(plan.works()).extracting(ReduceWork::rawBytes).containsExactly(100L, 1L, 100L);
  }

  @Test
  void shouldNotCoalesceAcrossWhatStaysApartOrWasSplit() {
    PartitionData apart = new PartitionData(1, 1, 0, 0, List.of(), null, "bucketed");
    ReducePlan plan =
        plan(
            200, small(1), small(1), apart, small(1), partition(chunk(1, "a", "b", "c")), small(1));
    assertThat(plan.works())
        .extracting(ReduceWork::firstPartition)
        .containsExactly(0, 2, 3, 4, 4, 5);
    assertThat(plan.works())
        .extracting(ReduceWork::lastPartition)
        .containsExactly(1, 2, 3, 4, 4, 5);
  }

  @Test
  void shouldSayWhyAPartitionStaysWhole() {
    ReducePlan plan =
        plan(
            100,
            new PartitionData(
                2, 200, 0, 0, List.of(chunk(1, "a", "b")), "keys are encrypted", null),
            partition(chunk(2, "a", "b"), ChunkIndex.missing(3)),
            new PartitionData(99, 999, List.of(chunk(4, "a", "b"))),
            partition(chunk(5, "b", "a")));
    assertThat(plan.works()).hasSize(4);
    assertThat(plan.refusals())
        .extracting(Refusal::reason)
        .satisfiesExactly(
            reason -> assertThat(reason).isEqualTo("keys are encrypted"),
            reason -> assertThat(reason).isEqualTo("the index of chunk 3 is missing"),
            reason -> assertThat(reason).contains("its index has 200 bytes, of 999"),
            reason -> assertThat(reason).contains("not in the order of the keys"));
  }

  @Test
  void shouldKeepWholeWhatAComparatorCannotOrder() {
    KeyComparator failing =
        (left, leftAt, leftLength, right, rightAt, rightLength) -> {
          throw new NoClassDefFoundError("user\nclass " + "x".repeat(1000));
        };
    PartitionData data = partition(chunk(1, "a", "b", "c"));
    for (GroupOrder order :
        List.of(
            new GroupOrder(KeyOrder.of(failing), null),
            new GroupOrder(KeyOrder.normalized(KeyEncoding.RAW), failing))) {
      ReducePolicy policy = ReducePolicy.auto(WorkTarget.given(100), 9);
      ReducePlan plan = ReducePlanner.plan(List.of(data), order, policy);
      assertThat(plan.works()).hasSize(1);
      assertThat(plan.refusals().get(0).reason()).contains("user class x").hasSize(200);
    }
  }

  @Test
  void shouldKeepWholeWhatServersHaveNoKeysOf() {
    List<IndexSummary.Entry> entries =
        Collections.nCopies(3, new IndexSummary.Entry(0, null, 10, 100));
    PartitionData data = new PartitionData(30, 300, List.of(new ChunkIndex(1, entries)));
    KeyComparator unasked =
        (left, leftAt, leftLength, right, rightAt, rightLength) -> {
          throw new AssertionError("there is no key");
        };
    for (KeyOrder keys : List.of(KeyOrder.normalized(KeyEncoding.RAW), KeyOrder.of(unasked))) {
      ReducePlan plan =
          ReducePlanner.plan(
              List.of(data),
              new GroupOrder(keys, null),
              ReducePolicy.auto(WorkTarget.given(100), 9));
      assertThat(plan.refusals()).containsExactly(new Refusal(0, "its index has no key to cut at"));
    }
  }

  @Test
  void shouldTakeAnEmptyKeyForAKey() {
    KeyComparator byLength =
        (left, leftAt, leftLength, right, rightAt, rightLength) -> leftLength - rightLength;
    ReducePlan plan =
        ReducePlanner.plan(
            List.of(partition(chunk(1, "", "x", "yy", "zzz"))),
            new GroupOrder(KeyOrder.of(byLength), null),
            ReducePolicy.auto(WorkTarget.given(100), 9));
    assertThat(borders(plan)).containsExactly("x", "yy", "zzz");
  }

  /** Each would be read nearly as a whole for each piece, and its first key says little. */
  @Test
  void shouldNotCutManyShortRunsOfAComparator() {
    KeyOrder backwards =
        KeyOrder.of(
            (left, leftAt, leftLength, right, rightAt, rightLength) ->
                ORDER.keys().compare(right, rightAt, rightLength, left, leftAt, leftLength));
    String[] shortRun = {"g", "d", "a"};
    String[] longRun = {"h", "f", "d", "b"};
    assertThat(refusals(backwards, shortRun, shortRun, longRun))
        .containsExactly(
            new Refusal(0, "its sorted blocks are too short to be read by ranges of keys"));
    assertThat(refusals(backwards, shortRun, longRun, longRun)).isEmpty();
    assertThat(refusals(ORDER.keys(), new String[] {"a", "d"}, new String[] {"b", "c"})).isEmpty();
  }

  private static List<Refusal> refusals(KeyOrder keys, String[]... runs) {
    List<ChunkIndex> chunks = new ArrayList<>();
    for (String[] run : runs) {
      chunks.add(chunk(chunks.size() + 1L, run));
    }
    return ReducePlanner.plan(
            List.of(partition(chunks.toArray(new ChunkIndex[0]))),
            new GroupOrder(keys, null),
            ReducePolicy.auto(WorkTarget.given(200), 9))
        .refusals();
  }

  @Test
  void shouldScaleToTheWinners() {
    PartitionData data =
        new PartitionData(20, 300, List.of(chunk(1, "a", "b"), chunk(2, "c", "d")));
    ReducePlan plan = plan(150, data);
    assertThat(plan.works()).extracting(ReduceWork::rawBytes).containsExactly(150L, 150L);
    assertThat(plan.works()).extracting(ReduceWork::records).containsExactly(10L, 10L);
    assertThat(plan.works()).extracting(ReduceWork::maxRawBytes).containsExactly(200L, 300L);
  }

  @Test
  void shouldRaiseTheTargetUntilThereAreFewEnough() {
    PartitionData data = partition(chunk(1, "a", "b", "c", "d", "e", "f", "g", "h"));
    ReducePolicy policy = ReducePolicy.auto(WorkTarget.given(100), 3);
    ReducePlan plan = ReducePlanner.plan(List.of(data, small(50)), ORDER, policy);
    assertThat(plan.works()).hasSize(3);
    assertThat(plan.target().reason()).contains("at most 3 reduce tasks; before: 100 B as given");
    ReducePolicy apart = new ReducePolicy(WorkTarget.given(100), 1, true, false);
    ReducePlan exceeding = ReducePlanner.plan(List.of(data, small(50)), ORDER, apart);
    assertThat(exceeding.works()).hasSize(2);
    assertThat(exceeding.target().reason()).contains("which partitions that stay apart exceed");
  }

  @Test
  void shouldDropRefusalsThatARaisedTargetDoesNotNeed() {
    ReducePolicy policy = ReducePolicy.auto(WorkTarget.given(100), 1);
    PartitionData data = partition(ChunkIndex.missing(1), ChunkIndex.missing(2));
    assertThat(ReducePlanner.plan(List.of(data, data), ORDER, policy).refusals()).isEmpty();
  }

  @Test
  void shouldPlanAJobWithoutPartitions() {
    assertThat(plan(100).works()).isEmpty();
    assertThat(PlanText.summary(plan(100)))
        .startsWith("0 partitions, 0 B -> 0 reduce tasks of 0 B");
  }

  /** Chunks of {@code entries} random keys of eight bytes, an entry of 1 MiB each. */
  private PartitionData uniform(int chunks, int entries, long id) {
    List<ChunkIndex> indexes = new ArrayList<>();
    for (int chunk = 0; chunk < chunks; chunk++) {
      List<byte[]> keys = new ArrayList<>();
      for (int entry = 0; entry < entries; entry++) {
        byte[] key = new byte[8];
        random.nextBytes(key);
        keys.add(key);
      }
      keys.sort(Arrays::compareUnsigned);
      indexes.add(
          new ChunkIndex(
              id + chunk,
              keys.stream().map(key -> new IndexSummary.Entry(0, key, 1000, 1 << 20)).toList()));
    }
    long all = (long) chunks * entries;
    return new PartitionData(1000 * all, all << 20, indexes);
  }

  /**
   * The paper's LogRead: 4.5 GB in each of the first 200 partitions, 0.5 GB in the others; 1.8 GB.
   */
  @Test
  void shouldGiveThreeWorksToThePartitionsOfThePaperThatAreHeavy() {
    List<PartitionData> partitions = new ArrayList<>();
    for (int partition = 0; partition < 512; partition++) {
      partitions.add(uniform(partition < 200 ? 9 : 1, 60, partition * 10L));
    }
    WorkTarget target = WorkTarget.given(partitions.get(0).rawBytes() * 2 / 5);
    ReducePolicy policy = new ReducePolicy(target, 1000, true, false);
    ReducePlan plan = ReducePlanner.plan(partitions, ORDER, policy);
    assertThat(plan.works()).hasSize(3 * 200 + 312);
    for (ReduceWork work : plan.works()) {
      assertThat(work.isWhole()).isEqualTo(work.firstPartition() >= 200);
      assertThat(work.range()).isLessThan(3);
    }
  }

  /**
   * Well under a second when it has the core to itself; the bound tells a wrong order of growth.
   */
  @Test
  @Timeout(value = 20, unit = TimeUnit.SECONDS)
  void shouldPlanTwoMillionEntriesSoon() {
    PartitionData one = uniform(512, 8, 0);
    ReducePolicy policy = ReducePolicy.auto(WorkTarget.given(one.rawBytes() / 100), 20_000);
    ReducePlan plan = ReducePlanner.plan(Collections.nCopies(512, one), ORDER, policy);
    assertThat(plan.works()).hasSizeBetween(19_000, 20_000);
    assertThat(plan.target().bytes()).isGreaterThan(policy.target().bytes()).isLessThan(MAX);
  }
}
