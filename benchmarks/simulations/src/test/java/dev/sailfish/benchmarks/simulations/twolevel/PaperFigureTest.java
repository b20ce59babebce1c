package dev.sailfish.benchmarks.simulations.twolevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbers that section 4.5 of the paper reads off its figure 5, with 1 GB as 1000 MB. */
class PaperFigureTest {
  private static final ComputeNode NODE = new ComputeNode(237, 116, 6267, 1170);

  private static StorageModel model(double parallelGbPerS) {
    return new StorageModel(NODE, Double.POSITIVE_INFINITY, 1000 * parallelGbPerS);
  }

  private static int fewestNodes(IntToDoubleFunction hdfs, IntToDoubleFunction other) {
    return Crossing.find(hdfs, other).orElseThrow().nodes();
  }

  @ParameterizedTest(name = "{0} GB/s: {1} nodes")
  @CsvSource({"10, 43", "50, 211"})
  void hdfsReadsMoreThanTheParallelFileSystem(double parallelGbPerS, int nodes) {
    StorageModel model = model(parallelGbPerS);
    assertThat(fewestNodes(any -> model.hdfsLocalRead(), model::parallel)).isEqualTo(nodes);
  }

  @ParameterizedTest(name = "{0} GB/s, f = {1}: {2} nodes")
  @CsvSource({"10, 0.2, 53", "10, 0.5, 83", "50, 0.2, 262", "50, 0.5, 414"})
  void hdfsReadsMoreThanTwoLevels(double parallelGbPerS, double memoryShare, int nodes) {
    StorageModel model = model(parallelGbPerS);
    assertThat(
            fewestNodes(
                any -> model.hdfsLocalRead(), count -> model.twoLevelRead(count, memoryShare)))
        .isEqualTo(nodes);
  }

  @ParameterizedTest(name = "{0} GB/s: {1} nodes")
  @CsvSource({"10, 259", "50, 1294"})
  void hdfsWritesMoreThanTheOthers(double parallelGbPerS, int nodes) {
    StorageModel model = model(parallelGbPerS);
    assertThat(fewestNodes(model::hdfsWrite, model::parallel)).isEqualTo(nodes);
    assertThat(fewestNodes(model::hdfsWrite, model::twoLevelWrite)).isEqualTo(nodes);
  }

  /** From 10 to 12.5 and 19.6 GB/s, from 50 to 62 and 98 GB/s: where HDFS overtakes them. */
  @ParameterizedTest(name = "{0} GB/s, f = {1}: {2} %, {3} GB/s")
  @CsvSource({"10, 0.2, 25, 12.5", "10, 0.5, 95, 19.6", "50, 0.2, 25, 62", "50, 0.5, 95, 98"})
  void twoLevelsGainOverTheParallelFileSystem(
      double parallelGbPerS, double memoryShare, double gainPercent, double gbPerS) {
    StorageModel model = model(parallelGbPerS);
    Crossing crossing =
        Crossing.find(any -> model.hdfsLocalRead(), count -> model.twoLevelRead(count, memoryShare))
            .orElseThrow();
    double parallelMbPerS = crossing.nodes() * model.parallel(crossing.nodes());
    assertThat(parallelMbPerS).isCloseTo(1000 * parallelGbPerS, within(1e-6));
    assertThat(100 * (crossing.loserMbPerS() / parallelMbPerS - 1))
        .isCloseTo(gainPercent, within(2.0));
    assertThat(crossing.loserMbPerS() / 1000).isCloseTo(gbPerS, within(0.15));
  }
}
