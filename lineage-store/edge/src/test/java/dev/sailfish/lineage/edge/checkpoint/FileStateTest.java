package dev.sailfish.lineage.edge.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each arrow between the states of a file, and none that is not there. */
class FileStateTest {
  private static final Map<FileState, List<FileState>> WAYS =
      Map.of(
          FileState.EXPECTED, List.of(),
          FileState.WAITING, List.of(FileState.WAITING),
          FileState.WRITING, List.of(FileState.WAITING, FileState.WRITING),
          FileState.CHECKPOINTED, List.of(FileState.CHECKPOINTED),
          FileState.LOST, List.of(FileState.WAITING, FileState.LOST),
          FileState.DELETED, List.of(FileState.DELETED));

  @ParameterizedTest
  @EnumSource
  void aFileGoesWhereItsStateSays(FileState from) {
    for (FileState to : FileState.values()) {
      LineageGraph graph = new LineageGraph(new FileTable(), slot -> {});
      graph.submitted(new long[0], new long[] {1});
      graph.submitted(new long[] {1}, new long[] {2}); // so that 1 stays known when it is deleted
      int slot = graph.findOrAdd(1);
      WAYS.get(from).forEach(state -> graph.move(slot, state));
      if (from.next().contains(to)) {
        graph.move(slot, to);
        assertThat(graph.state(slot)).isEqualTo(to);
      } else {
        assertThatIllegalStateException()
            .isThrownBy(() -> graph.move(slot, to))
            .withMessage("file 0000000000000001: %s cannot follow %s".formatted(to, from));
      }
    }
  }
}
