package dev.sailfish.cli;

import dev.sailfish.cli.inspect.IfileReport;
import dev.sailfish.ground.config.Notation;
import dev.sailfish.workbuilder.collect.JobData;
import dev.sailfish.workbuilder.plan.PlanText;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReducePolicy;
import dev.sailfish.workbuilder.plan.WorkTarget;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish plan show}. */
@Command(
    name = "plan",
    description = "Shows how the reduce work of a job would be made of its data.",
    mixinStandardHelpOptions = true,
    subcommands = PlanCommand.Show.class)
final class PlanCommand {
  /** {@code sailfish plan show JOB}. */
  @Command(
      name = "show",
      description = {
        "Prints the reduce work that a workbuilder would make now of what the job's maps have"
            + " written, while the metaserver knows the job. No job runs by such a plan yet.",
        "Of each map the attempt counts that committed last. The job's classes are not here: a"
            + " group is taken to be what has equal keys, and partitions whose keys only the job's"
            + " comparator can order stay whole, as those of encrypted jobs do."
      })
  static final class Show extends IfileCommand.Question {
    @Parameters(index = "0", paramLabel = "JOB", description = "Id of a job.")
    private String job;

    @Option(
        names = "--target",
        paramLabel = "SIZE",
        defaultValue = "1g",
        description =
            "How much a reduce task shall have, before compression: a number and k, m, g or t"
                + " (default: ${DEFAULT-VALUE}).")
    private String target;

    @Option(names = "--most", paramLabel = "N", description = "Make at most N reduce tasks.")
    private int most = Integer.MAX_VALUE;

    @Option(names = "--no-split", description = "Leave large partitions whole.")
    private boolean whole;

    @Option(names = "--no-coalesce", description = "Do not put small partitions together.")
    private boolean apart;

    @Option(names = "--short", description = "Print one sentence instead of the table.")
    private boolean brief;

    @Override
    void ask(IfileReport report) {
      long bytes = Notation.size(target);
      if (bytes < 1) {
        throw wrongArguments("--target is " + target + ", which is no size: write, say, 256m");
      }
      if (most < 1) {
        throw wrongArguments("--most is " + most + ", but must be at least 1");
      }
      JobData data =
          report.collect(job, new ReducePolicy(WorkTarget.given(bytes), most, !whole, !apart));
      ReducePlan plan = data.plan();
      out().printf("%s: %d maps have committed; groups: equal keys%n", job, data.winners());
      out().print(brief ? PlanText.summary(plan) + System.lineSeparator() : PlanText.table(plan));
      out().flush();
    }
  }
}
