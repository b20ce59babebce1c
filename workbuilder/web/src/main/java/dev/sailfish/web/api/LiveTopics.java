package dev.sailfish.web.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.web.WebServices;
import dev.sailfish.web.job.Archive;
import dev.sailfish.web.job.Job;
import dev.sailfish.web.rights.Login;
import dev.sailfish.web.rights.Viewer;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.BackPressureStrategy;
import io.smallrye.mutiny.subscription.MultiEmitter;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * What is live: each topic's JSON, at most once a second and only when it has changed. It is made
 * once for all clients that may see the same, however many they are; a client that is slow gets the
 * newest when it is ready. Thread-safe.
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
  private final ConcurrentHashMap<Stand, Topic> topics = new ConcurrentHashMap<>();
  private final ScheduledExecutorService thread;

  /**
   * From where a topic looks the same.
   *
   * @param everything whether nothing is hidden
   * @param user whose jobs and quota are in it; empty where it is the same for all users
   */
  private record Stand(String topic, boolean everything, String user) {
    static Stand of(String topic, Viewer viewer) {
      boolean same = viewer.everything() || topic.startsWith(JOB);
      return new Stand(topic, viewer.everything(), same ? "" : viewer.user());
    }
  }

  private record Client(MultiEmitter<? super String> emitter, Login login) {}

  private static final class Topic {
    private final Set<Client> clients = ConcurrentHashMap.newKeySet();
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
   * The JSON of a topic, now and whenever it changes; ends when its client may not see it any more.
   *
   * @param name {@code jobs}, {@code job:ID}, {@code cluster} or {@code store}
   * @param login whose client it is
   * @throws ProblemException when there is no such topic, or there are too many clients
   * @throws IOException when the history cannot be read
   */
  Multi<String> follow(String name, Login login) throws IOException {
    Viewer viewer = services.rights().viewer(login);
    String now =
        snapshot(name, viewer)
            .orElseThrow(
                () -> ProblemException.notFound("topic of this name, or no job that it is about"));
    if (clients() >= MOST_CLIENTS) {
      throw new ProblemException(
          Response.Status.SERVICE_UNAVAILABLE,
          "There are " + MOST_CLIENTS + " clients already: ask for the page again later.");
    }
    Stand stand = Stand.of(name, viewer);
    return Multi.createFrom()
        .<String>emitter(
            emitter -> attach(stand, now, new Client(emitter, login)), BackPressureStrategy.LATEST);
  }

  private void attach(Stand stand, String now, Client client) {
    topics.compute(
        stand,
        (key, known) -> {
          Topic topic = known == null ? new Topic() : known;
          topic.last = topic.clients.isEmpty() ? now : topic.last;
          topic.clients.add(client);
          return topic;
        });
    client.emitter.onTermination(() -> detach(stand, client));
    client.emitter.emit(now);
  }

  private void detach(Stand stand, Client client) {
    topics.computeIfPresent(
        stand,
        (key, topic) -> {
          topic.clients.remove(client);
          return topic.clients.isEmpty() ? null : topic;
        });
  }

  private void round() {
    topics.forEach(
        (stand, topic) -> {
          try {
            look(stand, topic);
          } catch (IOException | RuntimeException | Error e) {
            LOG.errorf(e, "topic %s was not looked at, trying again", stand.topic);
          }
        });
  }

  private void look(Stand stand, Topic topic) throws IOException {
    String now = topic.last;
    boolean made = false;
    for (Client client : topic.clients) {
      Viewer viewer = services.rights().viewer(client.login);
      // Who sees more or less than before asks anew.
      boolean stays = Stand.of(stand.topic, viewer).equals(stand) && isSeen(stand.topic, viewer);
      if (!stays || !services.rights().lasts(client.login)) {
        client.emitter.complete();
      } else if (!made) {
        now = snapshot(stand.topic, viewer).orElse(topic.last);
        made = true;
      }
    }
    if (!now.equals(topic.last)) {
      topic.last = now;
      for (Client client : topic.clients) {
        client.emitter.emit(now);
      }
    }
  }

  /** One that is not there any more has said all that there is of it. */
  private boolean isSeen(String topic, Viewer viewer) throws IOException {
    return viewer.everything()
        || !topic.startsWith(JOB)
        || services.isThere(topic.substring(JOB.length()), viewer);
  }

  private Optional<String> snapshot(String topic, Viewer viewer) throws IOException {
    if (topic.startsWith(JOB)) {
      return job(topic.substring(JOB.length()), viewer);
    }
    return switch (topic) {
      case "jobs" -> Optional.of(text(services.page(JobParameters.usual(), viewer)));
      case "cluster" -> Optional.of(text(services.clusterView(viewer)));
      case "store" -> Optional.of(text(services.storeView(viewer)));
      default -> Optional.empty();
    };
  }

  private Optional<String> job(String id, Viewer viewer) throws IOException {
    if (!services.isThere(id, viewer)) {
      return Optional.empty();
    }
    Optional<Job> living = services.book().living(id);
    return living.isPresent()
        ? Optional.of(text(services.watch().detail(living.get(), viewer.everything())))
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
