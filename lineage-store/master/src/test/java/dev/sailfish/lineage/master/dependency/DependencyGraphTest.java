package dev.sailfish.lineage.master.dependency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.master.dependency.DependencyGraph.Ancestry;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DependencyGraphTest {
  private static final int CHAIN = 100_000;
  private static final int LIMIT = 200;
  private static final int MEASURED = 100_000;
  private static final long STATED_BYTES = 720;

  private final DependencyGraph graph = new DependencyGraph();
  private final List<Long> collected = new ArrayList<>();

  private boolean collect() {
    return graph.collect(LIMIT, dependency -> collected.add(dependency.id()));
  }

  private int collectAll() {
    int rounds = 1;
    while (collect()) {
      rounds++;
    }
    return rounds;
  }

  private static byte[] write(DependencyGraph from) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DependencyImage image = from.image();
    DataOutputStream out = new DataOutputStream(bytes);
    boolean more = true;
    while (more) {
      more = image.writePage(out);
    }
    return bytes.toByteArray();
  }

  private static DependencyGraph read(byte[] bytes) throws IOException {
    DependencyGraph graph = new DependencyGraph();
    graph.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    return graph;
  }

  @Test
  void isKeptWhileAnOutputMayBeLost() {
    Records.link(graph, 1, 2, OutputState.STORED);
    collectAll();
    assertThat(graph.size()).isEqualTo(1);
    graph.move(2, OutputState.BELOW);
    collectAll();
    assertThat(collected).containsExactly(1L);
    assertThat(graph.isOutput(2)).isFalse();
    assertThat(graph.consumers(1)).isEmpty();
    assertThat(graph.outputs()).isZero();
  }

  @Test
  void aDeletedInputIsKeptForItsDescendants() {
    Records.link(graph, 1, 2, OutputState.STORED);
    Records.link(graph, 2, 3, OutputState.STORED);
    graph.move(2, OutputState.DELETED);
    collectAll();
    assertThat(collected).isEmpty();
    assertThat(graph.find(1).output(0).length()).isEqualTo(10);
    graph.move(3, OutputState.BELOW);
    collectAll();
    assertThat(collected).containsExactlyInAnyOrder(1L, 2L);
  }

  @Test
  void whatIsCopiedBelowNeedsNoAncestors() {
    for (int file = 1; file <= 5; file++) {
      Records.link(graph, file, file + 1, OutputState.BELOW);
    }
    Records.link(graph, 6, 7, OutputState.STORED);
    collectAll();
    assertThat(collected).containsExactly(1L, 2L, 3L, 4L);
    graph.move(6, OutputState.DELETED);
    collectAll();
    assertThat(graph.find(5)).as("of the deleted one").isNotNull();
  }

  @Test
  void theEndOfALongChainIsCollectedBitByBit() {
    for (int file = 1; file <= CHAIN; file++) {
      OutputState state = file == CHAIN ? OutputState.STORED : OutputState.DELETED;
      Records.link(graph, file, file + 1, state);
    }
    collectAll();
    assertThat(graph.size()).isEqualTo(CHAIN);
    graph.move(CHAIN + 1, OutputState.DELETED);
    assertThat(collect()).isTrue();
    assertThat(collected).hasSizeBetween(1, LIMIT);
    assertThat(collectAll()).isGreaterThan(CHAIN / LIMIT);
    assertThat(graph.size()).isZero();
    assertThat(collected).hasSize(CHAIN);
  }

  @Test
  void findsAncestorsOfALongChainWithoutRecursion() {
    for (int file = 1; file <= CHAIN; file++) {
      Records.link(graph, file, file + 1, OutputState.STORED);
    }
    List<Long> youngest = List.of(CHAIN + 1L);
    assertThat(graph.ancestry(youngest, Set.of(1L), 10 * CHAIN)).isEqualTo(Ancestry.FOUND);
    assertThat(graph.ancestry(youngest, Set.of(-1L), 10 * CHAIN)).isEqualTo(Ancestry.NOT_FOUND);
    assertThat(graph.ancestry(youngest, Set.of(1L), CHAIN / 2)).isEqualTo(Ancestry.TOO_FAR);
  }

  @Test
  void recordsInAnyOrderCountTheirReaders() {
    Records.link(graph, 2, 3, OutputState.STORED);
    Records.link(graph, 1, 2, OutputState.BELOW);
    collectAll();
    assertThat(graph.size()).as("the first one reads what the second makes").isEqualTo(2);
    graph.move(3, OutputState.BELOW);
    collectAll();
    assertThat(graph.size()).isZero();
  }

  @Test
  void oneOfManyReadersGoes() {
    for (int file = 0; file < 10; file++) {
      Records.link(graph, 1, 100 + file, OutputState.STORED);
    }
    graph.move(104, OutputState.DELETED);
    collectAll();
    assertThat(graph.consumers(1)).containsExactly(1, 2, 3, 4, 6, 7, 8, 9, 10);
  }

  @Test
  void aSnapshotIsWhatThereWas() throws IOException {
    Records.link(graph, 1, 2, OutputState.STORED);
    Records.link(graph, 2, 3, OutputState.LOST);
    Records.link(graph, 3, 4, OutputState.PENDING);
    graph.markNondeterministic(2);
    DependencyImage before = graph.image();
    byte[] bytes = write(graph);
    graph.move(2, OutputState.DELETED);
    graph.move(3, OutputState.RECOMPUTING);
    ByteArrayOutputStream late = new ByteArrayOutputStream();
    before.writePage(new DataOutputStream(late));
    assertThat(late.toByteArray()).isEqualTo(bytes);

    DependencyGraph copy = read(bytes);
    assertThat(write(copy)).isEqualTo(bytes);
    assertThat(copy.state(2)).isEqualTo(OutputState.STORED);
    assertThat(copy.lostAfter(0)).containsExactly(3L);
    assertThat(copy.nondeterministic()).isEqualTo(1);
    assertThat(copy.nextId()).isEqualTo(4);
    assertThat(copy.consumers(3)).containsExactly(3);
  }

  /** The bytes of version 4 of a namespace's snapshot, which later versions must read. */
  @Test
  void theBytesOfASnapshotStay() throws IOException {
    Output first = new Output(0x100000002L, 3, OutputState.STORED, 10, OptionalInt.of(7));
    Output second = Output.pending(0x100000003L, 4);
    graph.add(
        Records.of(
            graph,
            List.of(Input.of(0x100000001L), Input.outside("hdfs:/in", 5, 6)),
            List.of(first, second)));
    String golden =
        "0000000000000001" // last id
            + "00000001"
            + "0000000000000001" // candidates
            + "00000001" // dependencies
            + "0000000000000001"
            + "00"
            + "01"
            + "0005616c696365" // id, flags, wide, alice
            + "00000002"
            + "0000000100000001" // inputs
            + "0000000000000000"
            + "0008686466733a2f696e"
            + "0000000000000005"
            + "0000000000000006"
            + "00000001"
            + "00076a6f622e6a6172"
            + "0040"
            + "6162".repeat(32) // programs
            + "00000003"
            + "010203" // config
            + "00000002" // outputs
            + "0000000100000002"
            + "00000003"
            + "81"
            + "000000000000000a"
            + "00000007"
            + "0000000100000003"
            + "00000004"
            + "00"
            + "0000000000000000"
            + "00000000";
    assertThat(HexFormat.of().formatHex(write(graph))).isEqualTo(golden);
    assertThat(write(read(HexFormat.of().parseHex(golden)))).isEqualTo(write(graph));
  }

  @Test
  void aDamagedSnapshotIsRefused() throws IOException {
    Records.link(graph, 1, 2, OutputState.STORED);
    byte[] bytes = write(graph);
    bytes[bytes.length - 13] = 0x7f; // the state
    assertThatThrownBy(() -> read(bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("damaged");
  }

  @Test
  void aDependencyCostsWhatIsStated() {
    long before = heap();
    DependencyGraph large = new DependencyGraph();
    for (int i = 1; i <= MEASURED; i++) {
      Records.link(large, ((long) i << 32) | 1, ((long) i << 32) | 2, OutputState.STORED);
    }
    double bytes = (double) (heap() - before) / MEASURED;
    Reference.reachabilityFence(large);
    System.out.printf("bytes per dependency: %.1f%n", bytes);
    assertThat(bytes).isBetween(STATED_BYTES * 0.8, STATED_BYTES * 1.1);
  }

  private static long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
