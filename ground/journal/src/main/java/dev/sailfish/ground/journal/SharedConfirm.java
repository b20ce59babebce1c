package dev.sailfish.ground.journal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Questions whether this peer still leads, of which one is on its way at a time: those who ask
 * meanwhile share the next one, which begins after all of them have asked. One who asks alone waits
 * for nothing. A question that is not answered in time is answered with no, so that it holds up
 * nobody behind it. Thread-safe; nobody waits here.
 */
final class SharedConfirm {
  private final Supplier<CompletableFuture<Boolean>> question;
  private final Duration deadline;

  // Guarded by this object's monitor, in which nothing is called.
  private boolean isRunning;
  private CompletableFuture<Boolean> next;

  /**
   * @param question asks; does not wait
   * @param deadline of an answer
   */
  SharedConfirm(Supplier<CompletableFuture<Boolean>> question, Duration deadline) {
    this.question = question;
    this.deadline = deadline;
  }

  /** The answer to a question that begins now or later. */
  CompletableFuture<Boolean> ask() {
    CompletableFuture<Boolean> answer;
    boolean begins;
    synchronized (this) {
      begins = !isRunning;
      isRunning = true;
      if (begins) {
        answer = new CompletableFuture<>();
      } else {
        next = next == null ? new CompletableFuture<>() : next;
        answer = next;
      }
    }
    if (begins) {
      begin(answer);
    }
    return answer;
  }

  /** Begins one question after the other; an answer that is there at once needs no deeper call. */
  private void begin(CompletableFuture<Boolean> first) {
    CompletableFuture<Boolean> answer = first;
    while (answer != null) {
      CompletableFuture<Boolean> asked = question.get();
      if (!asked.isDone()) {
        CompletableFuture<Boolean> waiting = answer;
        asked
            .orTimeout(deadline.toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete((leads, error) -> begin(ended(waiting, leads, error)));
        return;
      }
      answer = ended(answer, asked.exceptionally(error -> false).join(), null);
    }
  }

  /** Gives an answer, and returns those who have asked meanwhile, or null. */
  private CompletableFuture<Boolean> ended(
      CompletableFuture<Boolean> answer, Boolean leads, Throwable error) {
    CompletableFuture<Boolean> following;
    synchronized (this) {
      following = next;
      next = null;
      isRunning = following != null;
    }
    answer.complete(error == null && leads);
    return following;
  }
}
