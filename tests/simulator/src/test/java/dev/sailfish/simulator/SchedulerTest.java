package dev.sailfish.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Time passes between events only, and one seed is one schedule. */
@Seeded
@Timeout(30)
class SchedulerTest {
  private static final long MILLI = 1_000_000;

  private final List<String> done = new ArrayList<>();
  private final SimulatedProcess process = new SimulatedProcess("process");

  @Test
  void eventsShouldHappenInTheOrderOfTheirTimes(Seed seed) throws Exception {
    Scheduler scheduler = new Scheduler(seed.value());
    long startNs = scheduler.nowNs();
    scheduler.after(3 * MILLI, "late", process, () -> done.add("late"));
    scheduler.after(MILLI, "early", process, () -> done.add("early"));
    scheduler.after(MILLI, "behind", process, () -> done.add("behind"));
    scheduler.after(4 * MILLI, "end", process, scheduler::end);
    scheduler.after(5 * MILLI, "never", process, () -> done.add("never"));
    scheduler.run();
    assertThat(done).containsExactly("early", "behind", "late");
    assertThat(scheduler.nowNs() - startNs).isEqualTo(4 * MILLI);
    assertThat(scheduler.happened()).isEqualTo(4);
    assertThat(scheduler.history()).contains("early").contains("end").doesNotContain("never");
  }

  @Test
  void nothingOfADeadProcessShouldHappen(Seed seed) throws Exception {
    Scheduler scheduler = new Scheduler(seed.value());
    SimulatedProcess other = new SimulatedProcess("other");
    scheduler.after(MILLI, "kill", other, process::die);
    scheduler.after(2 * MILLI, "dead", process, () -> done.add("dead"));
    scheduler.after(3 * MILLI, "end", other, scheduler::end);
    scheduler.run();
    assertThat(done).isEmpty();
  }

  @Test
  void whatAStoppedProcessDoesShouldHappenWhenItGoesOn(Seed seed) throws Exception {
    Scheduler scheduler = new Scheduler(seed.value());
    SimulatedProcess other = new SimulatedProcess("other");
    long startNs = scheduler.nowNs();
    process.pause(startNs, startNs + 10 * MILLI);
    scheduler.after(MILLI, "first", process, () -> done.add("first"));
    scheduler.after(2 * MILLI, "second", process, () -> done.add("second"));
    scheduler.after(5 * MILLI, "other", other, () -> done.add("other"));
    scheduler.after(11 * MILLI, "end", other, scheduler::end);
    scheduler.run();
    assertThat(done).containsExactly("other", "first", "second");
    assertThat(process.pausedNs(startNs)).isEqualTo(10 * MILLI);
  }

  @Test
  void stopWithinAStopShouldNotEndIt(Seed seed) {
    long startNs = new Scheduler(seed.value()).nowNs();
    process.pause(startNs, startNs + 10 * MILLI);
    process.pause(startNs + 2 * MILLI, startNs + 5 * MILLI);
    assertThat(process.pausedUntilNs()).isEqualTo(startNs + 10 * MILLI);
    process.pause(startNs + 8 * MILLI, startNs + 12 * MILLI);
    process.pause(startNs + 20 * MILLI, startNs + 21 * MILLI);
    assertThat(process.pausedUntilNs()).isEqualTo(startNs + 21 * MILLI);
    assertThat(process.pausedNs(startNs)).isEqualTo(13 * MILLI);
    assertThat(process.pausedNs(startNs + 7 * MILLI)).isEqualTo(6 * MILLI);
  }

  /** Two actors take turns, and draw from the same source as the events. */
  private static long hashOf(long seed) throws InterruptedException {
    Scheduler scheduler = new Scheduler(seed);
    Internet internet =
        new Internet(scheduler, Weather.fair(scheduler.random()), /* endless= */ false);
    SimulatedProcess process = new SimulatedProcess("process");
    int[] running = {2};
    for (int number = 0; number < 2; number++) {
      Actor actor = new Actor(scheduler, "actor " + number, process);
      SimulatedNetwork network = new SimulatedNetwork(internet, actor);
      scheduler.start(
          actor,
          () -> {
            for (int turn = 0; turn < 20; turn++) {
              network.pause(network.nanoTime() + scheduler.drawNs(0, MILLI), "a turn");
            }
          },
          failure -> {
            assertThat(failure).isNull();
            running[0]--;
            if (running[0] == 0) {
              scheduler.end();
            }
          });
    }
    scheduler.run();
    return scheduler.hash();
  }

  @Test
  void sameSeedShouldBeTheSameSchedule(Seed seed) throws Exception {
    assertThat(hashOf(seed.value()))
        .isEqualTo(hashOf(seed.value()))
        .isNotEqualTo(hashOf(seed.value() + 1));
  }

  @Test
  void waitOfAKilledActorShouldEndIt(Seed seed) throws Exception {
    Scheduler scheduler = new Scheduler(seed.value());
    Internet internet = new Internet(scheduler, Weather.fair(scheduler.random()), false);
    Actor actor = new Actor(scheduler, "actor", process);
    SimulatedNetwork network = new SimulatedNetwork(internet, actor);
    List<Throwable> failures = new ArrayList<>();
    scheduler.start(
        actor,
        () -> network.pause(Long.MAX_VALUE, "nothing"),
        failure -> {
          failures.add(failure);
          scheduler.end();
        });
    scheduler.after(MILLI, "kill", internet.process(), () -> internet.kill(process, false));
    scheduler.run();
    assertThat(failures).hasSize(1).first().isInstanceOf(Actor.Killed.class);
    assertThat(actor.hasEnded()).isTrue();
  }

  @Test
  void brokenInvariantShouldEndTheSchedule(Seed seed) {
    Scheduler scheduler = new Scheduler(seed.value());
    scheduler.checkAfterEach(
        () -> {
          if (!done.isEmpty()) {
            throw new Violation(SchedulerTest.class, "something was done");
          }
        });
    scheduler.after(MILLI, "work", process, () -> done.add("work"));
    scheduler.after(2 * MILLI, "never", process, () -> done.add("never"));
    assertThatThrownBy(scheduler::run)
        .isInstanceOf(Violation.class)
        .hasMessage("SchedulerTest: something was done");
    assertThat(done).containsExactly("work");
  }

  @Test
  void scheduleWithoutAnEndShouldFail(Seed seed) {
    Scheduler scheduler = new Scheduler(seed.value());
    scheduler.after(MILLI, "work", process, () -> {});
    assertThatThrownBy(scheduler::run)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("comes to no end");
  }

  @Test
  void lateCallShouldBreakEveryWaitEnds(Seed seed) {
    Scheduler scheduler = new Scheduler(seed.value());
    Internet internet = new Internet(scheduler, Weather.fair(scheduler.random()), false);
    Actor actor = new Actor(scheduler, "actor", process);
    SimulatedNetwork network = new SimulatedNetwork(internet, actor);
    EveryWaitEnds everyWaitEnds = new EveryWaitEnds(scheduler);
    scheduler.checkAfterEach(everyWaitEnds::check);
    scheduler.start(
        actor,
        () ->
            everyWaitEnds.in(
                100,
                actor,
                "a call",
                () -> {
                  network.pause(network.nanoTime() + 200 * MILLI, "too long");
                  return null;
                }),
        failure -> scheduler.end());
    scheduler.after(150 * MILLI, "look", internet.process(), () -> {});
    assertThatThrownBy(scheduler::run)
        .isInstanceOf(Violation.class)
        .hasMessage("EveryWaitEnds: actor still waits in a call, long after its deadlines");
  }
}
