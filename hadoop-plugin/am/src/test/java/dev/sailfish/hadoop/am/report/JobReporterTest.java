package dev.sailfish.hadoop.am.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.HmacSha256;
import dev.sailfish.hadoop.am.report.ReportReceiver.Taken;
import dev.sailfish.hadoop.auto.ReduceMode;
import dev.sailfish.testkit.FreePort;
import dev.sailfish.workbuilder.plan.ReducePlan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reports of a job over HTTP, and what happens to the job when nobody takes them. */
@Timeout(120)
class JobReporterTest {
  private static final String JOB = "job_1_0001";
  private static final String MAP = "task_1_0001_m_000003";
  private static final byte[] KEY = "access key of 16".getBytes(StandardCharsets.US_ASCII);
  private static final ReduceMode AUTO = new ReduceMode(true, "auto (asked for): the data decides");
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private ReportReceiver receiver;

  @BeforeEach
  void startReceiver() throws IOException {
    receiver = new ReportReceiver(0);
  }

  @AfterEach
  void stopReceiver() {
    receiver.close();
  }

  private static JobReporter reporter(String address, Credentials credentials) {
    return reporter(new ReportPost(address, JOB, credentials, () -> {}, Optional.empty()));
  }

  private static JobReporter reporter(ReportPost post) {
    return reporter(post, ReportSender.SILENCE);
  }

  private static JobReporter reporter(ReportPost post, Duration silence) {
    ReportSender sender = ReportSender.start(post, Network.SOCKETS, silence);
    return new JobReporter(2, AUTO, "bob", sender, Network.SOCKETS);
  }

  private void awaitSequence(long sequence) {
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () -> assertThat(receiver.taken()).last().returns(sequence, Taken::sequence));
  }

  private static Duration since(long beganNs) {
    return Duration.ofNanos(System.nanoTime() - beganNs);
  }

  @Test
  void tellsWhatHappensInOrder() {
    try (JobReporter reporter = reporter(receiver.address(), Credentials.none())) {
      reporter.running();
      awaitSequence(1);
      assertThat(receiver.last())
          .returns("POST", Taken::method)
          .returns("/api/v1/reports/" + JOB, Taken::path)
          .returns(null, Taken::signature);
      JsonNode first = receiver.last().json();
      assertThat(first.path("mode").asText()).isEqualTo("auto");
      assertThat(first.path("attempt").asInt()).isEqualTo(2);
      assertThat(first.path("viewAcl").asText()).isEqualTo("bob");
      assertThat(first.path("planningMs").isNull()).isTrue();
      assertThat(first.path("plan").isNull()).isTrue();
      reporter.mapRunsAgain(MAP, "reduce attempt x could not read it");
      reporter.mapRunsAgain(MAP, "reduce attempt x could not read it"); // is told once
      reporter.planningBegins();
      reporter.planRefused("No plan can be made of the data, because of a test");
      reporter.planMade(ReducePlan.fixed(3, "as many as the job has"));
      reporter.allMapsRunAgain("what was kept is lost");
      reporter.ended(JobListener.End.FAILED, "Reduce work: 3\nit failed");
      awaitSequence(7);
    }
    JsonNode last = receiver.last().json();
    assertThat(last.path("ended").asText()).isEqualTo("FAILED");
    assertThat(last.path("planningMs").get(1).asLong())
        .isGreaterThanOrEqualTo(last.path("planningMs").get(0).asLong())
        .isPositive();
    assertThat(last.path("plan").path("works")).hasSize(3);
    assertThat(last.path("events").findValuesAsText("kind"))
        .containsExactly(
            "MAP_RUNS_AGAIN", "PLAN_REFUSED", "PLAN_MADE", "ALL_MAPS_RUN_AGAIN", "FAILED");
    assertThat(last.path("events").get(0).path("task").asText()).isEqualTo(MAP);
    assertThat(last.path("events").get(4).path("text").asText())
        .isEqualTo("Reduce work: 3\nit failed");
    assertThat(receiver.taken()).extracting(Taken::sequence).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void sendsTheNewestOnlyAndOneASecond() {
    long beganNs = System.nanoTime();
    try (JobReporter reporter = reporter(receiver.address(), Credentials.none())) {
      reporter.running();
      awaitSequence(1);
      for (int i = 0; i < 500; i++) {
        reporter.mapRunsAgain(MAP, "again " + i);
      }
      awaitSequence(501);
      for (int i = 500; i < 2_000; i++) {
        reporter.mapRunsAgain(MAP, "again " + i);
      }
      awaitSequence(2_001);
    }
    List<Taken> taken = receiver.taken();
    // Each at least a second after the one before it, by the clock of the sender.
    assertThat(taken.size())
        .as("of 2001 changes in %s", since(beganNs))
        .isLessThanOrEqualTo(1 + (int) since(beganNs).toSeconds());
    JsonNode last = receiver.last().json();
    assertThat(last.path("events")).hasSize(JobReporter.MOST_EVENTS);
    assertThat(last.path("eventsLeftOut").asInt()).isEqualTo(1_000);
  }

  @Test
  void sendsAgainWhatIsNotKnownAnyMore() {
    Credentials keyed = Credentials.ofAdmitted(JOB, KEY);
    ReportPost post = new ReportPost(receiver.address(), JOB, keyed, () -> {}, Optional.empty());
    String reports = "/api/v1/reports/" + JOB;
    try (JobReporter reporter = reporter(post, Duration.ofMillis(50))) {
      reporter.running();
      await().atMost(DEADLINE).until(() -> receiver.taken().size() > 2);
      assertThat(receiver.taken().get(0).path()).isEqualTo(reports);
      List<Taken> questions = List.copyOf(receiver.taken()).subList(1, 3);
      assertThat(questions)
          .allSatisfy(
              asked -> {
                assertThat(asked.path()).isEqualTo(reports + "/last");
                assertThat(asked.sequence()).isEqualTo(1);
                assertThat(asked.json().path("attempt").asInt()).isEqualTo(2);
                assertThat(asked.signature()).hasSize(64);
              });
      receiver.answer(409);
      int asked = receiver.taken().size();
      await()
          .atMost(DEADLINE)
          .until(
              () ->
                  receiver.taken().stream()
                      .skip(asked)
                      .anyMatch(one -> one.path().equals(reports) && one.sequence() == 1));
      receiver.answer(204);
    }
  }

  @Test
  void theLastReportIsThereWhenTheApplicationMasterEnds() {
    JobReporter reporter = reporter(receiver.address(), Credentials.none());
    reporter.running();
    awaitSequence(1);
    reporter.ended(JobListener.End.SUCCEEDED, "");
    reporter.close();
    assertThat(receiver.last()).returns(2L, Taken::sequence).returns("SUCCEEDED", Taken::ended);
    assertThat(receiver.last().json().path("events")).isEmpty();
  }

  @Test
  void signsWithTheKeyOfTheJob() {
    try (JobReporter reporter =
        reporter(receiver.address() + "/", Credentials.ofAdmitted(JOB + "~0a", KEY))) {
      reporter.running();
      awaitSequence(1);
    }
    Taken taken = receiver.last();
    assertThat(taken.path()).isEqualTo("/api/v1/reports/" + JOB + "~0a");
    assertThat(taken.json().path("job").asText()).isEqualTo(JOB + "~0a");
    byte[] head = ("sailfish-report\n" + JOB + "~0a\n").getBytes(StandardCharsets.UTF_8);
    assertThat(taken.signature())
        .isEqualTo(HexFormat.of().formatHex(HmacSha256.of(KEY, head, taken.body())));
  }

  @Test
  void theMetaserverIsAskedForTheKeyOnceItAnswers() {
    AtomicInteger asked = new AtomicInteger();
    ReportPost.Admission late =
        () -> {
          if (asked.incrementAndGet() == 1) {
            throw new IOException("no metaserver answers");
          }
        };
    Credentials job = Credentials.ofAdmitted(JOB, KEY);
    try (JobReporter reporter =
        reporter(new ReportPost(receiver.address(), JOB, job, late, Optional.empty()))) {
      reporter.running();
      awaitSequence(1);
      reporter.planningBegins();
      awaitSequence(2);
    }
    assertThat(asked).hasValue(2);
  }

  @Test
  void aReceiverThatRefusesGetsTheNewestLater() {
    receiver.answer(503);
    try (JobReporter reporter = reporter(receiver.address(), Credentials.none())) {
      reporter.running();
      awaitSequence(1);
      reporter.planningBegins();
      receiver.answer(204);
      awaitSequence(2);
    }
    int taken = receiver.taken().size();
    assertThat(receiver.taken()).extracting(Taken::sequence).isSorted();
    assertThat(taken).isLessThanOrEqualTo(4);
  }

  @Test
  void aDeadReceiverCostsTheJobNothingAndGetsTheNewestWhenItLives() throws IOException {
    int port = FreePort.next();
    JobReporter reporter = reporter("http://127.0.0.1:" + port, Credentials.none());
    long beganNs = System.nanoTime();
    reporter.running();
    for (int i = 0; i < 1_000; i++) {
      reporter.mapRunsAgain(MAP, "again " + i);
    }
    assertThat(since(beganNs)).isLessThan(Duration.ofSeconds(1));
    receiver.close();
    receiver = new ReportReceiver(port);
    awaitSequence(1_001);
    reporter.close();
  }

  @Test
  void aReceiverThatIsDeadAtTheEndDelaysItByThreeSecondsAtMost() {
    JobReporter reporter = reporter("http://127.0.0.1:" + FreePort.next(), Credentials.none());
    reporter.running();
    reporter.ended(JobListener.End.KILLED, "");
    long beganNs = System.nanoTime();
    reporter.close();
    assertThat(since(beganNs)).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void aSlowReceiverIsNotWaitedFor() {
    CountDownLatch hold = receiver.hold();
    JobReporter reporter = reporter(receiver.address(), Credentials.none());
    reporter.running();
    awaitSequence(1);
    long beganNs = System.nanoTime();
    reporter.planningBegins();
    assertThat(since(beganNs)).isLessThan(Duration.ofSeconds(1));
    // The first one's deadline passes, and the next one takes its place.
    awaitSequence(2);
    hold.countDown();
    reporter.ended(JobListener.End.SUCCEEDED, "");
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () -> assertThat(receiver.taken()).last().returns("SUCCEEDED", Taken::ended));
    reporter.close();
  }

  @Test
  void aReceiverThatIsSlowAtTheEndDelaysItByThreeSecondsAtMost() {
    CountDownLatch hold = receiver.hold();
    JobReporter reporter = reporter(receiver.address(), Credentials.none());
    reporter.running();
    awaitSequence(1);
    reporter.ended(JobListener.End.SUCCEEDED, "");
    long beganNs = System.nanoTime();
    reporter.close();
    assertThat(since(beganNs)).isLessThan(Duration.ofSeconds(10));
    hold.countDown();
  }

  @Test
  void anAddressThatIsNoneIsRefused() {
    for (String wrong : List.of("web:19880", "ftp://web", "http://", "not an address")) {
      assertThatThrownBy(() -> reporter(wrong, Credentials.none()))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void nothingIsReportedWithoutAnAddressOrWithAWrongOne() {
    JobConf conf = new JobConf(false);
    conf.set("sailfish.metaserver.address", "127.0.0.1:1");
    assertThat(JobReporter.start(conf, JOB, 1, AUTO, Credentials::none)).isSameAs(JobListener.NONE);
    conf.set("sailfish.web.address", "web:19880");
    assertThat(JobReporter.start(conf, JOB, 1, AUTO, Credentials::none)).isSameAs(JobListener.NONE);
    conf.set("sailfish.web.address", receiver.address());
    try (JobListener listener = JobReporter.start(conf, JOB, 1, AUTO, Credentials::none)) {
      listener.running();
      awaitSequence(1);
    }
    assertThat(receiver.last().json().path("viewAcl").isNull()).isTrue();
  }

  @Test
  void whoMaySeeTheJobIsToldWhereListsCount() {
    JobConf conf = new JobConf(false);
    conf.set("sailfish.metaserver.address", "127.0.0.1:1");
    conf.set("sailfish.web.address", receiver.address());
    conf.set("mapreduce.cluster.acls.enabled", "true");
    conf.set("mapreduce.job.acl-view-job", "bob ops");
    try (JobListener listener = JobReporter.start(conf, JOB, 1, AUTO, Credentials::none)) {
      listener.running();
      awaitSequence(1);
    }
    assertThat(receiver.last().json().path("viewAcl").asText()).isEqualTo("bob ops");
  }
}
