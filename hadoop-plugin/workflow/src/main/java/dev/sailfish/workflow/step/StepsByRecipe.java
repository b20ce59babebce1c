package dev.sailfish.workflow.step;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/** Has each step be run by the runner of its recipe's kind. Thread-safe. */
public final class StepsByRecipe implements StepRunner {
  private final Map<Recipe.KindCase, StepRunner> runners;

  /**
   * @param runners by the kind of recipe that they run
   */
  public StepsByRecipe(Map<Recipe.KindCase, StepRunner> runners) {
    this.runners = new EnumMap<>(runners);
  }

  @Override
  public RunningStep start(StepRequest request) throws IOException {
    return of(request).start(request);
  }

  @Override
  public RunningStep adopt(StepRequest request, ApplicationId application) throws IOException {
    return of(request).adopt(request, application);
  }

  private StepRunner of(StepRequest request) throws LostProgramException {
    long id = request.record().getId();
    try {
      // A recipe that is a program has its kind in the record all the same.
      StepRunner runner = runners.get(Recipe.parseFrom(request.record().getConfig()).getKindCase());
      if (runner != null) {
        return runner;
      }
      throw new LostProgramException(
          "record %d says nothing of how to run it that this workflow manager knows".formatted(id));
    } catch (InvalidProtocolBufferException e) {
      throw new LostProgramException(
          "the configuration of record %d is none that says how to run it".formatted(id), e);
    }
  }
}
