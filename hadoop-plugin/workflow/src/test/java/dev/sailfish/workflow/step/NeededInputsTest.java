package dev.sailfish.workflow.step;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sailfish.hadoop.lineage.wire.MapReduceJob;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import java.util.List;
import org.junit.jupiter.api.Test;

class NeededInputsTest {
  private static final DependencyInput FIRST = DependencyInput.newBuilder().setFid(1).build();
  private static final DependencyInput SECOND = DependencyInput.newBuilder().setFid(2).build();

  /** Of three outputs: two of map 1, and one of map 0. */
  private static DependencyRecord record(DependencyType type, Integer... inputOfMap) {
    Recipe recipe =
        Recipe.newBuilder()
            .setMapReduce(MapReduceJob.newBuilder().addAllInputOfMap(List.of(inputOfMap)))
            .build();
    return DependencyRecord.newBuilder()
        .setType(type)
        .setConfig(recipe.toByteString())
        .addInputs(FIRST)
        .addInputs(SECOND)
        .addOutputs(output(11, 1))
        .addOutputs(output(12, 1))
        .addOutputs(output(13, 0))
        .build();
  }

  private static DependencyRecord wide(Integer... inputOfMap) {
    return record(DependencyType.DEPENDENCY_WIDE, inputOfMap);
  }

  private static DependencyOutput output(long fid, int map) {
    return DependencyOutput.newBuilder().setFid(fid).setMap(true).setIndex(map).build();
  }

  @Test
  void anOutputOfAMapNeedsWhatTheMapReads() {
    assertThat(NeededInputs.oneOfEach(wide(0, 1))).contains(List.of(SECOND, SECOND, FIRST));
    assertThat(NeededInputs.of(wide(0, 1), List.of(output(11, 1), output(12, 1))))
        .containsExactly(SECOND);
    assertThat(NeededInputs.of(wide(0, 0), List.of(output(11, 1), output(13, 0))))
        .containsExactly(FIRST);
  }

  @Test
  void allAreNeededWhereTheRecordDoesNotSayIt() {
    DependencyRecord strange = wide().toBuilder().setConfig(ByteString.copyFromUtf8("?")).build();
    DependencyOutput ofReduce = output(14, 0).toBuilder().setMap(false).build();
    DependencyRecord ofReduces = wide(0, 1).toBuilder().addOutputs(ofReduce).build();
    DependencyRecord ofNoMap = wide(0, 1).toBuilder().addOutputs(output(15, -1)).build();
    for (DependencyRecord record :
        List.of(wide(), wide(0), wide(0, 2), wide(0, -1), strange, ofReduces, ofNoMap)) {
      assertThat(NeededInputs.oneOfEach(record)).isEmpty();
      assertThat(NeededInputs.of(record, List.of(output(13, 0)))).containsExactly(FIRST, SECOND);
    }
  }

  @Test
  void aNarrowRecordHasAnInputForEachOutput() {
    DependencyRecord narrow = record(DependencyType.DEPENDENCY_NARROW);
    assertThat(NeededInputs.oneOfEach(narrow)).as("two of three").isEmpty();
    DependencyRecord complete = narrow.toBuilder().addInputs(FIRST).build();
    assertThat(NeededInputs.oneOfEach(complete)).contains(List.of(FIRST, SECOND, FIRST));
  }
}
