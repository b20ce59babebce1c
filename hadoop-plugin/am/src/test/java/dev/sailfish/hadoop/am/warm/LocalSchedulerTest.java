package dev.sailfish.hadoop.am.warm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.hadoop.am.heartbeat.Beat;
import dev.sailfish.hadoop.am.heartbeat.Heartbeats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
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
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.util.RackResolver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LocalSchedulerTest {
  private static final WarmSettings SETTINGS =
      new WarmSettings("isolated", "", true, 0, 1000, 100, 60_000, 60_000);

  private long now = 1;
  private final WarmPool pool = new WarmPool(SETTINGS);
  private final ResourceManager manager = new ResourceManager();
  private boolean ends;
  private final List<ContainerId> forgotten = new ArrayList<>();
  private final LocalScheduler scheduler =
      new LocalScheduler(
          manager,
          SETTINGS,
          pool,
          () -> now,
          () -> ends,
          Heartbeats.of(new JobConf(false)),
          container -> forgotten.add(container.container.getId()));

  /** Keeps what it is asked, and answers with what the test says. */
  private static final class ResourceManager implements ApplicationMasterProtocol {
    private final List<AllocateRequest> requests = new ArrayList<>();
    private final List<ContainerStatus> ended = new ArrayList<>();
    private final List<Container> given = new ArrayList<>();
    private YarnException failure;
    private int goodbyes;
    private int goodbyesUntilItIsWritten = 1;

    @Override
    public AllocateResponse allocate(AllocateRequest request) throws YarnException {
      if (failure != null) {
        throw failure;
      }
      requests.add(request);
      AllocateResponse answer =
          AllocateResponse.newBuilder()
              .responseId(requests.size())
              .completedContainersStatuses(new ArrayList<>(ended))
              .allocatedContainers(new ArrayList<>(given))
              .updatedNodes(new ArrayList<>())
              .availableResources(Resource.newInstance(4096, 4))
              .numClusterNodes(3)
              .applicationPriority(Priority.newInstance(7))
              .build();
      ended.clear();
      given.clear();
      return answer;
    }

    @Override
    public RegisterApplicationMasterResponse registerApplicationMaster(
        RegisterApplicationMasterRequest request) {
      return null;
    }

    @Override
    public FinishApplicationMasterResponse finishApplicationMaster(
        FinishApplicationMasterRequest request) {
      return FinishApplicationMasterResponse.newInstance(++goodbyes >= goodbyesUntilItIsWritten);
    }
  }

  @BeforeEach
  void racks() {
    RackResolver.init(new Configuration(false));
  }

  private static AllocateRequest request(List<ResourceRequest> asks, List<ContainerId> releases) {
    return AllocateRequest.newInstance(41, 0.5f, asks, releases, null);
  }

  private static ResourceRequest maps(int count) {
    return ResourceRequest.newInstance(
        Priority.newInstance(OutstandingAsks.MAP), "*", Ids.SIZE, count);
  }

  /** As the thread that does not go to the ResourceManager. */
  private AllocateResponse local(AllocateRequest request) throws Exception {
    List<AllocateResponse> answer = new ArrayList<>();
    FutureTask<Void> done = new FutureTask<>(() -> null);
    Rounds rounds =
        new Rounds(
            pool,
            () -> {
              answer.add(scheduler.allocate(request));
              done.run();
              throw new InterruptedException("one round");
            });
    Thread thread = new Thread(rounds);
    thread.start();
    rounds.signal();
    done.get();
    thread.join();
    return answer.get(0);
  }

  /** As the thread that goes there in between. */
  private AllocateResponse early(AllocateRequest request) throws Exception {
    FutureTask<AllocateResponse> answer =
        new FutureTask<>(
            () -> {
              Beat.EARLY.begin();
              return scheduler.allocate(request);
            });
    Thread thread = new Thread(answer);
    thread.start();
    thread.join();
    return answer.get();
  }

  /** Container 1 has run a map. */
  private void idle() {
    pool.started(Ids.container(1), Ids.attempt(TaskType.MAP, 0), now);
    pool.asked(1, now);
    pool.given(1, now);
    pool.asked(1, now);
  }

  @Test
  void idleContainerHasEndedAndIsGivenAgainWithoutTheResourceManager() throws Exception {
    scheduler.allocate(request(List.of(maps(2)), List.of()));
    idle();
    AllocateResponse answer = local(request(List.of(), List.of()));
    assertThat(manager.requests).hasSize(1);
    assertThat(answer.getResponseId()).isEqualTo(41);
    assertThat(answer.getNumClusterNodes()).isEqualTo(3);
    assertThat(answer.getApplicationPriority().getPriority()).isEqualTo(7);
    assertThat(answer.getCompletedContainersStatuses())
        .singleElement()
        .satisfies(
            status -> {
              assertThat(status.getContainerId()).isEqualTo(Ids.id(1));
              assertThat(status.getExitStatus()).isEqualTo(ContainerExitStatus.SUCCESS);
            });
    assertThat(answer.getAllocatedContainers())
        .singleElement()
        .satisfies(
            container -> {
              assertThat(container.getId()).isEqualTo(Ids.id(1));
              assertThat(container.getPriority().getPriority()).isEqualTo(OutstandingAsks.MAP);
            });
    assertThat(local(request(List.of(), List.of())).getAllocatedContainers()).isEmpty();
  }

  @Test
  void whatIsAskedForLocallyGoesToTheResourceManagerLater() throws Exception {
    scheduler.allocate(request(List.of(maps(2)), List.of()));
    local(request(List.of(maps(1)), List.of(Ids.id(9))));
    local(request(List.of(maps(3)), List.of()));
    scheduler.allocate(request(List.of(), List.of()));
    AllocateRequest told = manager.requests.get(1);
    assertThat(told.getAskList()).singleElement().isEqualTo(maps(3));
    assertThat(told.getReleaseList()).containsExactly(Ids.id(9));
    scheduler.allocate(request(List.of(), List.of()));
    assertThat(manager.requests.get(2).getAskList()).isEmpty();
    assertThat(manager.requests.get(2).getReleaseList()).isEmpty();
  }

  @Test
  void containerThatNobodyNeedsIsGivenBack() throws Exception {
    scheduler.allocate(request(List.of(), List.of()));
    idle();
    assertThat(local(request(List.of(), List.of())).getAllocatedContainers()).isEmpty();
    now += SETTINGS.idleMs();
    local(request(List.of(), List.of()));
    assertThat(pool.asked(1, now)).isEqualTo(JvmAnswer.END);
    now += WarmPool.PATIENCE_MS + 1;
    scheduler.allocate(request(List.of(), List.of()));
    assertThat(manager.requests.get(1).getReleaseList()).containsExactly(Ids.id(1));
  }

  @Test
  void atTheEndOfTheJobIdleContainersAreGivenBackAtOnce() throws Exception {
    scheduler.allocate(request(List.of(), List.of()));
    idle();
    ends = true;
    assertThat(pool.anyUntold()).isTrue();
    assertThat(local(request(List.of(), List.of())).getCompletedContainersStatuses()).hasSize(1);
    assertThat(pool.anyUntold()).isTrue();
    assertThat(pool.asked(1, now)).isEqualTo(JvmAnswer.END);
    assertThat(pool.anyUntold()).isFalse();
    assertThat(pool.done(1)).isNotNull();
  }

  @Test
  void endOfContainerThatNobodyWaitsForIsNotTold() throws Exception {
    scheduler.allocate(request(List.of(), List.of()));
    idle();
    local(request(List.of(), List.of()));
    ContainerStatus stranger =
        ContainerStatus.newInstance(Ids.id(2), ContainerState.COMPLETE, "", 0);
    manager.ended.add(ContainerStatus.newInstance(Ids.id(1), ContainerState.COMPLETE, "", 0));
    manager.ended.add(stranger);
    assertThat(scheduler.allocate(request(List.of(), List.of())).getCompletedContainersStatuses())
        .containsExactly(stranger);
    assertThat(forgotten).containsExactly(Ids.id(1));
  }

  @Test
  void attemptWhoseJvmIsGoneBeforeItBeganIsNotBlamed() throws Exception {
    scheduler.allocate(request(List.of(maps(1)), List.of()));
    idle();
    local(request(List.of(), List.of()));
    manager.ended.add(ContainerStatus.newInstance(Ids.id(1), ContainerState.COMPLETE, "gone", 1));
    assertThat(scheduler.allocate(request(List.of(), List.of())).getCompletedContainersStatuses())
        .singleElement()
        .satisfies(
            status -> {
              assertThat(status.getExitStatus()).isEqualTo(ContainerExitStatus.ABORTED);
              assertThat(status.getDiagnostics()).contains("had ended before it began", "gone");
            });
  }

  @Test
  void newContainersOfTheResourceManagerAreCountedFirst() throws Exception {
    scheduler.allocate(request(List.of(maps(1)), List.of()));
    idle();
    manager.given.add(Ids.container(5));
    AllocateResponse answer = scheduler.allocate(request(List.of(), List.of()));
    assertThat(answer.getAllocatedContainers())
        .extracting(Container::getId)
        .containsExactly(Ids.id(5));
  }

  @Test
  void earlyCallGoesToTheResourceManager() throws Exception {
    scheduler.allocate(request(List.of(), List.of()));
    manager.given.add(Ids.container(5));
    assertThat(early(request(List.of(maps(1)), List.of())).getAllocatedContainers()).hasSize(1);
    assertThat(manager.requests.get(1).getAskList()).containsExactly(maps(1));
    assertThat(scheduler.given()).isEqualTo(1);
  }

  @Test
  void whatAnEarlyCallAskedForInVainIsAskedForAgain() throws Exception {
    scheduler.allocate(request(List.of(), List.of()));
    manager.failure = new YarnException("not now");
    AllocateResponse answer = early(request(List.of(maps(2)), List.of(Ids.id(9))));
    assertThat(answer.getAllocatedContainers()).isEmpty();
    assertThat(answer.getResponseId()).isEqualTo(41);
    assertThatThrownBy(() -> scheduler.allocate(request(List.of(), List.of())))
        .isSameAs(manager.failure);
    manager.failure = null;
    scheduler.allocate(request(List.of(), List.of()));
    assertThat(manager.requests.get(1).getAskList()).containsExactly(maps(2));
    assertThat(manager.requests.get(1).getReleaseList()).containsExactly(Ids.id(9));
  }

  @Test
  void goodbyeIsSaidUntilItIsWrittenDown() throws Exception {
    manager.goodbyesUntilItIsWritten = 3;
    assertThat(scheduler.finishApplicationMaster(null).getIsUnregistered()).isTrue();
    assertThat(manager.goodbyes).isEqualTo(3);
  }

  @Test
  void afterSomeGoodbyesTheRestIsHadoops() throws Exception {
    manager.goodbyesUntilItIsWritten = 100;
    assertThat(scheduler.finishApplicationMaster(null).getIsUnregistered()).isFalse();
    assertThat(manager.goodbyes).isEqualTo(6);
  }

  @Test
  void coldContainersAreNotGivenAgain() throws Exception {
    LocalScheduler cold =
        LocalScheduler.cold(
            manager, new JobConf(false), () -> now, Heartbeats.of(new JobConf(false)));
    cold.allocate(request(List.of(maps(1)), List.of()));
    manager.given.add(Ids.container(5));
    assertThat(cold.allocate(request(List.of(), List.of())).getAllocatedContainers()).hasSize(1);
    ContainerStatus ended = ContainerStatus.newInstance(Ids.id(5), ContainerState.COMPLETE, "", 0);
    manager.ended.add(ended);
    AllocateResponse answer = cold.allocate(request(List.of(maps(1)), List.of()));
    assertThat(answer.getCompletedContainersStatuses()).containsExactly(ended);
    assertThat(answer.getAllocatedContainers()).isEmpty();
  }
}
