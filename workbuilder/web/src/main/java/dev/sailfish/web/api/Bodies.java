package dev.sailfish.web.api;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads bodies of requests that nobody has logged in for, before they come to one of the threads
 * that wait: those are few, and a client may send slowly, or nothing more. A body has a limit and a
 * deadline, and all together have a limit. On the threads of the server; thread-safe.
 */
final class Bodies {
  private static final String BODY = "sailfish.body";
  private static final long DEADLINE_MS = 10_000;
  private static final long MOST_BYTES = 32L << 20;

  /** What a body took is free after so long, whatever became of its answer. */
  private static final long FREE_MS = 60_000;

  private final AtomicLong bytes = new AtomicLong(); // of requests that are not answered yet

  /** Answers a request that is not taken. */
  @FunctionalInterface
  interface Refusal {
    void refuse(RoutingContext context, Response.Status status, String detail);
  }

  /** The body of a request; empty where none was read. */
  static byte[] of(RoutingContext context) {
    Buffer body = context.get(BODY);
    return body == null ? new byte[0] : body.getBytes();
  }

  /**
   * Reads the body of a request that has just come.
   *
   * @param limit in bytes
   * @param next goes on with the request once all of it is there
   */
  void read(RoutingContext context, int limit, Runnable next, Refusal refusal) {
    Reading reading = new Reading(context, limit, next, refusal);
    if (said(context.request()) > limit) {
      reading.refuseLong();
    } else {
      reading.begin();
    }
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
    private final Runnable next;
    private final Refusal refusal;
    private final Buffer body = Buffer.buffer();
    private long deadline;
    private boolean over; // nothing more is taken
    private boolean free; // what was taken counts no more

    private Reading(RoutingContext context, int limit, Runnable next, Refusal refusal) {
      this.context = context;
      this.limit = limit;
      this.next = next;
      this.refusal = refusal;
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
          .exceptionHandler(broken -> end())
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
        context.put(BODY, body);
        next.run();
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
      context.addEndHandler(done -> context.request().connection().close());
      if (context.request().version() != HttpVersion.HTTP_2) {
        context.response().putHeader("Connection", "close");
      }
      if (isAwaited()) {
        // The JDK's client waits for ever for the body of an answer in place of the permission.
        context.response().setStatusCode(status.getStatusCode()).end();
      } else {
        refusal.refuse(context, status, detail);
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
