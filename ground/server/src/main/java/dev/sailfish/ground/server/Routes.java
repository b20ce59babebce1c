package dev.sailfish.ground.server;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Operation.Caller;
import dev.sailfish.ground.wire.Status;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * What a server does with each operation: has the request decoded, checks that it names the
 * caller's own job where the operation is for jobs, and has it done. Other operations are refused.
 * Filled before the server starts; thread-safe from then on.
 */
public final class Routes implements RequestHandler {
  /** Does what a request asks for, as {@link RequestHandler#handle} says. */
  @FunctionalInterface
  public interface Action<Q> {
    /**
     * @param request is answered, now or later
     * @param asked its header
     */
    void run(Request request, Q asked) throws IOException;
  }

  /** Gives the sink of a request's payload, as {@link RequestHandler#payloadSink} says. */
  @FunctionalInterface
  public interface SinkOpener<Q> {
    /**
     * @param asked the request's header
     */
    PayloadSink open(Request request, Q asked, int payloadLength) throws IOException;
  }

  private final String server;
  private final Map<Operation<?, ?>, RequestHandler> routes = new HashMap<>();

  /**
   * @param server what it is, for messages
   */
  public Routes(String server) {
    this.server = server;
  }

  /** An operation that is not for jobs. */
  public <Q extends MessageLite> Routes on(
      Operation<Q, ?> operation, Parser<Q> parser, Action<Q> action) {
    if (operation.caller() == Caller.JOB) {
      throw new IllegalArgumentException("whose job is it? operation=" + operation);
    }
    routes.put(operation, request -> action.run(request, request.header(parser)));
    return this;
  }

  /**
   * An operation that is for jobs.
   *
   * @param job gives the job that a request is for, or empty: all
   */
  public <Q extends MessageLite> Routes ofJob(
      Operation<Q, ?> operation, Parser<Q> parser, Function<Q, String> job, Action<Q> action) {
    routes.put(operation, request -> action.run(request, checked(request, parser, job)));
    return this;
  }

  /**
   * The same, for requests whose payload goes to a sink of its own.
   *
   * @param end runs when the sink has all bytes; or when there was no payload, and hence no sink
   */
  public <Q extends MessageLite> Routes ofJob(
      Operation<Q, ?> operation,
      Parser<Q> parser,
      Function<Q, String> job,
      SinkOpener<Q> opener,
      RequestHandler end) {
    routes.put(
        operation,
        route(
            (request, length) -> opener.open(request, checked(request, parser, job), length), end));
    return this;
  }

  /**
   * An operation that is not for jobs, whose payload goes to a sink of its own.
   *
   * @param end runs when the sink has all bytes; or when there was no payload, and hence no sink
   */
  public <Q extends MessageLite> Routes on(
      Operation<Q, ?> operation, Parser<Q> parser, SinkOpener<Q> opener, RequestHandler end) {
    routes.put(
        operation,
        route((request, length) -> opener.open(request, request.header(parser), length), end));
    return this;
  }

  private interface Sinks {
    PayloadSink open(Request request, int length) throws IOException;
  }

  private static RequestHandler route(Sinks sinks, RequestHandler end) {
    return new RequestHandler() {
      @Override
      public PayloadSink payloadSink(Request request, int length) throws IOException {
        return sinks.open(request, length);
      }

      @Override
      public void handle(Request request) throws IOException {
        end.handle(request);
      }
    };
  }

  private static <Q extends MessageLite> Q checked(
      Request request, Parser<Q> parser, Function<Q, String> job) throws RequestRefusedException {
    Q asked = request.header(parser);
    request.principal().requireJob(job.apply(asked));
    return asked;
  }

  private RequestHandler route(Request request) throws RequestRefusedException {
    RequestHandler route = routes.get(request.operation());
    if (route == null) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          server
              + " does not do this; is it another server's address that was meant? operation="
              + request.operation());
    }
    return route;
  }

  @Override
  public PayloadSink payloadSink(Request request, int payloadLength) throws IOException {
    return route(request).payloadSink(request, payloadLength);
  }

  @Override
  public void handle(Request request) throws IOException {
    route(request).handle(request);
  }
}
