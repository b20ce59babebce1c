package dev.sailfish.workflow.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sailfish.hadoop.lineage.wire.Command;
import dev.sailfish.hadoop.lineage.wire.MapReduceJob;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.junit.jupiter.api.Test;

class StepsByRecipeTest {
  private final List<String> asked = new ArrayList<>();
  private final StepsByRecipe steps =
      new StepsByRecipe(
          Map.of(
              Recipe.KindCase.MAP_REDUCE,
              runner("job"),
              Recipe.KindCase.COMMAND,
              runner("command")));

  private StepRunner runner(String name) {
    return new StepRunner() {
      @Override
      public RunningStep start(StepRequest request) {
        asked.add("start " + name);
        return null;
      }

      @Override
      public RunningStep adopt(StepRequest request, ApplicationId application) {
        asked.add("adopt " + name);
        return null;
      }
    };
  }

  private static StepRequest request(ByteString config) {
    DependencyRecord record = DependencyRecord.newBuilder().setId(7).setConfig(config).build();
    return new StepRequest(record, List.of(DependencyOutput.getDefaultInstance()), "", 0, Set.of());
  }

  @Test
  void eachKindHasItsRunner() throws IOException {
    Recipe job = Recipe.newBuilder().setMapReduce(MapReduceJob.getDefaultInstance()).build();
    Recipe command = Recipe.newBuilder().setCommand(Command.getDefaultInstance()).build();
    steps.start(request(job.toByteString()));
    steps.start(request(command.toByteString()));
    steps.adopt(request(command.toByteString()), ApplicationId.newInstance(1, 2));
    assertThat(asked).containsExactly("start job", "start command", "adopt command");
  }

  @Test
  void whatNobodyKnowsCannotSucceed() {
    assertThatThrownBy(() -> steps.start(request(ByteString.EMPTY)))
        .isInstanceOf(LostProgramException.class)
        .hasMessageContaining("record 7 says nothing of how to run it");
    assertThatThrownBy(() -> steps.start(request(ByteString.copyFromUtf8("x=1"))))
        .isInstanceOf(LostProgramException.class)
        .hasMessageContaining("the configuration of record 7");
  }
}
