package dev.sailfish.hadoop.am.warm;

import dev.sailfish.hadoop.am.heartbeat.Beat;
import dev.sailfish.hadoop.am.heartbeat.Heartbeats;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.PreemptionContainer;
import org.apache.hadoop.yarn.api.records.PreemptionMessage;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceBlacklistRequest;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.util.Clock;
import org.apache.hadoop.yarn.util.RackResolver;
import org.apache.hadoop.yarn.util.resource.Resources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Between the allocator and the ResourceManager: to the allocator it is the ResourceManager, which
 * besides its own containers gives those again whose task has ended. A call of the thread of {@link
 * Rounds} does not go to the ResourceManager; what it asked for goes there with the next one that
 * does. What an {@link Beat#EARLY} one asked for in vain goes there once more with the next one.
 * Called with the allocator's lock held, so by one thread at a time.
 */
public final class LocalScheduler implements ApplicationMasterProtocol {
  private static final Logger LOG = LoggerFactory.getLogger(LocalScheduler.class);

  /** Until the ResourceManager has written down that the job has ended; Hadoop waits 1 s. */
  private static final long FIRST_GOODBYE_MS = 20;

  private static final long LONGEST_GOODBYE_MS = 320;

  private final ApplicationMasterProtocol resourceManager;
  private final WarmSettings settings;
  private final WarmPool pool;
  private final Clock clock;
  private final BooleanSupplier jobEnds;
  private final Heartbeats heartbeats;
  private final Consumer<WarmContainer> forgotten;
  private final OutstandingAsks asks = new OutstandingAsks();

  // What the ResourceManager has not been told yet.
  private final Map<List<Object>, ResourceRequest> untold = new LinkedHashMap<>();
  private final Set<ContainerId> releases = new LinkedHashSet<>();
  private final Set<String> blacklistAdditions = new LinkedHashSet<>();
  private final Set<String> blacklistRemovals = new LinkedHashSet<>();
  private AllocateResponse last;
  private volatile int given;

  /**
   * @param jobEnds whether no task of the job is to run any more
   * @param forgotten hears of containers that have ended and that no attempt waits for
   */
  LocalScheduler(
      ApplicationMasterProtocol resourceManager,
      WarmSettings settings,
      WarmPool pool,
      Clock clock,
      BooleanSupplier jobEnds,
      Heartbeats heartbeats,
      Consumer<WarmContainer> forgotten) {
    this.resourceManager = resourceManager;
    this.settings = settings;
    this.pool = pool;
    this.clock = clock;
    this.jobEnds = jobEnds;
    this.heartbeats = heartbeats;
    this.forgotten = forgotten;
  }

  /** Of a job whose tasks all have JVMs of their own. */
  public static LocalScheduler cold(
      ApplicationMasterProtocol resourceManager, JobConf conf, Clock clock, Heartbeats beats) {
    WarmSettings settings = WarmSettings.of(conf);
    return new LocalScheduler(
        resourceManager,
        settings,
        new WarmPool(settings),
        clock,
        () -> false,
        beats,
        container -> {});
  }

  @Override
  public RegisterApplicationMasterResponse registerApplicationMaster(
      RegisterApplicationMasterRequest request) throws YarnException, IOException {
    return resourceManager.registerApplicationMaster(request);
  }

  @Override
  public FinishApplicationMasterResponse finishApplicationMaster(
      FinishApplicationMasterRequest request) throws YarnException, IOException {
    FinishApplicationMasterResponse answer = resourceManager.finishApplicationMaster(request);
    long waitMs = heartbeats.on() ? FIRST_GOODBYE_MS : Long.MAX_VALUE;
    while (!answer.getIsUnregistered()
        && waitMs <= LONGEST_GOODBYE_MS
        && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(waitMs));
      answer = resourceManager.finishApplicationMaster(request);
      waitMs *= 2;
    }
    return answer;
  }

  @Override
  public AllocateResponse allocate(AllocateRequest request) throws YarnException, IOException {
    takeOver(request);
    AllocateResponse answer =
        switch (last == null ? Beat.REGULAR : Beat.current()) {
          case REGULAR -> fromResourceManager(request);
          case EARLY -> early(request);
          case LOCAL -> local(request);
        };
    addWarm(answer);
    return answer;
  }

  /** What goes wrong is left to the allocator's own thread, which is the one to deal with it. */
  private AllocateResponse early(AllocateRequest request) {
    try {
      return fromResourceManager(request);
    } catch (YarnException | IOException | RuntimeException e) {
      LOG.info("The ResourceManager was asked early in vain: {}", e.toString());
      return local(request);
    }
  }

  /** How many containers the ResourceManager has given that have not ended; by any thread. */
  public int given() {
    return Math.max(0, given);
  }

  private void takeOver(AllocateRequest request) {
    asks.update(request.getAskList());
    for (ResourceRequest ask : request.getAskList()) {
      untold.put(
          List.of(ask.getPriority(), ask.getResourceName(), Resources.clone(ask.getCapability())),
          ask);
    }
    for (ContainerId id : request.getReleaseList()) {
      pool.released(id, clock.getTime());
      releases.add(id);
    }
    ResourceBlacklistRequest blacklist = request.getResourceBlacklistRequest();
    if (blacklist != null) {
      move(blacklist.getBlacklistAdditions(), blacklistAdditions, blacklistRemovals);
      move(blacklist.getBlacklistRemovals(), blacklistRemovals, blacklistAdditions);
    }
  }

  private static void move(Collection<String> hosts, Set<String> to, Set<String> from) {
    to.addAll(hosts);
    from.removeAll(hosts);
  }

  /** Nothing new, as of the ResourceManager's last answer. */
  private AllocateResponse local(AllocateRequest request) {
    return AllocateResponse.newBuilder()
        .responseId(request.getResponseId())
        .completedContainersStatuses(new ArrayList<>())
        .allocatedContainers(new ArrayList<>())
        .updatedNodes(new ArrayList<>())
        .availableResources(last.getAvailableResources())
        .numClusterNodes(last.getNumClusterNodes())
        .applicationPriority(last.getApplicationPriority())
        .build();
  }

  private AllocateResponse fromResourceManager(AllocateRequest request)
      throws YarnException, IOException {
    releases.addAll(pool.overdue(clock.getTime()));
    request.setAskList(new ArrayList<>(untold.values()));
    request.setReleaseList(new ArrayList<>(releases));
    request.setResourceBlacklistRequest(
        ResourceBlacklistRequest.newInstance(
            new ArrayList<>(blacklistAdditions), new ArrayList<>(blacklistRemovals)));
    AllocateResponse answer = resourceManager.allocate(request);
    untold.clear();
    releases.clear();
    blacklistAdditions.clear();
    blacklistRemovals.clear();
    last = answer;
    for (Container container : answer.getAllocatedContainers()) {
      String host = container.getNodeId().getHost();
      asks.given(container.getPriority().getPriority(), container.getResource(), host, rack(host));
    }
    given +=
        answer.getAllocatedContainers().size() - answer.getCompletedContainersStatuses().size();
    answer.setCompletedContainersStatuses(meantForAttempts(answer));
    heed(answer.getPreemptionMessage());
    heartbeats.answered(asks.any());
    return answer;
  }

  private List<ContainerStatus> meantForAttempts(AllocateResponse answer) {
    List<ContainerStatus> meant = new ArrayList<>();
    for (ContainerStatus status : answer.getCompletedContainersStatuses()) {
      WarmContainer container = pool.find(status.getContainerId());
      switch (pool.ended(status.getContainerId())) {
        case AS_STOCK:
          meant.add(status);
          break;
        case NOT_BEGUN:
          meant.add(
              status(
                  status.getContainerId(),
                  ContainerExitStatus.ABORTED,
                  "its JVM had ended before it began: " + status.getDiagnostics()));
          break;
        case NOBODYS:
          forgotten.accept(container);
          break;
      }
    }
    return meant;
  }

  /** The ResourceManager wants containers back, or will take them. */
  private void heed(PreemptionMessage message) {
    if (message == null) {
      return;
    }
    pool.giveBack(0, clock.getTime());
    List<PreemptionContainer> named = new ArrayList<>();
    if (message.getStrictContract() != null) {
      named.addAll(message.getStrictContract().getContainers());
    }
    if (message.getContract() != null) {
      named.addAll(message.getContract().getContainers());
    }
    named.forEach(container -> pool.lastTask(container.getId()));
  }

  private void addWarm(AllocateResponse answer) {
    long now = clock.getTime();
    List<ContainerStatus> completed = new ArrayList<>(answer.getCompletedContainersStatuses());
    for (ContainerId id : pool.endedAttempts()) {
      completed.add(status(id, ContainerExitStatus.SUCCESS, ""));
    }
    answer.setCompletedContainersStatuses(completed);
    List<Container> given = new ArrayList<>(answer.getAllocatedContainers());
    for (WarmContainer idle : pool.idle(leftMiB(answer), now)) {
      Priority priority = priority(idle, now);
      if (priority != null) {
        pool.offered(idle, now);
        given.add(again(idle.container, priority));
      }
    }
    answer.setAllocatedContainers(given);
    pool.giveBack(jobEnds.getAsBoolean() ? 0 : settings.idleMs(), now);
  }

  private Priority priority(WarmContainer idle, long now) {
    String host = idle.container.getNodeId().getHost();
    String rack = rack(host);
    long waited = now - idle.sinceMs();
    int steps =
        settings.localityDelayMs() == 0
            ? 2
            : (int) Math.min(2, waited / settings.localityDelayMs());
    Priority priority =
        asks.priority(idle.container.getResource(), host, rack, pool.priorities(idle), steps);
    if (priority != null) {
      asks.given(priority.getPriority(), idle.container.getResource(), host, rack);
    }
    return priority;
  }

  /** Of memory only: whether a scheduler counts cores its answer does not tell. */
  private static long leftMiB(AllocateResponse answer) {
    Resource left = answer.getAvailableResources();
    return left == null ? Long.MAX_VALUE : left.getMemorySize();
  }

  private static Container again(Container container, Priority priority) {
    return Container.newInstance(
        container.getId(),
        container.getNodeId(),
        container.getNodeHttpAddress(),
        container.getResource(),
        priority,
        container.getContainerToken());
  }

  private static ContainerStatus status(ContainerId id, int exit, String why) {
    return ContainerStatus.newInstance(id, ContainerState.COMPLETE, why, exit);
  }

  private static String rack(String host) {
    return RackResolver.resolve(host).getNetworkLocation();
  }
}
