package dev.sailfish.benchmarks.simulations.twolevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each of the paper's equations, with each of its terms as the smallest one. */
class StorageModelTest {
  private static final double NO_LIMIT = Double.POSITIVE_INFINITY;
  private static final Offset<Double> ROUNDING = within(1e-9);
  private static final ComputeNode NODE = new ComputeNode(240, 120, 6000, 1200);

  private static StorageModel model(double backplane, double parallel) {
    return new StorageModel(NODE, backplane, parallel);
  }

  /** As {@link #NODE}, with disks that are faster than its network. */
  private static StorageModel fastDisks(double backplane) {
    return new StorageModel(new ComputeNode(5000, 9000, 6000, 1200), backplane, 10_000);
  }

  @Test
  void equation1IsTheDiskWhereTheDataIs() {
    assertThat(model(10, 10_000).hdfsLocalRead()).isEqualTo(240);
  }

  @Test
  void equation1FromOtherNodesIsDiskInterfaceOrBackplane() {
    assertThat(model(NO_LIMIT, 10_000).hdfsRemoteRead(8)).as("disk").isEqualTo(240);
    assertThat(fastDisks(NO_LIMIT).hdfsRemoteRead(8)).as("interface").isEqualTo(1200);
    assertThat(model(800, 10_000).hdfsRemoteRead(8)).as("backplane").isEqualTo(100);
  }

  @Test
  void equation2WritesThreeCopiesToDisksAndTwoToTheNetwork() {
    assertThat(model(NO_LIMIT, 10_000).hdfsWrite(8)).as("disk").isEqualTo(40);
    assertThat(fastDisks(NO_LIMIT).hdfsWrite(8)).as("interface").isEqualTo(600);
    assertThat(model(160, 10_000).hdfsWrite(8)).as("backplane").isEqualTo(10);
  }

  @Test
  void equation3IsInterfaceBackplaneOrTheShareOfTheParallelFileSystem() {
    assertThat(model(NO_LIMIT, 10_000).parallel(4)).as("interface").isEqualTo(1200);
    assertThat(model(NO_LIMIT, 10_000).parallel(20)).as("its share").isEqualTo(500);
    assertThat(model(4000, 10_000).parallel(20)).as("backplane").isEqualTo(200);
  }

  @Test
  void equation3IsWhatDataNodesHaveOfInterfacesOrOfDisks() {
    assertThat(StorageModel.parallelMbPerS(2, 1200, 400)).as("disks").isEqualTo(800);
    assertThat(StorageModel.parallelMbPerS(2, 1200, 2000)).as("interfaces").isEqualTo(2400);
  }

  @Test
  void equations4And5AreTheMemoryOrTheNetworkToIt() {
    StorageModel model = model(8000, 10_000);
    assertThat(model.memoryLocalRead()).isEqualTo(6000);
    assertThat(model.memoryWrite()).isEqualTo(6000);
    assertThat(model.memoryRemoteRead(4)).as("interface").isEqualTo(1200);
    assertThat(model.memoryRemoteRead(80)).as("backplane").isEqualTo(100);
    StorageModel slow = new StorageModel(new ComputeNode(1, 1, 300, 1200), NO_LIMIT, 10_000);
    assertThat(slow.memoryRemoteRead(4)).as("memory").isEqualTo(300);
  }

  @Test
  void equation6IsTheParallelFileSystemUnlessMemoryIsSlower() {
    assertThat(model(NO_LIMIT, 10_000).twoLevelWrite(20)).isEqualTo(500);
    StorageModel slow = new StorageModel(new ComputeNode(1, 1, 300, 1200), NO_LIMIT, 10_000);
    assertThat(slow.twoLevelWrite(20)).isEqualTo(300);
  }

  @Test
  void equation7IsTheTimeForBothParts() {
    StorageModel model = model(NO_LIMIT, 10_000);
    // Of 6000 MB half takes 0.5 s from memory, and half 6 s from the parallel file system.
    assertThat(model.twoLevelRead(20, 0.5)).isCloseTo(6000 / 6.5, ROUNDING);
    assertThat(model.twoLevelRead(20, 0)).isCloseTo(model.parallel(20), ROUNDING);
    assertThat(model.twoLevelRead(20, 1)).isCloseTo(model.memoryLocalRead(), ROUNDING);
  }

  @Test
  void equation7GrowsWithThePartInMemory() {
    StorageModel model = model(NO_LIMIT, 10_000);
    double before = 0;
    for (double share = 0; share <= 1; share += 0.125) {
      double throughput = model.twoLevelRead(20, share);
      assertThat(throughput).isGreaterThan(before);
      before = throughput;
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void throughputsAreAboveZero(double wrong) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ComputeNode(wrong, 1, 1, 1))
        .withMessageStartingWith("local disk, read: ")
        .withMessageEndingWith("not " + wrong);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ComputeNode(1, wrong, 1, 1))
        .withMessageStartingWith("local disk, write: ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ComputeNode(1, 1, wrong, 1))
        .withMessageStartingWith("memory: ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ComputeNode(1, 1, 1, wrong))
        .withMessageStartingWith("network interface: ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> model(NO_LIMIT, wrong))
        .withMessageStartingWith("parallel file system: ");
  }

  @Test
  void theBackplaneAloneMayBeWithoutLimit() {
    assertThat(model(NO_LIMIT, 1).parallel(1)).isEqualTo(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> model(0, 1))
        .withMessage("backplane: a throughput is above 0 MB/s, not 0.0");
  }

  @Test
  void thereIsAtLeastOneNodeOfEachKind() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> model(NO_LIMIT, 1).parallel(0))
        .withMessage("compute nodes: at least 1, not 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StorageModel.parallelMbPerS(0, 1, 1))
        .withMessage("data nodes: at least 1, not 0");
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
  void theShareInMemoryIsAPartOfTheData(double wrong) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> model(NO_LIMIT, 1).twoLevelRead(1, wrong))
        .withMessage("share in memory: from 0 to 1, not " + wrong);
  }
}
