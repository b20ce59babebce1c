package dev.sailfish.benchmarks.jobs.workload;

import static dev.sailfish.benchmarks.jobs.workload.Contender.SAILFISH;
import static dev.sailfish.benchmarks.jobs.workload.Contender.STOCK;
import static dev.sailfish.benchmarks.jobs.workload.Contender.STOCK_TUNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.client.MasterChoice;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.localcluster.client.Shuffle;
import dev.sailfish.localcluster.client.WarmTasks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BenchPlanTest {
  private static final String SLOW_START = "mapreduce.job.reduce.slowstart.completedmaps";

  private static BenchPlan plan(int mb, int maps, Codec codec) {
    return plan(mb, maps, codec, Map.of());
  }

  private static BenchPlan plan(int mb, int maps, Codec codec, Map<String, String> settings) {
    return new BenchPlan(mb, maps, 8, List.of(STOCK, SAILFISH), 2, codec, settings);
  }

  @Test
  void sortBufferHoldsTheOutputOfOneMap() {
    assertThat(plan(0, 8, Codec.NONE).sortBufferMb()).isEqualTo(256);
    assertThat(plan(1_000, 8, Codec.NONE).sortBufferMb()).isEqualTo(256);
    assertThat(plan(4_000, 16, Codec.NONE).sortBufferMb()).isEqualTo(448);
    assertThat(plan(4_000, 8, Codec.NONE).sortBufferMb()).isEqualTo(640);
    assertThat(plan(4_000, 4, Codec.NONE).sortBufferMb()).isEqualTo(900);
  }

  @Test
  void aMegabyteIsTenThousandRecords() {
    assertThat(plan(1_000, 8, Codec.NONE).records()).isEqualTo(10_000_000);
  }

  @Test
  void contendersDifferInTheShuffleAlone() {
    BenchPlan plan = plan(100, 2, Codec.LZ4, Map.of(SLOW_START, "0.05", "mine", "yes"));
    Map<String, String> stock = plan.configuration(STOCK);
    Map<String, String> sailfish = plan.configuration(SAILFISH);
    assertThat(sailfish)
        .containsAllEntriesOf(stock)
        .containsAllEntriesOf(Shuffle.SAILFISH.configuration());
    assertThat(sailfish).hasSize(stock.size() + Shuffle.SAILFISH.configuration().size());
    assertThat(plan(100, 2, Codec.LZ4).configuration(STOCK)).containsEntry(SLOW_START, "1.0");
    assertThat(stock)
        .containsEntry(SLOW_START, "0.05")
        .containsEntry("mine", "yes")
        .containsEntry(
            "mapreduce.map.output.compress.codec", "org.apache.hadoop.io.compress.Lz4Codec");
  }

  @Test
  void warmContendersDifferInMasterAndTasksAlone() {
    List<Contender> all = List.of(Contender.values());
    BenchPlan plan = new BenchPlan(100, 2, 8, all, 1, Codec.NONE, Map.of());
    assertThat(plan.configuration(SAILFISH)).doesNotContainKey(WarmTasks.KEY);
    Map<String, String> expected = new HashMap<>(plan.configuration(SAILFISH));
    expected.putAll(ReduceWork.FIXED.configuration());
    for (Contender contender :
        List.of(Contender.SAILFISH_ISOLATED, Contender.SAILFISH_SHARED, Contender.SAILFISH_COLD)) {
      expected.put(
          WarmTasks.KEY,
          contender == Contender.SAILFISH_COLD
              ? "off"
              : contender.toString().replace("sailfish-", ""));
      assertThat(plan.configuration(contender)).isEqualTo(expected);
    }
    assertThatThrownBy(
            () -> new BenchPlan(1, 1, 1, all, 1, Codec.NONE, Map.of(WarmTasks.KEY, "off")))
        .hasMessageContaining("-D " + WarmTasks.KEY);
    assertThat(plan(1, 1, Codec.NONE, Map.of(WarmTasks.KEY, "off")).configuration(SAILFISH))
        .containsEntry(WarmTasks.KEY, "off");
  }

  @Test
  void theCommandsMasterIsOfSailfishAlone() {
    MasterChoice master = new MasterChoice(ReduceWork.AUTO, Optional.of(WarmTasks.SHARED));
    BenchPlan plan =
        new BenchPlan(1, 1, 1, List.of(Contender.values()), 1, Codec.NONE, master, Map.of());
    assertThat(plan.configuration(SAILFISH)).containsAllEntriesOf(master.configuration());
    assertThat(plan.configuration(Contender.SAILFISH_COLD))
        .containsAllEntriesOf(ReduceWork.AUTO.configuration())
        .containsEntry(WarmTasks.KEY, "off");
    assertThat(plan.configuration(STOCK)).doesNotContainKeys(WarmTasks.KEY);
    assertThat(plan.withoutRecords().configuration(SAILFISH))
        .containsAllEntriesOf(master.configuration());
  }

  @Test
  void tunedStockKeepsTheInputOfReducersInTheirHeapWhereItFits() {
    String key = "mapreduce.reduce.input.buffer.percent";
    List<Contender> all = List.of(STOCK, STOCK_TUNED, SAILFISH);
    BenchPlan fits = new BenchPlan(1_000, 8, 8, all, 1, Codec.NONE, Map.of());
    assertThat(fits.reducerInputFits()).isTrue();
    assertThat(fits.configuration(STOCK_TUNED)).containsEntry(key, "0.7");
    assertThat(fits.configuration(STOCK)).doesNotContainKey(key);
    assertThat(fits.configuration(SAILFISH)).doesNotContainKey(key);
    BenchPlan large = new BenchPlan(8_000, 8, 8, all, 1, Codec.NONE, Map.of());
    assertThat(large.reducerInputFits()).as("1 GB in a heap of 1500 MB").isFalse();
    assertThat(large.configuration(STOCK_TUNED)).isEqualTo(large.configuration(STOCK));
    String heap = "mapreduce.reduce.java.opts";
    assertThat(
            new BenchPlan(8_000, 8, 8, all, 1, Codec.NONE, Map.of(heap, "-Xmx4g -ea"))
                .reducerInputFits())
        .isTrue();
    assertThatThrownBy(
            () ->
                new BenchPlan(1, 1, 1, all, 1, Codec.NONE, Map.of(heap, "-ea")).reducerInputFits())
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("-Xmx");
    assertThatThrownBy(() -> new BenchPlan(1, 1, 1, all, 1, Codec.NONE, Map.of(key, "0.1")))
        .hasMessageContaining("-D " + key);
    assertThat(plan(1_000, 8, Codec.NONE, Map.of(key, "0.1")).configuration(STOCK))
        .containsEntry(key, "0.1");
  }

  @Test
  void everyOtherRoundRunsBackwards() {
    assertThat(plan(1, 1, Codec.NONE).order(1)).containsExactly(STOCK, SAILFISH);
    assertThat(plan(1, 1, Codec.NONE).order(2)).containsExactly(SAILFISH, STOCK);
  }

  @Test
  void refusesWhatCannotBeRun() {
    assertThatThrownBy(() -> plan(-1, 1, Codec.NONE))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("--mb");
    assertThatThrownBy(() -> plan(1, 0, Codec.NONE)).hasMessageContaining("--maps");
    assertThatThrownBy(() -> plan(1, 1, Codec.ZSTD)).hasMessageContaining("zstd");
    String own = Shuffle.SAILFISH.configuration().keySet().iterator().next();
    assertThatThrownBy(() -> plan(1, 1, Codec.NONE, Map.of(own, "x")))
        .hasMessageContaining("-D " + own);
  }
}
