package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SharedConfirmTest {
  private final Deque<CompletableFuture<Boolean>> asked = new ArrayDeque<>();
  private final SharedConfirm confirm =
      new SharedConfirm(
          () -> {
            asked.add(new CompletableFuture<>());
            return asked.getLast();
          },
          Duration.ofMinutes(10));

  @Test
  void whoAsksMeanwhileSharesAQuestionThatBeginsLater() {
    CompletableFuture<Boolean> first = confirm.ask();
    CompletableFuture<Boolean> second = confirm.ask();
    CompletableFuture<Boolean> third = confirm.ask();
    assertThat(asked).hasSize(1);
    asked.remove().complete(true);
    assertThat(first).isCompletedWithValue(true);
    assertThat(second).isNotDone();
    assertThat(third).isNotDone();
    assertThat(asked).hasSize(1);
    CompletableFuture<Boolean> fourth = confirm.ask();
    asked.remove().complete(false);
    assertThat(second).isCompletedWithValue(false);
    assertThat(third).isCompletedWithValue(false);
    assertThat(fourth).isNotDone();
    asked.remove().completeExceptionally(new IllegalStateException("closed"));
    assertThat(fourth).isCompletedWithValue(false);
    assertThat(asked).isEmpty();
  }

  @Test
  void answersThatAreThereAtOnceNeedNoDeeperCalls() {
    SharedConfirm ready =
        new SharedConfirm(() -> CompletableFuture.completedFuture(true), Duration.ofMinutes(10));
    for (int i = 0; i < 100_000; i++) {
      assertThat(ready.ask()).isCompletedWithValue(true);
    }
  }

  @Test
  void whatIsNeverAnsweredHoldsUpNobody() {
    SharedConfirm impatient = new SharedConfirm(CompletableFuture::new, Duration.ofMillis(50));
    CompletableFuture<Boolean> first = impatient.ask();
    CompletableFuture<Boolean> second = impatient.ask();
    await().until(second::isDone);
    assertThat(first).isCompletedWithValue(false);
    assertThat(second).isCompletedWithValue(false);
  }
}
