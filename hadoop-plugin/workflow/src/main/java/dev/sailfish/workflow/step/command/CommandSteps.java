package dev.sailfish.workflow.step.command;

import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.client.Lineage;
import dev.sailfish.workflow.step.ApplicationStep;
import dev.sailfish.workflow.step.LostProgramException;
import dev.sailfish.workflow.step.Owner;
import dev.sailfish.workflow.step.Programs;
import dev.sailfish.workflow.step.RunningStep;
import dev.sailfish.workflow.step.StepRequest;
import dev.sailfish.workflow.step.StepRunner;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.client.api.YarnClientApplication;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs commands again, for the lost files that they have made: each in the only container of an
 * application. Thread-safe: steps may be begun side by side.
 */
public final class CommandSteps implements StepRunner {
  private static final Logger LOG = LoggerFactory.getLogger(CommandSteps.class);

  private final Configuration cluster;
  private final Lineage lineage;
  private final Duration deadline;

  /**
   * @param cluster finds YARN, file systems and the store, as any job client's configuration; it
   *     says where containers find Hadoop's and Sailfish's classes, as for jobs
   * @param lineage of a client that may read all records' programs; closed by the caller
   * @param deadline how long a command may run
   */
  public CommandSteps(Configuration cluster, Lineage lineage, Duration deadline) {
    this.cluster = new JobConf(new YarnConfiguration(cluster));
    this.lineage = lineage;
    this.deadline = deadline;
  }

  @Override
  public RunningStep start(StepRequest request) throws IOException {
    Programs programs = new Programs(lineage, request.record());
    Recipe recipe = programs.recipe();
    if (!recipe.hasCommand() || recipe.getCommand().getArgumentsCount() == 0) {
      throw new LostProgramException("record %d is no command".formatted(request.record().getId()));
    }
    programs.check();
    Owner owner = new Owner(request.record().getOwner());
    RunningStep begun = null;
    try {
      begun = owner.run(() -> submit(request, recipe, owner));
      return begun;
    } finally {
      if (begun == null) {
        owner.close();
      }
    }
  }

  private RunningStep submit(StepRequest request, Recipe recipe, Owner owner)
      throws IOException, YarnException {
    YarnClient yarn = YarnClient.createYarnClient();
    yarn.init(cluster);
    yarn.start();
    Path staging = null;
    boolean accepted = false;
    try {
      YarnClientApplication application = yarn.createApplication();
      ApplicationSubmissionContext context = application.getApplicationSubmissionContext();
      int memoryMb = CommandContainer.memoryMb(recipe);
      requireMemory(application, memoryMb);
      describe(context, request, recipe);
      context.setResource(Resource.newInstance(memoryMb, 1));
      staging = ApplicationStep.staging(cluster, owner, context.getApplicationId());
      CommandContainer container = new CommandContainer(cluster, staging);
      context.setAMContainerSpec(container.of(request, recipe, deadline));
      yarn.submitApplication(context);
      accepted = true;
      LOG.info(
          "Record {} runs again as {} for {} files: {}",
          request.record().getId(),
          context.getApplicationId(),
          request.outputs().size(),
          recipe.getCommand().getArgumentsList());
      return new ApplicationStep(yarn, context.getApplicationId(), owner, staging, cluster);
    } finally {
      if (!accepted) {
        yarn.stop();
        if (staging != null) {
          staging.getFileSystem(cluster).delete(staging, true);
        }
      }
    }
  }

  private static void requireMemory(YarnClientApplication application, int memoryMb)
      throws LostProgramException {
    long most =
        application.getNewApplicationResponse().getMaximumResourceCapability().getMemorySize();
    if (memoryMb > most) {
      throw new LostProgramException(
          ("the command needs a container of %d MB, and YARN has none of more than %d MB: raise"
                  + " yarn.scheduler.maximum-allocation-mb")
              .formatted(memoryMb, most));
    }
  }

  private static void describe(
      ApplicationSubmissionContext context, StepRequest request, Recipe recipe) {
    context.setApplicationName(
        "Recompute of record %d (%s)"
            .formatted(request.record().getId(), recipe.getCommand().getArguments(0)));
    context.setApplicationType("SAILFISH");
    context.setQueue(request.queue().isEmpty() ? recipe.getQueue() : request.queue());
    context.setPriority(Priority.newInstance(request.priority()));
    context.setApplicationTags(request.tags());
    context.setMaxAppAttempts(1); // the workflow manager counts attempts
  }

  @Override
  public RunningStep adopt(StepRequest request, ApplicationId application) throws IOException {
    return ApplicationStep.adopt(cluster, request, application);
  }
}
