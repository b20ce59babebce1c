package dev.sailfish.workflow.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.workflow.recovery.StepLook;
import dev.sailfish.workflow.step.LostProgramException;
import dev.sailfish.workflow.step.RunningStep;
import dev.sailfish.workflow.step.RunningStep.State;
import dev.sailfish.workflow.step.StepRequest;
import dev.sailfish.workflow.step.StepRunner;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BackgroundStepsTest {
  private static final String APPLICATION = "application_7_0001";

  private volatile State state = State.RUNNING;
  private volatile int percent;
  private volatile boolean answers = true;
  private volatile boolean killed;
  private volatile IOException refusal;
  private final CompletableFuture<Void> accepted = new CompletableFuture<>();

  private final StepRunner runner =
      new StepRunner() {
        @Override
        public RunningStep start(StepRequest request) throws IOException {
          accepted.join();
          if (refusal != null) {
            throw refusal;
          }
          return running(ApplicationId.fromString(APPLICATION));
        }

        @Override
        public RunningStep adopt(StepRequest request, ApplicationId application) {
          return running(application);
        }
      };

  private BackgroundSteps steps = steps(Duration.ofMinutes(10));

  private BackgroundSteps steps(Duration deadline) {
    return new BackgroundSteps(runner, new GuardedTimer("steps", 2), deadline);
  }

  @AfterEach
  void close() {
    accepted.complete(null);
    steps.close();
  }

  private RunningStep running(ApplicationId application) {
    return new RunningStep() {
      @Override
      public ApplicationId application() {
        return application;
      }

      @Override
      public State state() throws IOException {
        if (!answers) {
          throw new IOException("the ResourceManager does not answer");
        }
        return state;
      }

      @Override
      public int progress() {
        return percent;
      }

      @Override
      public String cause() {
        return killed ? "killed" : "failed";
      }

      @Override
      public void kill() {
        killed = true;
        state = State.FAILED;
      }
    };
  }

  private static StepRequest request() {
    return request(10);
  }

  private static StepRequest request(long dependency) {
    return new StepRequest(
        DependencyRecord.newBuilder().setId(dependency).build(),
        List.of(DependencyOutput.newBuilder().setFid(1).build()),
        "",
        0,
        Set.of());
  }

  private void awaitLook(StepLook look) {
    await().atMost(Duration.ofSeconds(30)).until(() -> steps.look(10).orElseThrow().equals(look));
  }

  @Test
  void aStepIsFollowedToItsEnd() {
    steps.start(request());
    assertThat(steps.look(10)).hasValue(StepLook.starting());
    assertThatIllegalStateException().isThrownBy(() -> steps.start(request()));
    accepted.complete(null);
    awaitLook(StepLook.running(APPLICATION, 0));
    percent = 40;
    awaitLook(StepLook.running(APPLICATION, 40));
    answers = false;
    percent = 60;
    answers = true;
    awaitLook(StepLook.running(APPLICATION, 60));
    state = State.SUCCEEDED;
    awaitLook(StepLook.succeeded(APPLICATION));
    steps.forget(10);
    assertThat(steps.look(10)).isEmpty();
  }

  @Test
  void aStepThatCannotBeBegunHasFailed() {
    refusal = new IOException("the queue is stopped");
    accepted.complete(null);
    steps.start(request());
    awaitLook(StepLook.failed("", "the queue is stopped", false));
    steps.forget(10);
    refusal = new LostProgramException("job.jar is gone");
    steps.start(request());
    awaitLook(StepLook.failed("", "job.jar is gone", true));
  }

  @Test
  void stepsForWhichNobodyAnswersHoldNoOtherUp() {
    for (long dependency = 11; dependency < 15; dependency++) {
      steps.start(request(dependency)); // more than there are threads that look
    }
    steps.adopt(request(), "application_7_0002");
    percent = 40;
    awaitLook(StepLook.running("application_7_0002", 40));
    assertThat(steps.look(11)).hasValue(StepLook.starting());
  }

  @Test
  void aStepThatIsNotBegunInTimeHasFailedAndItsApplicationIsEnded() {
    steps.close();
    steps = steps(Duration.ofMillis(100));
    steps.start(request());
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> steps.look(10).orElseThrow().state() == StepLook.State.FAILED);
    assertThat(steps.look(10).orElseThrow().cause()).contains("was not begun in");
    assertThat(killed).isFalse();
    steps.forget(10);
    accepted.complete(null);
    await().atMost(Duration.ofSeconds(30)).until(() -> killed);
  }

  @Test
  void aStepIsEndedAlsoBeforeItHasBegun() {
    steps.start(request());
    steps.end(10);
    accepted.complete(null);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> steps.look(10).orElseThrow().state() == StepLook.State.FAILED);
    steps.forget(10);
    state = State.RUNNING;
    steps.adopt(request(), "application_7_0002");
    awaitLook(StepLook.running("application_7_0002", 0));
    steps.end(10);
    awaitLook(StepLook.failed("application_7_0002", "killed", false));
    steps.end(11);
  }
}
