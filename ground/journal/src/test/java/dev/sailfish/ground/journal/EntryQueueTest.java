package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What goes together, and who is told what. */
class EntryQueueTest {
  private record Sent(List<byte[]> entries, CompletableFuture<List<byte[]>> replies) {
    void echo() {
      replies.complete(entries);
    }
  }

  private final ArrayDeque<Sent> sent = new ArrayDeque<>();
  private final EntryQueue queue =
      new EntryQueue(
          entries -> {
            sent.add(new Sent(entries, new CompletableFuture<>()));
            return sent.getLast().replies();
          });

  private List<CompletableFuture<byte[]>> submit(int count, int bytes) {
    List<CompletableFuture<byte[]>> replies = new ArrayList<>();
    IntStream.range(0, count).forEach(i -> replies.add(queue.submit(new byte[bytes])));
    return replies;
  }

  @Test
  void whatComesWhileTwoAreOnTheirWayGoesTogether() {
    List<CompletableFuture<byte[]>> replies = submit(10, 3);
    assertThat(sent).extracting(batch -> batch.entries().size()).containsExactly(1, 1);
    sent.remove().echo();
    assertThat(sent).extracting(batch -> batch.entries().size()).containsExactly(1, 8);
    assertThat(replies.get(0)).isCompletedWithValueMatching(reply -> reply.length == 3);
    assertThat(replies.get(1)).isNotDone();
    sent.remove().echo();
    sent.remove().echo();
    assertThat(replies).allMatch(CompletableFuture::isDone);
    assertThat(sent).isEmpty();
  }

  @Test
  void aBatchHasAMegabyteUnlessOneEntryHasMore() {
    submit(2, 1);
    queue.submit(new byte[2 << 20]);
    submit(5, 400 << 10);
    sent.remove().echo();
    sent.remove().echo();
    assertThat(sent).extracting(batch -> batch.entries().size()).containsExactly(1, 2);
    sent.remove().echo();
    sent.remove().echo();
    assertThat(sent).extracting(batch -> batch.entries().size()).containsExactly(2, 1);
  }

  @Test
  void allOfABatchThatFailsAreToldWhy() {
    submit(2, 1);
    List<CompletableFuture<byte[]>> replies = submit(3, 1);
    sent.remove().echo();
    sent.remove().echo();
    sent.remove().replies().completeExceptionally(new CompletionException(new IOException("no")));
    for (CompletableFuture<byte[]> reply : replies) {
      assertThat(reply)
          .isCompletedExceptionally()
          .failsWithin(ToyMachine.DEADLINE)
          .withThrowableOfType(ExecutionException.class)
          .havingCause()
          .isInstanceOf(IOException.class)
          .withMessage("no");
    }
    assertThat(queue.submit(new byte[1])).isNotDone();
    assertThat(sent).as("the next ones are sent all the same").hasSize(1);
  }

  @Test
  void isBusyWhenTooMuchWaitsAndNotLater() {
    submit(8192, 1);
    CompletableFuture<byte[]> refused = queue.submit(new byte[1]);
    assertThat(refused)
        .failsWithin(ToyMachine.DEADLINE)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOfSatisfying(
            JournalException.class,
            e -> assertThat(e.reason()).isEqualTo(JournalException.Reason.BUSY));
    sent.remove().echo();
    assertThat(queue.submit(new byte[1])).isNotDone();
  }

  @Test
  void bytesAreLimitedToo() {
    submit(2, 32 << 20);
    assertThat(queue.submit(new byte[1])).isCompletedExceptionally();
    sent.remove().echo();
    assertThat(queue.submit(new byte[1])).isNotDone();
  }
}
