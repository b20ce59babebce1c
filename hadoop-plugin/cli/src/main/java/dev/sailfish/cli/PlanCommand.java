package dev.sailfish.cli;

import dev.sailfish.cli.inspect.IfileReport;
import dev.sailfish.format.FormatException;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.client.JobClient;
import dev.sailfish.workbuilder.collect.JobData;
import dev.sailfish.workbuilder.plan.PlanCodec;
import dev.sailfish.workbuilder.plan.PlanText;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReducePolicy;
import dev.sailfish.workbuilder.plan.WorkTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish plan show|replay}. */
@Command(
    name = "plan",
    description = "Shows how the reduce work of a job is made, or would be made, of its data.",
    mixinStandardHelpOptions = true,
    subcommands = {PlanCommand.Show.class, PlanCommand.Replay.class})
final class PlanCommand {
  private static final WorkTarget DEFAULT_TARGET = WorkTarget.given(1L << 30);

  /** A question about a plan. */
  abstract static class PlanQuestion extends IfileCommand.Question {
    @Parameters(index = "0", paramLabel = "JOB", description = "Id of a job.")
    String job;

    @Option(
        names = "--plan",
        paramLabel = "FILE",
        description =
            "Take this file as the job's stored plan (default: what its ApplicationMaster has"
                + " stored, while the job runs, and the copy in sailfish.reduce.work.plans"
                + " afterwards).")
    Optional<Path> file;

    @Mixin PolicyOptions policy;

    /** The plan that the job's reduce tasks were made by. */
    final ReducePlan used() {
      String where = file.map(Path::toString).orElse("the stored plan of " + job);
      try {
        return PlanCodec.decode(
            file.isPresent()
                ? Files.readAllBytes(file.get())
                : new JobClient(Distribution.current(), hadoopConf()).storedPlan(job));
      } catch (FormatException e) {
        throw new CommandException("Cannot read " + where + ": " + e.getMessage() + ".", e);
      } catch (IOException e) {
        String why = e instanceof NoSuchFileException ? "there is no such file" : e.toString();
        throw new CommandException("Cannot read " + where + ": " + why + ".", e);
      }
    }

    /** What the servers have now. */
    final JobData collect(IfileReport report, ReducePolicy chosen) {
      JobData data = report.collect(job, chosen);
      out().printf("%s: %d maps have committed; groups: equal keys%n", job, data.winners());
      return data;
    }
  }

  /** {@code sailfish plan show JOB}. */
  @Command(
      name = "show",
      description = {
        "Prints the reduce work that a workbuilder would make now of what the job's maps have"
            + " written, while the metaserver knows the job; with --stored or --plan, the plan that"
            + " its reduce tasks were made by.",
        "Of each map the attempt counts that committed last. The job's classes are not here: a"
            + " group is taken to be what has equal keys, and partitions whose keys only the job's"
            + " comparator can order stay whole, as those of encrypted jobs do."
      })
  static final class Show extends PlanQuestion {
    @Option(names = "--stored", description = "Print the plan that the job really has, or had.")
    private boolean stored;

    @Option(names = "--short", description = "Print one sentence instead of the table.")
    private boolean brief;

    @Override
    void ask(IfileReport report) {
      boolean used = stored || file.isPresent();
      ReducePlan plan = used ? used() : collect(report, policy.policy(this, DEFAULT_TARGET)).plan();
      out().print(brief ? PlanText.summary(plan) + System.lineSeparator() : PlanText.table(plan));
      out().flush();
    }
  }

  /** {@code sailfish plan replay JOB}. */
  @Command(
      name = "replay",
      description = {
        "Makes the plan of a job again, of the data that servers have now, and prints what it does"
            + " otherwise than the one that the job has: used -> made now.",
        "Without options it is made for the same target, and the same data gives the same plan. The"
            + " metaserver must know the job still."
      })
  static final class Replay extends PlanQuestion {
    @Override
    void ask(IfileReport report) {
      ReducePlan used = used();
      out().println("used: " + PlanText.summary(used));
      ReducePlan now = collect(report, policy.policy(this, used.target())).plan();
      out().println("now:  " + PlanText.summary(now));
      String difference = PlanText.difference(used, now);
      out().println(difference.isEmpty() ? "There is no difference." : difference);
      out().flush();
    }
  }
}
