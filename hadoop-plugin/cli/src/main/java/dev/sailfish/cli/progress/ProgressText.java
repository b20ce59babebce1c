package dev.sailfish.cli.progress;

import dev.sailfish.localcluster.client.RunningJob;
import dev.sailfish.workbuilder.plan.PlanText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How far a job is, in a line. */
final class ProgressText {
  private ProgressText() {}

  /**
   * The line, without an end.
   *
   * @param ifiles what the metaserver tells; absent: it cannot be asked, or does not know the job
   */
  static String line(RunningJob job, Optional<IfileFigures> ifiles) {
    List<String> parts = new ArrayList<>();
    parts.add("maps " + job.mapsDone() + "/" + job.maps());
    ifiles.ifPresent(
        figures -> {
          parts.add(PlanText.size(figures.appendedBytes()) + " appended");
          parts.add(
              figures.sorted() < 0
                  ? figures.chunks() + " chunks"
                  : "chunks sorted " + figures.sorted() + "/" + figures.chunks());
        });
    parts.add("reduces " + job.reducesDone() + "/" + job.reduces());
    if (job.readBytes() > 0) {
      parts.add(PlanText.size(job.readBytes()) + " read by reduces");
    }
    return job.id() + ": " + String.join(", ", parts);
  }
}
