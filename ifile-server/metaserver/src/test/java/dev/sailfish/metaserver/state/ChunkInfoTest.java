package dev.sailfish.metaserver.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.journal.Freeze;
import dev.sailfish.metaserver.manifest.ManifestMemory;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.ChunkReport;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every arrow of a chunk's life, drawn or forbidden. */
class ChunkInfoTest {
  private final ServerInfo server = new ServerInfo("s1");
  private static final JobSpec SPEC =
      new JobSpec("job_1_1", "ann", 4, Ordering.NORMALIZED, CodecId.NONE, 1 << 20, false, 0, false);

  private final Ifile ifile =
      new Ifile(new Job(SPEC, new ManifestMemory(), new JobHeap(), new Freeze(), 0), 3, "/r");
  private final ChunkInfo chunk = ifile.open(9, 0, server);

  private static Set<ChunkState> next(ChunkState state) {
    return switch (state) {
      case OPEN -> Set.of(ChunkState.STABLE, ChunkState.LOST);
      case STABLE -> Set.of(ChunkState.SORTED, ChunkState.LOST);
      case SORTED -> Set.of(ChunkState.LOST);
      case LOST -> Set.of();
    };
  }

  private static List<ChunkState> wayTo(ChunkState state) {
    return switch (state) {
      case OPEN -> List.of();
      case STABLE -> List.of(ChunkState.STABLE);
      case SORTED -> List.of(ChunkState.STABLE, ChunkState.SORTED);
      case LOST -> List.of(ChunkState.LOST);
    };
  }

  @ParameterizedTest
  @EnumSource(ChunkState.class)
  void takesTheArrowsThatAreDrawnAndNoOther(ChunkState from) {
    for (ChunkState to : ChunkState.values()) {
      ChunkInfo each =
          new Ifile(new Job(SPEC, new ManifestMemory(), new JobHeap(), new Freeze(), 0), 3, "/r")
              .open(9, 0, new ServerInfo("s1"));
      wayTo(from).forEach(state -> each.become(state, "test"));
      if (next(from).contains(to)) {
        each.become(to, "test");
        assertThat(each.state()).isEqualTo(to);
      } else {
        assertThatIllegalStateException()
            .isThrownBy(() -> each.become(to, "test"))
            .withMessageContaining("cannot become " + to + " from " + from);
        assertThat(each.state()).isEqualTo(from);
      }
    }
  }

  @Test
  void takesAppendersOnlyWhileOpen() {
    assertThat(chunk.isBindable()).isTrue();
    assertThat(ifile.bindable()).containsExactly(chunk);
    assertThat(server.bindableChunks()).isEqualTo(1);
    chunk.become(ChunkState.STABLE, "test");
    assertThat(chunk.isBindable()).isFalse();
    assertThat(ifile.bindable()).isEmpty();
    assertThat(server.bindableChunks()).isZero();
  }

  @Test
  void canBeClosedToAppendersOnceAndStaysOpen() {
    chunk.closeToBindings("full");
    chunk.closeToBindings("full");
    assertThat(server.bindableChunks()).isZero();
    assertThat(chunk.state()).isEqualTo(ChunkState.OPEN);
  }

  @Test
  void passesTheStateBetweenTwoReports() {
    chunk.apply(report(ChunkState.SORTED), ChunkState.SORTED);
    assertThat(chunk.state()).isEqualTo(ChunkState.SORTED);
    assertThat(chunk.isReported()).isTrue();
  }

  @Test
  void ignoresALateReport() {
    chunk.apply(report(ChunkState.SORTED), ChunkState.SORTED);
    chunk.apply(report(ChunkState.OPEN), ChunkState.OPEN);
    assertThat(chunk.state()).isEqualTo(ChunkState.SORTED);
  }

  @Test
  void countsAppenders() {
    chunk.bind();
    chunk.unbind();
    assertThatIllegalStateException()
        .isThrownBy(chunk::unbind)
        .withMessageContaining("job_1_1 partition=3");
  }

  private static ChunkReport report(ChunkState state) {
    return CoreFixture.report("job_1_1", 9, 3, state);
  }

  @Test
  void keepsWhatItsSortTookWhenAnotherServerTellsOfIt() {
    ChunkReport.Builder report = CoreFixture.report("job_1_1", 9, 3, ChunkState.SORTED).toBuilder();
    chunk.apply(report.setSortCpuUs(77).build(), ChunkState.SORTED);
    chunk.apply(report.clearSortCpuUs().build(), ChunkState.SORTED);
    assertThat(chunk.describe(false).getSortCpuUs()).isEqualTo(77);
    ChunkInfo restored = ifile.open(10, 1, server);
    restored.restore(chunk.snapshot(), ChunkState.SORTED, null);
    assertThat(restored.describe(false).getSortCpuUs()).isEqualTo(77);
  }
}
