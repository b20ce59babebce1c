package dev.sailfish.workflow.yarn;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.workflow.recovery.Cluster;
import dev.sailfish.workflow.seal.Applications;
import dev.sailfish.workflow.share.ApplicationLook;
import dev.sailfish.workflow.share.Scheduling;
import dev.sailfish.workflow.step.RecomputeTags;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.GetApplicationsRequest;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationResourceUsageReport;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.QueueConfigurations;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueStatistics;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.nodelabels.CommonNodeLabelsManager;

/**
 * YARN's ResourceManager, as the user of this process. Thread-safe, but for {@link #takeAway},
 * which one thread calls.
 */
public final class YarnLink implements Cluster, Applications, Closeable {
  private static final Set<YarnApplicationState> ENDED =
      EnumSet.of(
          YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED);

  private static final Pattern ID = Pattern.compile("application_\\d{1,18}_\\d{1,9}");

  private final YarnClient yarn = YarnClient.createYarnClient();
  private final WaitingTasks tasks;
  private final Scheduling scheduling;
  private final String name;

  /**
   * Does not connect yet.
   *
   * @param conf of the cluster: its ResourceManager, and what it has for a scheduler
   * @param name of the manager, among YARN's tags
   */
  public YarnLink(Configuration conf, Scheduling scheduling, String name, Clock clock) {
    this.scheduling = scheduling;
    this.name = name;
    yarn.init(new YarnConfiguration(conf));
    yarn.start();
    tasks = new WaitingTasks(conf, clock);
  }

  /**
   * By what a cluster's scheduler decides, as its configuration says.
   *
   * @param kind what it is called: capacity, fair, or empty for what the configuration names
   */
  public static Scheduling scheduling(Configuration conf, String kind) {
    String scheduler =
        conf.get(YarnConfiguration.RM_SCHEDULER, YarnConfiguration.DEFAULT_RM_SCHEDULER);
    boolean isFair = kind.isEmpty() ? scheduler.contains("FairScheduler") : kind.equals("fair");
    int highest =
        conf.getInt(
            YarnConfiguration.MAX_CLUSTER_LEVEL_APPLICATION_PRIORITY,
            YarnConfiguration.DEFAULT_CLUSTER_LEVEL_APPLICATION_PRIORITY);
    return new Scheduling(
        isFair ? Scheduling.Kind.SHARES : Scheduling.Kind.PRIORITIES, isFair ? 0 : highest);
  }

  @Override
  public Scheduling scheduling() {
    return scheduling;
  }

  /** A question to the ResourceManager. */
  private interface Question<T> {
    T ask() throws IOException, YarnException;
  }

  private static <T> T asked(Question<T> question) throws IOException {
    try {
      return question.ask();
    } catch (YarnException e) {
      throw new IOException("the ResourceManager refused: " + e.getMessage(), e);
    }
  }

  /** None of what cannot be an application's id: readers say themselves which theirs is. */
  private Optional<ApplicationReport> report(String application) throws IOException {
    if (!ID.matcher(application).matches()) {
      return Optional.empty();
    }
    return asked(
        () -> {
          try {
            return Optional.of(yarn.getApplicationReport(ApplicationId.fromString(application)));
          } catch (ApplicationNotFoundException e) {
            return Optional.empty();
          }
        });
  }

  @Override
  public Life life(String application) throws IOException {
    Optional<ApplicationReport> report = report(application);
    if (report.isEmpty()) {
      return Life.UNKNOWN;
    }
    return ENDED.contains(report.get().getYarnApplicationState()) ? Life.ENDED : Life.RUNS;
  }

  @Override
  public Map<String, ApplicationLook> applications(Collection<String> ids) throws IOException {
    Map<String, ApplicationLook> looks = new LinkedHashMap<>();
    for (String id : ids) {
      report(id)
          .filter(report -> !ENDED.contains(report.getYarnApplicationState()))
          .ifPresent(report -> looks.put(id, look(report)));
    }
    return looks;
  }

  private static ApplicationLook look(ApplicationReport report) {
    ApplicationResourceUsageReport usage = report.getApplicationResourceUsageReport();
    Resource used = usage == null ? null : usage.getUsedResources();
    return new ApplicationLook(
        report.getApplicationId().toString(),
        report.getUser(),
        report.getQueue(),
        report.getPriority() == null ? 0 : report.getPriority().getPriority(),
        usage == null ? 0 : Math.max(0, usage.getNumUsedContainers()),
        used == null ? 0 : Math.max(0, used.getMemorySize()));
  }

  @Override
  public Map<Long, ApplicationLook> recomputes() throws IOException {
    EnumSet<YarnApplicationState> running = EnumSet.complementOf(EnumSet.copyOf(ENDED));
    GetApplicationsRequest request = GetApplicationsRequest.newInstance();
    request.setApplicationTags(Set.of(RecomputeTags.manager(name)));
    request.setApplicationStates(running);
    Map<Long, ApplicationLook> found = new HashMap<>();
    for (ApplicationReport report : asked(() -> yarn.getApplications(request))) {
      OptionalLong dependency = RecomputeTags.dependency(report.getApplicationTags());
      if (dependency.isPresent()) {
        found.put(dependency.getAsLong(), look(report));
      }
    }
    return found;
  }

  @Override
  public void setPriority(String application, int priority) throws IOException {
    ApplicationId id = ApplicationId.fromString(application);
    asked(() -> yarn.updateApplicationPriority(id, Priority.newInstance(priority)));
  }

  @Override
  public void kill(String application) throws IOException {
    asked(
        () -> {
          yarn.killApplication(ApplicationId.fromString(application));
          return application;
        });
  }

  @Override
  public boolean isFull(ApplicationLook like) throws IOException {
    for (NodeReport node : asked(() -> yarn.getNodeReports(NodeState.RUNNING))) {
      long used = node.getUsed() == null ? 0 : node.getUsed().getMemorySize();
      if (node.getCapability().getMemorySize() - used >= like.memoryPerContainerMb()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean isFull(String queue, ApplicationLook like) throws IOException {
    QueueInfo info = asked(() -> yarn.getQueueInfo(queue));
    return info != null && isFull(info, like.memoryPerContainerMb());
  }

  /** Only the CapacityScheduler says what a queue may have at most. */
  static boolean isFull(QueueInfo queue, long memoryMb) {
    QueueStatistics used = queue.getQueueStatistics();
    QueueConfigurations limits =
        queue.getQueueConfigurations() == null
            ? null
            : queue.getQueueConfigurations().get(CommonNodeLabelsManager.NO_LABEL);
    Resource most = limits == null ? null : limits.getEffectiveMaxCapacity();
    return used != null
        && most != null
        && most.getMemorySize() > 0
        && used.getAllocatedMemoryMB() + memoryMb > most.getMemorySize();
  }

  @Override
  public int takeAway(Collection<String> applications, int count) throws IOException {
    return tasks.takeAway(applications, count);
  }

  @Override
  public void close() throws IOException {
    tasks.close();
    yarn.close();
  }
}
