package dev.sailfish.metaserver.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RehearsalTest {
  private static final Duration MUCH = Duration.ofMinutes(1);

  @Test
  void playsAllTasksAndLeavesNoThread() {
    try (Rehearsal rehearsal = new Rehearsal(MUCH, () -> false)) {
      assertThat(rehearsal.run()).isEqualTo(120);
    }
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(Thread::isAlive)
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("rehearsal-"));
  }

  @Test
  void endsWhenAJobComes() {
    AtomicInteger asked = new AtomicInteger();
    try (Rehearsal rehearsal = new Rehearsal(MUCH, () -> asked.incrementAndGet() > 5)) {
      assertThat(rehearsal.run()).isEqualTo(5);
    }
  }

  @Test
  void endsWhenItsTimeIsUsedUp() {
    try (Rehearsal rehearsal = new Rehearsal(Duration.ofMillis(1), () -> false)) {
      assertThat(rehearsal.run()).isLessThan(120);
    }
  }

  @Test
  void endsWhenItIsClosed() {
    Rehearsal rehearsal = new Rehearsal(MUCH, () -> false);
    rehearsal.start();
    rehearsal.close();
    assertThat(rehearsal.run()).isZero();
  }
}
