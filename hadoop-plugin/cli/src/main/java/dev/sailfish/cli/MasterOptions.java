package dev.sailfish.cli;

import dev.sailfish.localcluster.client.MasterChoice;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.localcluster.client.WarmTasks;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What a job of Sailfish's shuffle wants of its ApplicationMaster, on the local cluster. */
public final class MasterOptions {
  @Option(
      names = "--reduce-work",
      paramLabel = "WHO",
      defaultValue = "stock",
      description =
          "Who decides how many reduce tasks there are with shuffle sailfish: fixed, the job in"
              + " Sailfish's ApplicationMaster; auto, its data; stock, the job in Hadoop's own"
              + " (default: ${DEFAULT-VALUE}). For the local cluster.")
  private ReduceWork reduceWork;

  @Option(
      names = "--warm-tasks",
      paramLabel = "HOW",
      description =
          "Whether a job's tasks share JVMs with shuffle sailfish: isolated, each with the user's"
              + " classes anew; shared, these too; off, each task has its own. Sets "
              + WarmTasks.KEY
              + "; all but off need Sailfish's ApplicationMaster, and take it. For the local"
              + " cluster.")
  private Optional<WarmTasks> warmTasks;

  /** What was asked for. */
  public MasterChoice choice() {
    return new MasterChoice(reduceWork, warmTasks);
  }
}
