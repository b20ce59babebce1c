package dev.sailfish.web.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sailfish.ground.wire.secret.HmacSha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ReportDeskTest {
  private static final byte[] KEY = "the key of the job".getBytes(StandardCharsets.US_ASCII);
  private static final String JOB = "job_1_1~0a";

  private final List<AmReport> taken = new ArrayList<>();

  private static byte[] body(String json) {
    return json.getBytes(StandardCharsets.UTF_8);
  }

  private static String signature(byte[] key, String job, byte[] body) {
    byte[] context = ("sailfish-report\n" + job + "\n").getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(HmacSha256.of(key, context, body));
  }

  private ReportDesk desk(ReportDesk.Keys keys) {
    return new ReportDesk(
        keys,
        false,
        (job, report) -> taken.add(report),
        (job, last) -> last.equals(new LastReport(2, 7)));
  }

  private static ReportRefusedException.Reason refused(
      ReportDesk desk, String job, String signature, byte[] body) {
    ReportRefusedException refusal =
        catchThrowableOfType(ReportRefusedException.class, () -> desk.take(job, signature, body));
    return refusal.reason();
  }

  @Test
  void takesWhatTheJobHasSigned() throws ReportRefusedException {
    byte[] body =
        body(
            """
            {"version":1,"sequence":7,"job":"job_1_1","attempt":1,"mode":"auto","why":"asked for",
             "planningMs":[5,null],"plan":{"targetBytes":null,"targetReason":"none","partitions":2,
             "works":[{"work":0,"first":0,"last":1,"range":0,"from":null,"to":null,"records":3,
             "bytes":4,"mostBytes":5,"new":"field"}]},
             "events":[{"ms":1,"kind":"PLAN_MADE","task":"","text":"Made."}],"ended":null}""");
    desk(job -> Optional.of(KEY)).take(JOB, signature(KEY, JOB, body), body);
    assertThat(taken).hasSize(1);
    assertThat(taken.get(0).planningMs()).containsExactly(5L, null);
    assertThat(taken.get(0).plan().targetBytes()).isNull();
    assertThat(taken.get(0).plan().works())
        .containsExactly(new AmReport.Work(0, 0, 1, 0, null, null, 3, 4, 5));
    assertThat(taken.get(0).plan().heavyKeys()).isEmpty();
  }

  @Test
  void refusesWhatAnotherHasSigned() {
    byte[] body = body("{\"version\":1}");
    ReportDesk desk = desk(job -> Optional.of(KEY));
    byte[] other = "the key of another".getBytes(StandardCharsets.US_ASCII);
    for (String wrong :
        new String[] {
          null, "", "00", "no digits", signature(other, JOB, body), signature(KEY, "job_1_2", body)
        }) {
      assertThat(refused(desk, JOB, wrong, body)).isEqualTo(ReportRefusedException.Reason.UNKNOWN);
    }
    assertThat(refused(desk(job -> Optional.empty()), JOB, signature(KEY, JOB, body), body))
        .isEqualTo(ReportRefusedException.Reason.UNKNOWN);
    assertThat(taken).isEmpty();
    assertThat(desk.refused()).isEqualTo(6);
  }

  @Test
  void takesTheLastReportThoughTheMetaserverHasForgottenTheJob() throws ReportRefusedException {
    AtomicBoolean gone = new AtomicBoolean();
    ReportDesk desk = desk(job -> gone.get() ? Optional.empty() : Optional.of(KEY));
    byte[] body = body("{\"version\":1}");
    desk.take(JOB, signature(KEY, JOB, body), body);
    gone.set(true);
    desk.take(JOB, signature(KEY, JOB, body), body);
    assertThat(taken).hasSize(2);
  }

  @Test
  void saysThatItIsToBeTriedAgainWhileTheMetaserverIsSilent() {
    byte[] body = body("{\"version\":1}");
    ReportDesk desk =
        desk(
            job -> {
              throw new IOException("nobody answers");
            });
    assertThat(refused(desk, JOB, signature(KEY, JOB, body), body))
        .isEqualTo(ReportRefusedException.Reason.LATER);
  }

  @Test
  void refusesWhatIsNoReport() {
    ReportDesk desk =
        new ReportDesk(job -> Optional.empty(), true, (job, report) -> {}, (job, last) -> true);
    for (String wrong : List.of("", "null", "[]", "{\"version\":2}", "{\"version\":", "{}")) {
      assertThat(refused(desk, JOB, null, body(wrong)))
          .as(wrong)
          .isEqualTo(ReportRefusedException.Reason.WRONG);
    }
    assertThat(refused(desk, "a job/..", null, body("{\"version\":1}")))
        .isEqualTo(ReportRefusedException.Reason.WRONG);
  }

  @Test
  void saysWhetherTheLastReportIsKnown() throws ReportRefusedException {
    ReportDesk desk = desk(job -> Optional.of(KEY));
    byte[] known = body("{\"attempt\":2,\"sequence\":7}");
    byte[] unknown = body("{\"attempt\":2,\"sequence\":8}");
    assertThat(desk.knows(JOB, signature(KEY, JOB, known), known)).isTrue();
    assertThat(desk.knows(JOB, signature(KEY, JOB, unknown), unknown)).isFalse();
    for (String wrong : List.of("", "null", "[]", "{\"attempt\":")) {
      byte[] body = body(wrong);
      assertThatExceptionOfType(ReportRefusedException.class)
          .isThrownBy(() -> desk.knows(JOB, signature(KEY, JOB, body), body))
          .returns(ReportRefusedException.Reason.WRONG, ReportRefusedException::reason);
    }
    assertThatExceptionOfType(ReportRefusedException.class)
        .isThrownBy(() -> desk.knows(JOB, signature(KEY, JOB, unknown), known))
        .returns(ReportRefusedException.Reason.UNKNOWN, ReportRefusedException::reason);
    assertThat(taken).isEmpty();
  }
}
