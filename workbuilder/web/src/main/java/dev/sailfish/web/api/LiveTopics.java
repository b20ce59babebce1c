package dev.sailfish.web.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.web.WebServices;
import dev.sailfish.web.job.Archive;
import dev.sailfish.web.job.Job;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.BackPressureStrategy;
import io.smallrye.mutiny.subscription.MultiEmitter;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * What is live: each topic's JSON, at most once a second and only when it has changed. It is made
 * once, however many clients there are; a client that is slow gets the newest when it is ready.
 * Thread-safe.
 */
@Singleton
public class LiveTopics {
  /** Most clients at a time. */
  public static final int MOST_CLIENTS = 200;

  private static final Logger LOG = Logger.getLogger(LiveTopics.class);
  private static final String JOB = "job:";
  private static final long PERIOD_MS = 1_000;

  private final WebServices services;
  private final ObjectMapper json;
  private final ConcurrentHashMap<String, Topic> topics = new ConcurrentHashMap<>();
  private final ScheduledExecutorService thread;

  private static final class Topic {
    private final Set<MultiEmitter<? super String>> clients = ConcurrentHashMap.newKeySet();
    private volatile String last = "";
  }

  /** Begins to look for changes. */
  @Inject
  public LiveTopics(WebServices services, ObjectMapper json) {
    this.services = services;
    this.json = json;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread made = new Thread(work, "live-topics");
              made.setDaemon(true);
              return made;
            });
    thread.scheduleWithFixedDelay(this::round, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
  }

  /** How many clients there are. */
  public int clients() {
    return topics.values().stream().mapToInt(topic -> topic.clients.size()).sum();
  }

  /**
   * The JSON of a topic, now and whenever it changes.
   *
   * @param name {@code jobs}, {@code job:ID}, {@code cluster} or {@code store}
   * @throws ProblemException when there is no such topic, or there are too many clients
   * @throws IOException when the history cannot be read
   */
  Multi<String> follow(String name) throws IOException {
    String now =
        snapshot(name)
            .orElseThrow(
                () -> ProblemException.notFound("topic of this name, or no job that it is about"));
    if (clients() >= MOST_CLIENTS) {
      throw new ProblemException(
          Response.Status.SERVICE_UNAVAILABLE,
          "There are " + MOST_CLIENTS + " clients already: ask for the page again later.");
    }
    return Multi.createFrom()
        .<String>emitter(emitter -> attach(name, now, emitter), BackPressureStrategy.LATEST);
  }

  private void attach(String name, String now, MultiEmitter<? super String> emitter) {
    topics.compute(
        name,
        (key, known) -> {
          Topic topic = known == null ? new Topic() : known;
          topic.last = topic.clients.isEmpty() ? now : topic.last;
          topic.clients.add(emitter);
          return topic;
        });
    emitter.onTermination(() -> detach(name, emitter));
    emitter.emit(now);
  }

  private void detach(String name, MultiEmitter<? super String> emitter) {
    topics.computeIfPresent(
        name,
        (key, topic) -> {
          topic.clients.remove(emitter);
          return topic.clients.isEmpty() ? null : topic;
        });
  }

  private void round() {
    for (Map.Entry<String, Topic> entry : topics.entrySet()) {
      try {
        Topic topic = entry.getValue();
        String now = snapshot(entry.getKey()).orElse(topic.last);
        if (!now.equals(topic.last)) {
          topic.last = now;
          topic.clients.forEach(client -> client.emit(now));
        }
      } catch (IOException | RuntimeException e) {
        LOG.errorf(e, "topic %s was not looked at, trying again", entry.getKey());
      }
    }
  }

  private Optional<String> snapshot(String topic) throws IOException {
    if (topic.startsWith(JOB)) {
      return job(topic.substring(JOB.length()));
    }
    return switch (topic) {
      case "jobs" -> Optional.of(text(services.page(JobParameters.usual())));
      case "cluster" -> Optional.of(text(services.servers().view()));
      case "store" -> Optional.of(text(services.storeView()));
      default -> Optional.empty();
    };
  }

  private Optional<String> job(String id) throws IOException {
    Optional<Job> living = services.book().living(id);
    return living.isPresent()
        ? Optional.of(text(services.watch().detail(living.get())))
        : services.book().archive().document(id, Archive.Document.DETAIL);
  }

  private String text(Object value) throws JsonProcessingException {
    return json.writeValueAsString(value);
  }

  @PreDestroy
  void close() {
    thread.shutdownNow();
  }
}
