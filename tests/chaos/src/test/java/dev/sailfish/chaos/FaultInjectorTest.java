package dev.sailfish.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.chaos.TestFault.TestMoment;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults strike at their moments, look for something to hit, and are put right. */
@Timeout(60)
class FaultInjectorTest {
  private final TestTarget target = new TestTarget();
  private final CompletableFuture<Void> work = new CompletableFuture<>();

  private static Fault<TestTarget> fault(TestFault kind, TestMoment moment) {
    return new Fault<>(kind, moment, 1, 42);
  }

  /** The work has come to these moments, and ends when a condition holds. */
  private final class Watch implements Progress {
    private final Set<TestMoment> seen;
    private final BooleanSupplier done;

    Watch(Set<TestMoment> seen, BooleanSupplier done) {
      this.seen = seen;
      this.done = done;
    }

    @Override
    public void look() {
      if (done.getAsBoolean()) {
        work.complete(null);
      }
    }

    @Override
    public boolean reached(Moment moment) {
      return seen.contains((TestMoment) moment);
    }
  }

  @Test
  void faultsShouldStrikeAtTheirMoments() throws Exception {
    FaultInjector<TestTarget> injector =
        new FaultInjector<>(
            target,
            List.of(
                fault(TestFault.BEFORE, TestMoment.BEFORE),
                fault(TestFault.FIRST, TestMoment.STARTED),
                fault(TestFault.ONCE, TestMoment.HALF)));
    assertThat(injector.prepare()).hasSize(1).allMatch(Injection::injected);
    assertThat(target.struck).containsExactly(TestFault.BEFORE);
    injector.drive(
        work, new Watch(EnumSet.of(TestMoment.STARTED), () -> target.struck.size() == 2));
    List<Injection<TestTarget>> injections = injector.finish();
    assertThat(target.struck).containsExactly(TestFault.BEFORE, TestFault.FIRST);
    assertThat(injections).hasSize(2);
    assertThat(injections)
        .filteredOn(Injection::injected)
        .singleElement()
        .satisfies(
            one -> assertThat(one.toString()).contains("FIRST at STARTED+1ms: hit by FIRST"));
    assertThat(target.repairs).hasValue(1);
  }

  @Test
  void aFaultShouldLookForSomethingToHit() throws Exception {
    target.misses = 2;
    FaultInjector<TestTarget> injector =
        new FaultInjector<>(target, List.of(fault(TestFault.FIRST, TestMoment.STARTED)));
    injector.drive(work, new Watch(EnumSet.of(TestMoment.STARTED), () -> !target.struck.isEmpty()));
    assertThat(injector.finish()).hasSize(1).allMatch(Injection::injected);
    assertThat(target.tries).hasValue(3);
  }

  @Test
  void whatFindsNothingToHitShouldEndWithTheWork() throws Exception {
    target.misses = Integer.MAX_VALUE;
    FaultInjector<TestTarget> injector =
        new FaultInjector<>(target, List.of(fault(TestFault.FIRST, TestMoment.STARTED)));
    injector.drive(work, new Watch(EnumSet.of(TestMoment.STARTED), () -> target.tries.get() > 1));
    assertThat(injector.finish()).hasSize(1).noneMatch(Injection::injected);
    assertThat(target.repairs).hasValue(1);
  }

  @Test
  void targetShouldBeRepairedAlthoughAFaultFails() throws Exception {
    target.broken = true;
    FaultInjector<TestTarget> injector =
        new FaultInjector<>(target, List.of(fault(TestFault.FIRST, TestMoment.STARTED)));
    work.completeExceptionally(new IllegalStateException("the work fails"));
    injector.drive(work, new Watch(EnumSet.of(TestMoment.STARTED), () -> false));
    assertThat(injector.finish()).noneMatch(Injection::injected);

    CompletableFuture<Void> other = new CompletableFuture<>();
    FaultInjector<TestTarget> failing =
        new FaultInjector<>(target, List.of(fault(TestFault.FIRST, TestMoment.STARTED)));
    int[] looks = {0};
    failing.drive(
        other,
        new Watch(EnumSet.of(TestMoment.STARTED), () -> ++looks[0] > 3 && other.complete(null)));
    assertThatThrownBy(failing::finish)
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("cannot be struck");
    assertThat(target.repairs).hasValue(2);
  }
}
