package dev.sailfish.hadoop.am.warm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.junit.jupiter.api.Test;

class WarmPoolTest {
  private static final WarmSettings SETTINGS =
      new WarmSettings("isolated", "", true, 100, 1000, 3, 60_000, 10_000);

  private static final long PLENTY = 1024;

  private final WarmPool pool = new WarmPool(SETTINGS);
  private final TaskAttemptId first = Ids.attempt(TaskType.MAP, 0);
  private final TaskAttemptId second = Ids.attempt(TaskType.REDUCE, 1);

  /** Container 1 has done its first task and is idle since the time. */
  private WarmContainer idle(long nowMs) {
    pool.started(Ids.container(1), first, 0);
    assertThat(pool.asked(1, 0)).isEqualTo(JvmAnswer.TASK);
    pool.given(1, 0);
    assertThat(pool.asked(1, nowMs)).isEqualTo(JvmAnswer.DONE);
    assertThat(pool.endedAttempts()).containsExactly(Ids.id(1));
    List<WarmContainer> idle = pool.idle(PLENTY, nowMs);
    assertThat(idle).hasSize(1);
    return idle.get(0);
  }

  @Test
  void jvmThatNobodyKnowsIsHadoops() {
    assertThat(pool.asked(7, 0)).isEqualTo(JvmAnswer.UNKNOWN);
    assertThat(pool.ended(Ids.id(7))).isEqualTo(WarmPool.End.AS_STOCK);
    assertThat(pool.stop(Ids.id(7), first, 0)).isEqualTo(WarmPool.Stop.AS_STOCK);
    assertThat(pool.assigned(Ids.id(7), first, 0)).isEqualTo(WarmPool.Start.NEW);
    assertThat(pool.lives(Ids.id(7))).isFalse();
    assertThat(pool.find(Ids.id(7))).isNull();
  }

  @Test
  void onlyTaskAfterTaskIsRunInOneJvm() {
    WarmContainer container = idle(5);
    assertThat(pool.asked(1, 6)).isEqualTo(JvmAnswer.WAIT);
    pool.offered(container, 6);
    assertThat(pool.asked(1, 7)).isEqualTo(JvmAnswer.WAIT);
    assertThat(pool.assigned(Ids.id(1), second, 8)).isEqualTo(WarmPool.Start.RUNS);
    assertThat(pool.find(Ids.id(1)).first).isEqualTo(first);
    assertThat(pool.runsMap(1)).isFalse();
    assertThat(pool.asked(1, 9)).isEqualTo(JvmAnswer.TASK);
    pool.given(1, 9);
    assertThat(pool.endedAttempts()).isEmpty();
    assertThat(pool.asked(1, 10)).isEqualTo(JvmAnswer.DONE);
    assertThat(pool.endedAttempts()).containsExactly(Ids.id(1));
    assertThat(pool.endedAttempts()).isEmpty();
    assertThat(pool.lives(Ids.id(1))).isTrue();
  }

  @Test
  void attemptThatIsKilledTakesItsContainerAlong() {
    WarmContainer container = idle(5);
    pool.offered(container, 6);
    pool.assigned(Ids.id(1), second, 8);
    assertThat(pool.stop(Ids.id(1), first, 8)).isEqualTo(WarmPool.Stop.TELL_ONLY);
    assertThat(pool.asked(1, 9)).isEqualTo(JvmAnswer.TASK);
    assertThat(pool.stop(Ids.id(1), second, 9)).isEqualTo(WarmPool.Stop.AND_TELL);
    assertThat(pool.asked(1, 9)).isEqualTo(JvmAnswer.END);
  }

  /** Its JVM waits for another attempt already. */
  @Test
  void attemptThatIsKilledAfterItsEndLeavesItsContainerToTheNext() {
    pool.offered(idle(5), 6);
    assertThat(pool.stop(Ids.id(1), first, 7)).isEqualTo(WarmPool.Stop.TELL_ONLY);
    assertThat(pool.assigned(Ids.id(1), second, 8)).isEqualTo(WarmPool.Start.RUNS);
  }

  /** Hadoop's launcher would tell the container's first attempt alone. */
  @Test
  void attemptWhoseContainerHasEndedIsTold() {
    pool.offered(idle(5), 6);
    pool.assigned(Ids.id(1), second, 7);
    pool.given(1, 8);
    assertThat(pool.ended(Ids.id(1))).isEqualTo(WarmPool.End.AS_STOCK);
    assertThat(pool.stop(Ids.id(1), second, 9)).isEqualTo(WarmPool.Stop.HAS_ENDED);
    assertThat(pool.stop(Ids.id(1), first, 9)).isEqualTo(WarmPool.Stop.AS_STOCK);
  }

  @Test
  void firstAttemptIsKilledAsHadoopDoes() {
    pool.started(Ids.container(1), first, 0);
    assertThat(pool.stop(Ids.id(1), first, 1)).isEqualTo(WarmPool.Stop.AS_STOCK);
    pool.given(1, 2);
    assertThat(pool.asked(1, 3)).isEqualTo(JvmAnswer.END);
    assertThat(pool.ended(Ids.id(1))).isEqualTo(WarmPool.End.AS_STOCK);
  }

  @Test
  void whatTheEndOfContainerMeans() {
    pool.started(Ids.container(2), first, 0);
    assertThat(pool.ended(Ids.id(2))).isEqualTo(WarmPool.End.AS_STOCK);
    idle(5);
    assertThat(pool.ended(Ids.id(1))).isEqualTo(WarmPool.End.NOBODYS);
    assertThat(pool.assigned(Ids.id(1), second, 6)).isEqualTo(WarmPool.Start.GONE);
    assertThat(pool.lives(Ids.id(1))).isFalse();
  }

  @Test
  void nobodyIsBlamedForJvmThatWasGoneBeforeItsTask() {
    pool.offered(idle(5), 6);
    assertThat(pool.ended(Ids.id(1))).isEqualTo(WarmPool.End.NOT_BEGUN);
    assertThat(pool.assigned(Ids.id(1), second, 7)).isEqualTo(WarmPool.Start.GONE);
    WarmContainer again = idle(8);
    pool.offered(again, 9);
    pool.assigned(Ids.id(1), second, 10);
    assertThat(pool.ended(Ids.id(1))).isEqualTo(WarmPool.End.NOT_BEGUN);
  }

  @Test
  void endedTaskOfJvmThatGoesByItselfIsToldByTheResourceManager() {
    pool.started(Ids.container(1), first, 0);
    pool.given(1, 1);
    assertThat(pool.ended(Ids.id(1))).isEqualTo(WarmPool.End.AS_STOCK);
  }

  @Test
  void limits() {
    idle(5);
    assertThat(pool.idle(1023, 9_999)).hasSize(1);
    assertThat(pool.idle(1023, 10_000)).as("old, and others may wait").isEmpty();
    assertThat(pool.asked(1, 10_001)).isEqualTo(JvmAnswer.END);
  }

  @Test
  void oldContainerLeavesInAnyCase() {
    idle(5);
    assertThat(pool.idle(PLENTY, 59_999)).hasSize(1);
    assertThat(pool.idle(PLENTY, 60_000)).isEmpty();
  }

  @Test
  void mostTasks() {
    WarmContainer container = idle(5);
    for (int task = 2; task <= 3; task++) {
      pool.offered(container, 6);
      pool.assigned(Ids.id(1), second, 6);
      pool.given(1, 6);
      pool.asked(1, 7);
      pool.endedAttempts();
      assertThat(pool.idle(PLENTY, 8)).hasSize(task < 3 ? 1 : 0);
    }
  }

  @Test
  void idleContainerIsGivenBack() {
    idle(5);
    pool.giveBack(1000, 1004);
    assertThat(pool.asked(1, 1004)).isEqualTo(JvmAnswer.WAIT);
    pool.giveBack(1000, 1005);
    assertThat(pool.asked(1, 1005)).isEqualTo(JvmAnswer.END);
    assertThat(pool.overdue(1005 + WarmPool.PATIENCE_MS)).isEmpty();
    assertThat(pool.overdue(1006 + WarmPool.PATIENCE_MS)).containsExactly(Ids.id(1));
  }

  @Test
  void containerThatIsWantedBackGetsNoOtherTask() {
    WarmContainer container = idle(5);
    pool.offered(container, 6);
    pool.assigned(Ids.id(1), second, 6);
    pool.lastTask(Ids.id(1));
    pool.given(1, 7);
    pool.asked(1, 8);
    assertThat(pool.endedAttempts()).containsExactly(Ids.id(1));
    assertThat(pool.idle(PLENTY, 8)).isEmpty();
    assertThat(pool.asked(1, 9)).isEqualTo(JvmAnswer.END);
  }

  @Test
  void offerThatNobodyTakesIsOver() {
    pool.offered(idle(5), 6);
    assertThat(pool.idle(PLENTY, 7 + WarmPool.PATIENCE_MS)).isEmpty();
    assertThat(pool.assigned(Ids.id(1), second, 7 + WarmPool.PATIENCE_MS))
        .as("too late: it must not be started a second time")
        .isEqualTo(WarmPool.Start.GONE);
    assertThat(pool.asked(1, 7 + WarmPool.PATIENCE_MS)).isEqualTo(JvmAnswer.END);
  }

  @Test
  void kindsThatDifferStayApart() {
    WarmContainer map = new WarmContainer(Ids.container(1), first, 0);
    WarmContainer reduce = new WarmContainer(Ids.container(2), second, 0);
    WarmPool apart =
        new WarmPool(new WarmSettings("shared", "", false, 0, 1000, 3, 60_000, 10_000));
    assertThat(apart.priorities(map)).containsExactly(5, 20);
    assertThat(apart.priorities(reduce)).containsExactly(10);
    assertThat(pool.priorities(reduce)).containsExactly(5, 20, 10);
  }
}
