package dev.sailfish.web.api;

import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Reads bodies of requests that nobody has logged in for, before they come to one of the threads
 * that wait: those are few, and a client may send slowly, or nothing more. A body has a limit and a
 * deadline, and all together have a limit. On the threads of the server; thread-safe.
 */
@Singleton
public class Bodies {
  /** RFC 9113, section 7: the rest of a request is not needed. */
  private static final long NO_ERROR = 0;

  private static final long DEADLINE_MS = 10_000;
  private static final long MOST_BYTES = 32L << 20;

  /** What a body took is free after so long, whatever became of its answer. */
  private static final long FREE_MS = 60_000;

  private final AtomicLong bytes = new AtomicLong(); // of requests that are not answered yet

  /**
   * Reads the body of a request of which nothing has been read.
   *
   * @param limit in bytes
   * @param work makes the answer of all of it, on a thread that may wait
   * @return the answer, or a {@link ProblemException} where the body is not taken
   */
  CompletionStage<Response> answer(
      RoutingContext context, int limit, Function<byte[], Response> work) {
    Reading reading = new Reading(context, limit, work);
    if (said(context.request()) > limit) {
      reading.refuseLong();
    } else {
      reading.begin();
    }
    return reading.answer.future().toCompletionStage();
  }

  /** How long a body will be, as far as its header can be read; a body may be longer. */
  private static long said(HttpServerRequest request) {
    String length = request.getHeader("Content-Length");
    try {
      return length == null ? 0 : Long.parseLong(length.strip());
    } catch (NumberFormatException e) {
      return 0; // what comes is counted
    }
  }

  /** One body; for the thread of its connection. */
  private final class Reading {
    private final RoutingContext context;
    private final int limit;
    private final Function<byte[], Response> work;
    private final Promise<Response> answer = Promise.promise();
    private final Buffer body = Buffer.buffer();
    private long deadline;
    private boolean over; // nothing more is taken
    private boolean free; // what was taken counts no more

    private Reading(RoutingContext context, int limit, Function<byte[], Response> work) {
      this.context = context;
      this.limit = limit;
      this.work = work;
    }

    private void begin() {
      HttpServerRequest request = context.request();
      deadline = context.vertx().setTimer(DEADLINE_MS, timer -> refuseSlow());
      long latest = context.vertx().setTimer(FREE_MS, timer -> free());
      context.addEndHandler(
          done -> {
            context.vertx().cancelTimer(latest);
            end();
            free();
          });
      if (request.isEnded()) {
        complete();
        return;
      }
      if (isAwaited()) {
        context.response().writeContinue();
      }
      request
          .exceptionHandler(broken -> leave())
          .handler(this::take)
          .endHandler(done -> complete())
          .resume();
    }

    private void take(Buffer part) {
      if (over) {
        return;
      }
      if (body.length() + part.length() > limit) {
        refuseLong();
      } else if (bytes.addAndGet(part.length()) > MOST_BYTES) {
        bytes.addAndGet(-part.length());
        refuse(
            Response.Status.SERVICE_UNAVAILABLE,
            "Too much is being sent to this process: try again later.");
      } else {
        body.appendBuffer(part);
      }
    }

    private void complete() {
      if (!over) {
        end();
        context
            .vertx()
            .executeBlocking(() -> work.apply(body.getBytes()), false)
            .onComplete(answer);
      }
    }

    private void refuseLong() {
      refuse(
          Response.Status.REQUEST_ENTITY_TOO_LARGE,
          "The body is too long: it may have " + limit + " bytes.");
    }

    private void refuseSlow() {
      if (!over) {
        refuse(
            Response.Status.REQUEST_TIMEOUT,
            "The body did not come within " + DEADLINE_MS + " ms: send it again.");
      }
    }

    /** What is still sent is not waited for. */
    private void refuse(Response.Status status, String detail) {
      end();
      if (context.request().version() == HttpVersion.HTTP_2) {
        context.addEndHandler(done -> context.response().reset(NO_ERROR));
      } else {
        context.response().putHeader("Connection", "close");
        context.addEndHandler(done -> context.request().connection().close());
      }
      if (isAwaited()) {
        // The JDK's client waits for ever for the body of an answer in place of the permission.
        answer.complete(Response.status(status).build());
      } else {
        answer.fail(new ProblemException(status, detail));
      }
    }

    /** Nobody waits for the answer. */
    private void leave() {
      if (!over) {
        end();
        answer.complete(Response.status(Response.Status.BAD_REQUEST).build());
      }
    }

    /** Whether the client sends the body when it has the permission. */
    private boolean isAwaited() {
      return "100-continue".equalsIgnoreCase(context.request().getHeader("Expect"));
    }

    private void end() {
      over = true;
      context.vertx().cancelTimer(deadline);
    }

    private void free() {
      if (!free) {
        free = true;
        bytes.addAndGet(-body.length());
      }
    }
  }
}
