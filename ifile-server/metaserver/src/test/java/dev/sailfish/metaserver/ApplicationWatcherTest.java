package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.metaserver.yarn.ApplicationStates;
import dev.sailfish.metaserver.yarn.ApplicationWatcher;
import dev.sailfish.metaserver.yarn.ResourceManagerStates;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.JobSummary;
import dev.sailfish.testkit.TestAuthority;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watching applications, with a local HTTP server in the ResourceManager's place. */
class ApplicationWatcherTest {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationWatcherTest.class);
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final String PATH = "/ws/v1/cluster/apps/";

  private final Map<String, String> states = new ConcurrentHashMap<>();
  private final AtomicInteger asked = new AtomicInteger();
  private HttpServer resourceManager;

  @BeforeEach
  void start() throws IOException {
    resourceManager = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    resourceManager.createContext(PATH, this::answer);
    resourceManager.start();
  }

  @AfterEach
  void stop() {
    resourceManager.stop(0);
  }

  private int port() {
    return resourceManager.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      asked.incrementAndGet();
      String application = exchange.getRequestURI().getPath().substring(PATH.length());
      String state = states.get(application);
      if (state == null) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      String body = state.startsWith("raw:") ? state.substring(4) : json(application, state);
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  /** As a real ResourceManager answers, shortened. */
  private static String json(String application, String state) {
    return """
    {"app":{"id":"%s","user":"ann","name":"a \\"state\\":\\"KILLED\\" name","queue":"default",
    "state":"%s","finalStatus":"UNDEFINED","progress":5.0,"trackingUI":"ApplicationMaster",
    "timeouts":{"timeout":[{"type":"LIFETIME","state":"FINISHED"}]},"priority":0}}
    """
        .formatted(application, state);
  }

  /** An application's name and what it waits for can be long. */
  @Test
  void anAnswerThatSaysNothingConcernsOneApplication() throws IOException {
    StandingWarnings warnings = new StandingWarnings(LOG, System::nanoTime);
    states.put("application_1_1", "raw:{\"app\":{\"name\":\"" + "x".repeat(2 << 20));
    states.put("application_1_2", "RUNNING");
    states.put("application_1_3", "KILLED");
    Set<String> told = ConcurrentHashMap.newKeySet();
    ApplicationWatcher.Watched watched =
        new ApplicationWatcher.Watched() {
          @Override
          public List<String> jobs() {
            return List.of("job_1_1", "job_1_2", "job_1_3");
          }

          @Override
          public void alive(String job) {
            told.add(job + " lives");
          }

          @Override
          public void ended(String job, String application) {
            told.add(job + " has ended");
          }
        };
    List<URI> managers = List.of(URI.create("http://127.0.0.1:1"));
    ApplicationStates asked = resourceManagers("127.0.0.1:1, 127.0.0.1:" + port());
    try (ApplicationWatcher watcher =
        ApplicationWatcher.start(asked, watched, managers, warnings)) {
      assertThat(watcher).isNotNull();
      await().atMost(DEADLINE).until(() -> warnings.texts().size() == 1);
      assertThat(told).containsExactlyInAnyOrder("job_1_2 lives", "job_1_3 has ended");
      assertThat(warnings.texts().values().toString())
          .contains("an application", "application_1_1");
    }
  }

  private ApplicationStates.Life ask(String state) throws IOException {
    states.put("application_1_1", state);
    return resourceManagers("127.0.0.1:" + port()).of("application_1_1").life();
  }

  /** As configured. */
  private static ApplicationStates resourceManagers(String list) {
    Map<String, String> properties =
        Map.of(
            "sailfish.metaserver.journal.dir", "none", "sailfish.metaserver.resourcemanager", list);
    return new ResourceManagerStates(
        MetaserverConfig.of(properties).resourcemanagers(), Optional.empty());
  }

  @Test
  void understandsStates() throws IOException {
    for (String state : List.of("FINISHED", "FAILED", "KILLED")) {
      assertThat(ask(state)).isEqualTo(ApplicationStates.Life.ENDED);
    }
    for (String state : List.of("NEW", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHING")) {
      assertThat(ask(state)).isEqualTo(ApplicationStates.Life.ALIVE);
    }
    states.clear();
    assertThat(resourceManagers("127.0.0.1:" + port()).of("application_1_1").life())
        .isEqualTo(ApplicationStates.Life.UNKNOWN);
  }

  @Test
  void asksAnotherResourceManagerWhenOneIsGoneOrStandsBy() throws IOException {
    HttpServer standby = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    AtomicInteger redirected = new AtomicInteger();
    standby.createContext(
        PATH,
        exchange -> {
          redirected.incrementAndGet();
          String active = "http://127.0.0.1:" + port() + exchange.getRequestURI();
          exchange.getResponseHeaders().set("Location", active);
          exchange.sendResponseHeaders(307, -1);
          exchange.close();
        });
    standby.start();
    states.put("application_1_1", "KILLED");
    String standbyPlace = "127.0.0.1:" + standby.getAddress().getPort();
    assertThat(resourceManagers(standbyPlace).of("application_1_1").life())
        .isEqualTo(ApplicationStates.Life.ENDED);
    assertThat(redirected).hasValue(1);
    standby.stop(0);
    ApplicationStates two = resourceManagers(standbyPlace + ", http://127.0.0.1:" + port());
    assertThat(two.of("application_1_1").life()).isEqualTo(ApplicationStates.Life.ENDED);
    assertThat(two.of("application_1_2").life()).isEqualTo(ApplicationStates.Life.UNKNOWN);
    assertThatThrownBy(() -> resourceManagers(standbyPlace).of("application_1_1").life())
        .isInstanceOf(IOException.class);
  }

  @Test
  void trustsResourceManagersOverHttpsAsItsFileSays(@TempDir Path directory) throws Exception {
    TestAuthority authority = TestAuthority.create(directory);
    Path serverFile = authority.serverFile(authority.issue("rm"), false);
    HttpsServer secure = HttpsServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    secure.setHttpsConfigurator(
        new HttpsConfigurator(
            TlsContext.ofServer("test", SslFile.read("test", serverFile)).context()));
    secure.createContext(PATH, this::answer);
    secure.start();
    try {
      states.put("application_1_1", "KILLED");
      List<URI> place = List.of(URI.create("https://127.0.0.1:" + secure.getAddress().getPort()));
      DaemonSettings named =
          DaemonSettings.of(
              Settings.of(
                  Map.of(
                      MetaserverKey.SERVER.tlsClientFile().name(),
                      authority.clientFile().toString())),
              MetaserverKey.SERVER,
              false);
      assertThat(new ResourceManagerStates(place, named.clientTls()).of("application_1_1").life())
          .isEqualTo(ApplicationStates.Life.ENDED);
      ApplicationStates byTheJvm = new ResourceManagerStates(place, Optional.empty());
      assertThatThrownBy(() -> byTheJvm.of("application_1_1").life())
          .isInstanceOf(SSLHandshakeException.class);
    } finally {
      secure.stop(0);
    }
  }

  @Test
  void doesNotTakeOtherAnswersForAnEnd() {
    for (String answer :
        List.of(
            "<html>state FINISHED</html>",
            "",
            "{}",
            "{\"state\":\"FINISHED\"}",
            "{\"app\":{\"state\":\"FINISHED\"}}",
            "{\"app\":{\"id\":\"application_1_2\",\"state\":\"FINISHED\"}}",
            "{\"app\":{\"id\":\"application_1_1\",\"state\":\"FINISHED\"",
            "{\"app\":" + "[".repeat(100_000))) {
      assertThatThrownBy(() -> ask("raw:" + answer)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void deletesJobsWhoseApplicationHasEndedAndOnlyThose() throws IOException {
    states.put("application_1_1", "RUNNING");
    states.put("application_1_2", "KILLED");
    Map<String, String> properties =
        Map.of(
            "sailfish.metaserver.host", "127.0.0.1",
            "sailfish.metaserver.port", "0",
            "sailfish.metaserver.journal.dir", "none",
            "sailfish.metaserver.web.port", "0",
            "sailfish.metaserver.authentication", "none",
            "sailfish.metaserver.lease", "10s",
            "sailfish.metaserver.resourcemanager", "127.0.0.1:" + port());
    try (Metaserver metaserver = Metaserver.start(MetaserverConfig.of(properties));
        MetaserverClient client =
            MetaserverClient.connect(
                new InetSocketAddress("127.0.0.1", metaserver.port()), "test", DEADLINE)) {
      for (String job : List.of("job_1_1", "job_1_2", "job_1_3", "local", "xjob_1_2")) {
        client.createIfiles(CoreFixture.job(job, 1).build());
      }
      List<String> left =
          await().atMost(DEADLINE).until(() -> jobs(client), jobs -> !jobs.contains("job_1_2"));
      assertThat(left).containsExactly("job_1_1", "job_1_3", "local", "xjob_1_2");
      // Those without a living application go when their lease runs out.
      await().atMost(DEADLINE).until(() -> jobs(client).equals(List.of("job_1_1")));
      states.put("application_1_1", "FINISHED");
      await().atMost(DEADLINE).until(() -> jobs(client).isEmpty());
      assertThat(client.status().getCountersMap())
          .containsEntry(MetaserverMetric.APPLICATIONS_ENDED.fullName(), 2L)
          .containsEntry(MetaserverMetric.LEASES_EXPIRED.fullName(), 3L);
    }
  }

  @Test
  void noticesBeforeTheFirstJobThatNobodyAnswers() throws IOException {
    int place = port();
    resourceManager.stop(0);
    Map<String, String> properties =
        Map.of(
            "sailfish.metaserver.host", "127.0.0.1",
            "sailfish.metaserver.port", "0",
            "sailfish.metaserver.journal.dir", "none",
            "sailfish.metaserver.web.port", "0",
            "sailfish.metaserver.authentication", "none",
            "sailfish.metaserver.resourcemanager", "127.0.0.1:" + place);
    try (Metaserver metaserver = Metaserver.start(MetaserverConfig.of(properties))) {
      await()
          .atMost(DEADLINE)
          .until(() -> metaserver.metrics().get(MetaserverMetric.WARNINGS.fullName()) == 1);
      assertThat(status(metaserver))
          .contains("\"warnings\":{\"resourcemanager\":")
          .contains("sailfish.metaserver.resourcemanager=http://127.0.0.1:" + place);
      resourceManager = HttpServer.create(new InetSocketAddress("127.0.0.1", place), 0);
      resourceManager.createContext(PATH, this::answer);
      resourceManager.start();
      await()
          .atMost(DEADLINE)
          .until(() -> metaserver.metrics().get(MetaserverMetric.WARNINGS.fullName()) == 0);
      assertThat(status(metaserver)).contains("\"warnings\":{}");
    }
  }

  private static String status(Metaserver metaserver) throws IOException {
    URI page = URI.create("http://127.0.0.1:" + metaserver.webPort() + "/status");
    try (InputStream in = page.toURL().openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static List<String> jobs(MetaserverClient client) throws IOException {
    return client.listJobs().getJobsList().stream().map(JobSummary::getJob).toList();
  }

  @Test
  void goesOnWhileThereIsNoAnswer() {
    AtomicInteger rounds = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    StandingWarnings warnings = new StandingWarnings(LOG, System::nanoTime);
    ApplicationStates states =
        application -> {
          if (rounds.incrementAndGet() < 3) {
            throw new IOException("nobody there");
          }
          return new ApplicationStates.Application(ApplicationStates.Life.ENDED, "");
        };
    ApplicationWatcher.Watched watched =
        new ApplicationWatcher.Watched() {
          @Override
          public List<String> jobs() {
            return List.of("job_1_1");
          }

          @Override
          public void alive(String job) {
            throw new IllegalStateException(job);
          }

          @Override
          public void ended(String job, String application) {
            assertThat(application).isEqualTo("application_1_1");
            ended.incrementAndGet();
          }
        };
    List<URI> managers = List.of(URI.create("http://127.0.0.1:1"));
    try (ApplicationWatcher watcher =
        ApplicationWatcher.start(states, watched, managers, warnings)) {
      assertThat(watcher).isNotNull();
      await().atMost(DEADLINE).until(() -> ended.get() > 0);
      assertThat(rounds.get()).isGreaterThanOrEqualTo(3);
      assertThat(warnings.texts()).isEmpty();
    }
  }
}
