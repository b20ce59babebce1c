package dev.sailfish.web.job;

import static dev.sailfish.web.job.JobFixture.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.web.history.History;
import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.JsonPages;
import dev.sailfish.web.source.Reach;
import dev.sailfish.web.source.servers.Servers;
import dev.sailfish.web.source.shuffle.Metaservers;
import dev.sailfish.web.source.yarn.JobState;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whose page a report goes to; nobody is asked. */
class JobWatchTest {
  private static final Clock CLOCK = Network.SOCKETS;
  private static final String JOB = "job_1_1";
  private static final String OTHER = "job_1_1~0a1b2c3d";

  private History history;
  private Servers servers;
  private Metaservers metaservers;
  private JobBook book;
  private JobWatch watch;

  @BeforeEach
  void open() throws IOException {
    history = History.open(Optional.empty(), 30, 1L << 30);
    book = new JobBook(history, CLOCK);
    Reach reach = new Reach(Network.SOCKETS, Credentials.none(), Duration.ofSeconds(1));
    List<InetSocketAddress> nobody = List.of(InetSocketAddress.createUnresolved("127.0.0.1", 1));
    metaservers = new Metaservers(nobody, reach);
    JsonPages.Place pages =
        new JsonPages.Place("http://127.0.0.1:1", Optional.empty(), Optional.empty());
    servers =
        new Servers(List.of(), Map.of(), reach, new JsonPages(pages, Duration.ofSeconds(1)), CLOCK);
    watch =
        new JobWatch(
            book,
            new JobWatch.Sources(
                metaservers, Optional.empty(), Optional.empty(), servers, List.of()),
            CLOCK);
  }

  @AfterEach
  void close() throws IOException {
    watch.close();
    servers.close();
    metaservers.close();
    history.close();
  }

  private static AmReport report(String viewAcl, String ended) {
    return new AmReport(
        1, 9, JOB, 7, "fixed", "asked for", null, null, List.of(), 0, ended, viewAcl);
  }

  @Test
  void aReportOfAJobWithATildeSaysNothingOfTheOtherOne() {
    Job job = book.open(JOB).orElseThrow();
    watch.tell(OTHER, report("*", "SUCCEEDED"));
    assertThat(job.report()).isNull();
    assertThat(job.viewAcl()).isNull();
    assertThat(job.state()).isEqualTo(JobState.RUNNING);
    assertThat(watch.knows(JOB, 7, 9)).isFalse();
    assertThat(watch.knows(OTHER, 7, 9)).isTrue();
    assertThat(book.living(OTHER).orElseThrow().state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(book.living(OTHER).orElseThrow().row(T0).application()).isEmpty();
  }

  @Test
  void aReportOfTheOtherOneSaysNothingOfAJobWithATilde() {
    Job other = book.open(OTHER).orElseThrow();
    watch.tell(JOB, report("*", "FAILED"));
    assertThat(other.report()).isNull();
    assertThat(other.viewAcl()).isNull();
    assertThat(other.state()).isEqualTo(JobState.RUNNING);
    assertThat(watch.knows(OTHER, 7, 9)).isFalse();
  }
}
