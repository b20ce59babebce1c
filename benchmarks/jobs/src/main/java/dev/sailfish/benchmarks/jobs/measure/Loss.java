package dev.sailfish.benchmarks.jobs.measure;

import dev.sailfish.localcluster.DaemonRecord;
import java.util.Map;
import java.util.Optional;

/** Something that a job loses while it runs; for one run, and used by one thread. */
public interface Loss {
  /**
   * Nothing is lost. The job is watched all the same, which costs its ApplicationMaster as much as
   * it does with a loss.
   */
  Loss NOTHING =
      new Loss() {
        @Override
        public String name() {
          return "nothing";
        }

        @Override
        public void strike(String application) {}

        @Override
        public Optional<String> lost() {
          return Optional.of(name());
        }
      };

  /** What is to be lost, for reports and names of files. */
  String name();

  /**
   * Takes it away. Called once, when half of the job's reduce tasks are done; never if they end
   * before that was seen.
   *
   * @param application YARN's id of the job
   */
  void strike(String application);

  /** What was taken away, in words; empty as long as nothing was. */
  Optional<String> lost();

  /** What the daemons that were killed had used and counted right before. */
  default Map<DaemonRecord, Reading> killed() {
    return Map.of();
  }

  /** Puts back what later jobs need, once this one has ended. */
  default void repair() {}
}
