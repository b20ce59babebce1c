package dev.sailfish.lineage.master.dependency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.master.dependency.DependencyGraph.Ancestry;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DependencyGraphTest {
  private static final int CHAIN = 100_000;
  private static final int LIMIT = 200;

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
    return read(bytes, true, true);
  }

  private static DependencyGraph read(byte[] bytes, boolean mayGrow, boolean mayWait)
      throws IOException {
    DependencyGraph graph = new DependencyGraph();
    graph.read(new DataInputStream(new ByteArrayInputStream(bytes)), mayGrow, mayWait);
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
  void aDeletedFileIsNeededWhileSomethingIsLostThatIsMadeOfIt() {
    Records.link(graph, 1, 2, OutputState.DELETED);
    Records.link(graph, 2, 3, OutputState.DELETED);
    Records.link(graph, 3, 4, OutputState.STORED);
    assertThat(graph.lostDescendant(2, CHAIN)).isEqualTo(Ancestry.NOT_FOUND);
    graph.move(4, OutputState.LOST);
    assertThat(graph.lostDescendant(2, CHAIN)).isEqualTo(Ancestry.FOUND);
    assertThat(graph.lostDescendant(2, 0)).isEqualTo(Ancestry.TOO_FAR);
    graph.move(3, OutputState.REVIVING);
    assertThat(graph.lostDescendant(2, CHAIN)).isEqualTo(Ancestry.FOUND);
    graph.move(3, OutputState.REVIVED);
    assertThat(graph.lostDescendant(2, CHAIN)).as("3 is there").isEqualTo(Ancestry.NOT_FOUND);
    assertThat(graph.lostDescendant(3, CHAIN)).isEqualTo(Ancestry.FOUND);
    assertThat(graph.lost()).isEqualTo(1);
    collectAll();
    assertThat(collected).isEmpty();
    graph.move(4, OutputState.BELOW);
    collectAll();
    assertThat(collected).as("one that is made again keeps nothing").hasSize(3);
  }

  @Test
  void ofANarrowDependencyOnlyTheInputAtTheSamePlaceIsNeeded() {
    List<Output> outputs =
        List.of(
            Output.pending(3, Part.of(0)).in(OutputState.STORED),
            Output.pending(4, Part.of(1)).in(OutputState.LOST));
    Dependency.Recipe wide = Records.of(graph, List.of(), outputs).recipe();
    Dependency.Recipe narrow =
        new Dependency.Recipe(
            wide.owner(),
            "",
            Breadth.NARROW,
            List.of(Input.of(1), Input.of(2)),
            wide.programs(),
            wide.config());
    graph.add(new Dependency(graph.nextId(), narrow, outputs, false));
    assertThat(graph.lostDescendant(1, CHAIN)).isEqualTo(Ancestry.NOT_FOUND);
    assertThat(graph.lostDescendant(2, CHAIN)).isEqualTo(Ancestry.FOUND);
  }

  @Test
  void theBlockSizeOfADeletedFileIsKept() throws IOException {
    Records.link(graph, 1, 2, OutputState.STORED);
    Records.link(graph, 2, 3, OutputState.STORED);
    graph.delete(2, 26);
    DependencyGraph copy = read(write(graph));
    assertThat(copy.find(1).blockSizeLog(0)).isEqualTo(26);
    assertThat(copy.find(2).blockSizeLog(0)).isZero();
    assertThat(copy.output(2))
        .isEqualTo(new Output(2, Part.of(0), OutputState.DELETED, 10, OptionalInt.of(7)));
    copy.move(2, OutputState.REVIVING);
    assertThat(copy.find(1).blockSizeLog(0)).isEqualTo(26);
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

  private static final List<Input> INPUTS =
      List.of(Input.of(0x100000001L), Input.outside("hdfs:/in", 5, 6));

  /** The bytes of version 4 of a namespace's snapshot, which later versions must read. */
  @Test
  void theBytesOfASnapshotOfVersion4AreRead() throws IOException {
    Output first = new Output(0x100000002L, Part.of(3), OutputState.STORED, 10, OptionalInt.of(7));
    Output second = Output.pending(0x100000003L, Part.of(4));
    graph.add(Records.of(graph, INPUTS, List.of(first, second)));
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
    assertThat(written(read(HexFormat.of().parseHex(golden), false, false)))
        .isEqualTo(written(graph));
  }

  /** Once all candidates were looked at. */
  private static byte[] written(DependencyGraph of) throws IOException {
    of.collect(100, gone -> {});
    return write(of);
  }

  /** The bytes of version 6, and those of version 5, which later versions must read. */
  @Test
  void theBytesOfASnapshotStay() throws IOException {
    graph.at(4);
    graph.add(Records.of(graph, "job_1", INPUTS, List.of()).growing(5));
    graph.append(
        1,
        new Output(0x100000002L, new Part(true, 3, 1), OutputState.STORED, 10, OptionalInt.of(7)),
        6);
    graph.append(1, Output.pending(0x100000003L, Part.of(4)), 8);
    String last = "0000000000000001"; // id
    String candidates = "00000000";
    String waiting = "00000001" + "0000000000000001" + "0000000000000004"; // since
    String rest =
        "00000001" // dependencies
            + "0000000000000001"
            + "02"
            + "01"
            + "0005616c696365" // id, flags, wide, alice
            + "00056a6f625f31"
            + "0000000000000008" // name, when it grew last
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
            + "c1"
            + "000000000000000a"
            + "00000007"
            + "00000001"
            + "0000000100000003"
            + "00000004"
            + "00"
            + "0000000000000000"
            + "00000000"
            + "00000000";
    String golden = last + candidates + waiting + rest;
    assertThat(HexFormat.of().formatHex(write(graph))).isEqualTo(golden);
    DependencyGraph copy = read(HexFormat.of().parseHex(golden));
    assertThat(write(copy)).isEqualTo(write(graph));
    String ofVersion5 = last + "00000001" + "0000000000000001" + rest;
    assertThat(written(read(HexFormat.of().parseHex(ofVersion5), true, false)))
        .isEqualTo(written(graph));
    assertThat(copy.find("alice", "job_1").allOutputs()).isEqualTo(graph.find(1).allOutputs());
    assertThat(copy.idle(9, 10)).containsExactly(1L);
  }

  @Test
  void aGrowingOneIsKeptUntilItIsSealed() {
    Records.link(graph, 1, 2, OutputState.DELETED);
    graph.add(Records.of(graph, "job_1", List.of(Input.of(2)), List.of()).growing(1));
    collectAll();
    assertThat(collected).isEmpty();
    graph.append(2, Output.pending(3, Part.of(0)), 2);
    graph.append(2, new Output(4, Part.of(1), OutputState.LOST, 5, OptionalInt.of(6)), 3);
    assertThat(graph.outputs()).isEqualTo(3);
    assertThat(graph.lostAfter(0)).containsExactly(4L);
    assertThat(graph.producer(4)).isEqualTo(new DependencyGraph.Producer(2, 1));
    graph.move(3, OutputState.DELETED);
    graph.move(4, OutputState.BELOW);
    collectAll();
    assertThat(collected).isEmpty();
    assertThat(graph.growing()).isOne();
    graph.seal(2);
    graph.seal(2);
    collectAll();
    assertThat(collected).containsExactlyInAnyOrder(1L, 2L);
    assertThat(graph.find("alice", "job_1")).isNull();
    assertThat(graph.growing()).isZero();
    assertThat(graph.outputs()).isZero();
  }

  @Test
  void aSealedOneTakesNoOutput() {
    graph.add(Records.of(graph, List.of(), List.of(Output.pending(3, Part.of(0)))).growing(1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> graph.append(1, Output.pending(3, Part.of(0)), 2));
    graph.seal(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> graph.append(1, Output.pending(4, Part.of(0)), 2));
    assertThat(graph.find(1).outputs()).isOne();
  }

  @Test
  void thoseThatDoNotGrowAreFound() {
    for (int i = 0; i < 4; i++) {
      graph.add(Records.of(graph, "job_" + i, List.of(), List.of()).growing(i));
    }
    graph.append(1, Output.pending(7, Part.of(0)), 10);
    graph.seal(2);
    assertThat(graph.idle(3, 10)).containsExactly(3L);
    assertThat(graph.idle(4, 10)).containsExactly(3L, 4L);
    assertThat(graph.idle(11, 2)).containsExactly(1L, 3L);
    assertThat(graph.growingAfter(1)).extracting(Dependency::id).containsExactly(3L, 4L);
  }

  /** Beside a plain list; snapshots that were begun before stay what they were. */
  @Test
  void manyOutputsGrow() throws IOException {
    List<Output> expected = new ArrayList<>();
    graph.add(Records.of(graph, "job_1", List.of(), List.of()).growing(0));
    List<Dependency> before = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      Output made = Output.pending(i + 1, new Part(i % 2 == 0, i / 3, i % 3));
      graph.append(1, made, i);
      expected.add(made);
      int at = i * 7 % (i + 1);
      if (expected.get(at).state() == OutputState.PENDING) {
        Output complete = expected.get(at).complete(OutputState.STORED, i, OptionalInt.of(-i));
        graph.change(complete);
        expected.set(at, complete);
      }
      before.add(graph.find(1));
      assertThat(graph.find(1).allOutputs()).isEqualTo(expected);
    }
    assertThat(before.get(64).outputs()).isEqualTo(65);
    assertThat(before.get(64).state(64)).isIn(OutputState.PENDING, OutputState.STORED);
    assertThat(read(write(graph)).find(1).allOutputs()).isEqualTo(expected);
  }

  /** Masters refuse them, and older ones did not. */
  @Test
  void textsThatNoSnapshotCanHaveAreCut() throws IOException {
    String ascii = "a".repeat(70_000);
    String wide = "\u20ac".repeat(21_900);
    String mixed = "\0" + "\u00fc".repeat(32_767);
    Dependency.Recipe recipe =
        new Dependency.Recipe(
            ascii,
            "",
            Breadth.WIDE,
            List.of(Input.outside(ascii, 1, 2), Input.outside(wide, 3, 4)),
            List.of(new Program(mixed, "ab".repeat(32))),
            new byte[0]);
    graph.add(
        new Dependency(graph.nextId(), recipe, List.of(Output.pending(1, Part.of(0))), false));
    Dependency read = read(write(graph)).find(1);
    for (Dependency each : List.of(graph.find(1), read)) {
      assertThat(each.recipe().owner()).isEqualTo("a".repeat(65_535));
      assertThat(each.recipe().inputs())
          .containsExactly(
              Input.outside("a".repeat(65_535), 1, 2),
              Input.outside("\u20ac".repeat(21_845), 3, 4));
      assertThat(each.recipe().programs().get(0).name()).isEqualTo("\0" + "\u00fc".repeat(32_766));
    }
    String longest = "a".repeat(65_535);
    assertThat(Input.outside(longest, 1, 2).uri()).isSameAs(longest);
  }

  @Test
  void aDamagedSnapshotIsRefused() throws IOException {
    Records.link(graph, 1, 2, OutputState.STORED);
    byte[] bytes = write(graph);
    bytes[bytes.length - 17] = 0x3f; // the state
    assertThatThrownBy(() -> read(bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("damaged");
  }

  @Test
  void oneThatIsNotNeededStaysForAWhileAndIsNeededAgain() {
    graph.keepFor(100);
    graph.at(1_000);
    Records.link(graph, 1, 2, OutputState.STORED);
    graph.at(2_000);
    graph.move(2, OutputState.BELOW);
    graph.at(2_099);
    graph.collect(100, gone -> {});
    assertThat(graph.size()).isEqualTo(1);
    Records.link(graph, 2, 3, OutputState.STORED); // the next job of a chain
    graph.at(3_000);
    graph.collect(100, gone -> {});
    assertThat(graph.size()).isEqualTo(2);
    graph.delete(2, 20);
    graph.move(3, OutputState.LOST);
    graph.at(4_000);
    graph.collect(100, gone -> {});
    assertThat(graph.state(2)).isEqualTo(OutputState.DELETED);
  }

  @Test
  void whatItWasMadeOfGoesWithItWithoutAWaitOfItsOwn() {
    graph.keepFor(100);
    Records.link(graph, 1, 2, OutputState.BELOW);
    Records.link(graph, 2, 3, OutputState.STORED);
    graph.at(1_000);
    graph.move(3, OutputState.BELOW);
    graph.at(1_099);
    graph.collect(100, gone -> {});
    assertThat(graph.size()).isEqualTo(2);
    graph.at(1_100);
    graph.collect(100, gone -> {});
    assertThat(graph.size()).isZero();
  }
}
