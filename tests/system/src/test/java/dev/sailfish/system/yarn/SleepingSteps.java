package dev.sailfish.system.yarn;

import dev.sailfish.workflow.step.RunningStep;
import dev.sailfish.workflow.step.StepRequest;
import dev.sailfish.workflow.step.StepRunner;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** Steps that do nothing: applications of one container, which sleeps. */
final class SleepingSteps implements StepRunner, Closeable {
  private static final int MEMORY_MB = 1024;

  private final YarnClient yarn = YarnClient.createYarnClient();

  SleepingSteps(Configuration conf) {
    yarn.init(conf);
    yarn.start();
  }

  /** The ResourceManager's client. */
  YarnClient yarn() {
    return yarn;
  }

  @Override
  public RunningStep start(StepRequest request) throws IOException {
    try {
      ApplicationSubmissionContext context =
          yarn.createApplication().getApplicationSubmissionContext();
      context.setApplicationName("sleep");
      context.setApplicationTags(request.tags());
      context.setPriority(Priority.newInstance(request.priority()));
      context.setQueue(request.queue().isEmpty() ? "default" : request.queue());
      context.setResource(Resource.newInstance(MEMORY_MB, 1));
      context.setMaxAppAttempts(1);
      context.setAMContainerSpec(
          ContainerLaunchContext.newInstance(
              Map.of(), Map.of(), List.of("sleep 300"), null, null, null));
      return new Sleep(yarn.submitApplication(context));
    } catch (YarnException e) {
      throw new IOException(e);
    }
  }

  @Override
  public RunningStep adopt(StepRequest request, ApplicationId application) {
    return new Sleep(application);
  }

  @Override
  public void close() throws IOException {
    yarn.close();
  }

  private final class Sleep implements RunningStep {
    private final ApplicationId id;

    Sleep(ApplicationId id) {
      this.id = id;
    }

    @Override
    public ApplicationId application() {
      return id;
    }

    private ApplicationReport report() throws IOException {
      try {
        return yarn.getApplicationReport(id);
      } catch (YarnException e) {
        throw new IOException(e);
      }
    }

    @Override
    public State state() throws IOException {
      FinalApplicationStatus end = report().getFinalApplicationStatus();
      return switch (end) {
        case UNDEFINED -> State.RUNNING;
        case SUCCEEDED, ENDED -> State.SUCCEEDED;
        case FAILED, KILLED -> State.FAILED;
      };
    }

    @Override
    public int progress() {
      return 0;
    }

    @Override
    public String cause() throws IOException {
      return report().getDiagnostics();
    }

    @Override
    public void kill() throws IOException {
      try {
        yarn.killApplication(id);
      } catch (YarnException e) {
        throw new IOException(e);
      }
    }
  }
}
