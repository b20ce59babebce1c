package dev.sailfish.benchmarks.jobs.watch;

import dev.sailfish.localcluster.Await;
import dev.sailfish.localcluster.CommandException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.IntStream;

/**
 * Clients of server-sent events, each with a connection of its own, which count the events that
 * they hear. For one thread; counts grow on others.
 */
final class EventClients implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final int OK = 200;

  private final List<Ear> ears;
  private final List<CompletableFuture<HttpResponse<Void>>> streams;

  /** One client. */
  private static final class Ear implements Flow.Subscriber<String> {
    private volatile Flow.Subscription subscription;
    private volatile String failure = "";
    private volatile int events; // written by one thread at a time

    BodySubscriber<Void> body(int status) {
      if (status != OK) {
        failure = "status " + status;
        return BodySubscribers.replacing(null);
      }
      return BodySubscribers.fromLineSubscriber(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(String line) {
      if (line.startsWith("data:")) {
        events = events + 1;
      }
    }

    @Override
    public void onError(Throwable error) {
      failure = String.valueOf(error);
    }

    @Override
    public void onComplete() {
      failure = "the stream ended";
    }

    void close() {
      Flow.Subscription open = subscription;
      if (open != null) {
        open.cancel();
      }
    }
  }

  private EventClients(List<Ear> ears, List<CompletableFuture<HttpResponse<Void>>> streams) {
    this.ears = ears;
    this.streams = streams;
  }

  /**
   * Connects all, and waits until each has heard an event.
   *
   * @param events address of a topic
   * @throws CommandException when one hears nothing within 30 s
   */
  static EventClients open(URI events, int count) {
    HttpClient http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(DEADLINE)
            .build();
    HttpRequest request =
        HttpRequest.newBuilder(events).header("Accept", "text/event-stream").build();
    List<Ear> ears = IntStream.range(0, count).mapToObj(number -> new Ear()).toList();
    EventClients clients =
        new EventClients(
            ears,
            ears.stream()
                .map(ear -> http.sendAsync(request, head -> ear.body(head.statusCode())))
                .toList());
    new Await(DEADLINE, POLL).holdsInTime(() -> clients.allHear() || !clients.failures().isEmpty());
    if (!clients.allHear()) {
      String failures = clients.failures();
      clients.close();
      throw new CommandException(
          "Not all of %d clients hear events of %s within %d s. %s"
              .formatted(count, events, DEADLINE.toSeconds(), failures));
    }
    return clients;
  }

  /** No clients at all. */
  static EventClients none() {
    return new EventClients(List.of(), List.of());
  }

  private boolean allHear() {
    return counts().allMatch(count -> count > 0);
  }

  private IntStream counts() {
    return ears.stream().mapToInt(ear -> ear.events);
  }

  /** How many events each client has heard until now, in the order in which they connected. */
  int[] heard() {
    return counts().toArray();
  }

  /** What went wrong, in the words of the first client that it did for; empty when all listen. */
  String failures() {
    for (int i = 0; i < ears.size(); i++) {
      CompletableFuture<HttpResponse<Void>> stream = streams.get(i);
      if (!ears.get(i).failure.isEmpty()) {
        return ears.get(i).failure;
      }
      if (stream.isCompletedExceptionally()) {
        return String.valueOf(stream.handle((answer, error) -> error).join());
      }
    }
    return "";
  }

  /** Closes the connections. */
  @Override
  public void close() {
    ears.forEach(Ear::close);
    streams.forEach(stream -> stream.cancel(true));
  }
}
