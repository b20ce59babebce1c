package dev.sailfish.ground.replica;

import dev.sailfish.ground.journal.Journal;
import dev.sailfish.ground.journal.JournalException;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.guard.ErrorGuard;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.JournalRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests when a journal has done what they wait for, on the journal's thread. Whatever
 * goes wrong, the request is refused, and an Error ends the process. Thread-safe.
 *
 * @param service what one of its servers is called, for messages
 */
public record JournalAnswers(String service) {
  private static final Logger LOG = LoggerFactory.getLogger(JournalAnswers.class);

  /** Answers a request. */
  @FunctionalInterface
  public interface Answer<T> {
    /**
     * Waits for nothing.
     *
     * @param result what was waited for
     * @throws RequestRefusedException to refuse the request instead
     */
    void give(T result) throws IOException;
  }

  /** Answers a request once there is a result; refuses it when there is an error instead. */
  public <T> void answer(Request request, CompletableFuture<T> result, Answer<T> answer) {
    result.whenComplete(
        (value, error) -> {
          try {
            if (error != null) {
              throw refusal(error);
            }
            answer.give(value);
          } catch (Error e) {
            ErrorGuard.check(e); // a future would keep it
            throw e;
          } catch (RequestRefusedException e) {
            request.fail(e.status(), e.getMessage());
          } catch (IOException | RuntimeException e) {
            LOG.error(
                "request failed: operation={} caller={}", request.operation(), request.caller(), e);
            request.fail(Status.INTERNAL, service + " failed at " + request.operation() + ": " + e);
          }
        });
  }

  /** Answers a request once it is certain that this peer leads and has applied all there is. */
  public void confirmed(Request request, CompletableFuture<Boolean> leads, Answer<Boolean> answer) {
    CompletableFuture<Boolean> certain =
        leads.handle(
            (yes, error) -> {
              if (error == null && yes) {
                return true;
              }
              String why = error == null ? "" : ": " + error;
              throw new CompletionException(
                  new RequestRefusedException(
                      Status.NOT_LEADER,
                      "this " + service + " cannot tell whether it still leads" + why));
            });
    answer(request, certain, answer);
  }

  /** What another peer's journal tells this one's; what that says goes back as it is. */
  public void receive(Journal journal, Request request, JournalRequest message) {
    answer(
        request,
        journal.receive(message.getMessage(), request.payload()),
        reply -> request.reply(EmptyResponse.getDefaultInstance(), ByteBuffer.wrap(reply)));
  }

  /** What a caller is told when the journal does not take something. */
  public RequestRefusedException refusal(Throwable error) {
    ErrorGuard.check(error);
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (cause instanceof RequestRefusedException refused) {
      return refused;
    }
    if (!(cause instanceof JournalException refused)) {
      return new RequestRefusedException(
          Status.INTERNAL, "the " + service + "'s journal fails: " + cause);
    }
    Status status =
        switch (refused.reason()) {
          case NOT_LEADER -> Status.NOT_LEADER;
          case BUSY -> Status.BUSY;
          case BAD_REQUEST -> Status.BAD_REQUEST;
          case FAILED -> Status.INTERNAL;
        };
    return new RequestRefusedException(status, refused.getMessage());
  }
}
