package dev.sailfish.workflow.recovery;

import dev.sailfish.lineage.edge.recompute.StepProgress;
import dev.sailfish.workflow.recovery.StepLook.State;
import java.util.Optional;

/** How far a step is, for people. */
final class ProgressText {
  private ProgressText() {}

  /**
   * A few words.
   *
   * @param run of the step; empty: none was begun
   * @param attempts how many it has in all
   */
  static String of(StepProgress progress, Optional<Run> run, int attempts) {
    String before =
        progress.failures() == 0
            ? ""
            : "; attempt %d of %d has failed: %s"
                .formatted(progress.failures(), attempts, progress.lastFailure().orElse(""));
    return state(progress, run) + before;
  }

  private static String state(StepProgress progress, Optional<Run> run) {
    return switch (progress.state()) {
      case WAITING ->
          "waits for %d others to be recomputed first".formatted(progress.step().after().size());
      case READY -> "is about to begin";
      case RUNNING -> run.map(ProgressText::running).orElse("runs");
      case BACKING_OFF -> "waits for its next attempt";
      case DONE -> "is done";
      case GIVEN_UP -> "is given up";
      case DROPPED -> "is not needed any more";
    };
  }

  private static String running(Run run) {
    StepLook look = run.look();
    return look.state() == State.STARTING
        ? "is being submitted to YARN"
        : "%s: %d %%".formatted(look.application(), look.percent());
  }
}
