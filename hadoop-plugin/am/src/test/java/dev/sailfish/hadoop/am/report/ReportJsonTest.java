package dev.sailfish.hadoop.am.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.workbuilder.plan.HeavyKey;
import dev.sailfish.workbuilder.plan.PartitionTotal;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReduceWork;
import dev.sailfish.workbuilder.plan.Refusal;
import dev.sailfish.workbuilder.plan.WorkTarget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReportJsonTest {
  private static final WorkTarget TARGET = new WorkTarget(64 << 20, "64 MiB as given");
  private static final List<PartitionTotal> NO_TOTALS = List.of();

  private static JobReport report(ReducePlan plan, List<JobReport.Event> events) {
    JobListener.End end = JobListener.End.SUCCEEDED;
    return new JobReport(7, 1, "auto", "why", 10, 20, plan, events, 5, end, "bob ops");
  }

  private static JsonNode parsed(JobReport report) throws IOException {
    byte[] json = ReportJson.encode("job_1_0001", report);
    assertThat(json.length).isLessThanOrEqualTo(ReportJson.MOST_BYTES);
    return new ObjectMapper().readTree(json);
  }

  @Test
  void hasTheFormThatTheWebProcessReads() throws IOException {
    byte[] border = "m".getBytes(StandardCharsets.US_ASCII);
    ReducePlan plan =
        new ReducePlan(
            TARGET,
            List.of(
                new ReduceWork(0, 0, 1, 0, null, null, 5, 50, 50),
                new ReduceWork(1, 2, 2, 0, null, border, 6, 60, 70),
                new ReduceWork(2, 2, 2, 1, border, null, 7, 70, 80)),
            List.of(new Refusal(1, "it is \"one\" group")),
            List.of(new HeavyKey(2, "\"k\"", 40)),
            NO_TOTALS);
    JobReport.Event event = new JobReport.Event(30, JobReport.Kind.PLAN_MADE, "", "a\tplan\u0001");
    assertThat(parsed(report(plan, List.of(event))))
        .isEqualTo(
            new ObjectMapper()
                .readTree(
                    """
                    {"version":1,"sequence":7,"job":"job_1_0001","attempt":1,"mode":"auto",
                     "why":"why","planningMs":[10,20],
                     "plan":{"targetBytes":67108864,"targetReason":"64 MiB as given",
                      "partitions":3,
                      "refusals":[{"partition":1,"reason":"it is \\"one\\" group"}],
                      "heavyKeys":[{"partition":2,"key":"\\"k\\"","bytes":40}],
                      "works":[
                       {"work":0,"first":0,"last":1,"range":0,"from":null,"to":null,
                        "records":5,"bytes":50,"mostBytes":50},
                       {"work":1,"first":2,"last":2,"range":0,"from":null,"to":"\\"m\\"",
                        "records":6,"bytes":60,"mostBytes":70},
                       {"work":2,"first":2,"last":2,"range":1,"from":"\\"m\\"","to":null,
                        "records":7,"bytes":70,"mostBytes":80}],
                      "worksLeftOut":0},
                     "events":[{"ms":30,"kind":"PLAN_MADE","task":"","text":"a\\tplan\\u0001"}],
                     "eventsLeftOut":5,"ended":"SUCCEEDED","viewAcl":"bob ops"}
                    """));
  }

  @Test
  void whatIsNotThereYetIsNull() throws IOException {
    JsonNode json =
        parsed(new JobReport(1, 1, "fixed", "why", 0, 0, null, List.of(), 0, null, null));
    for (String name : List.of("planningMs", "plan", "ended", "viewAcl")) {
      assertThat(json.path(name).isNull()).as(name).isTrue();
    }
    JsonNode begun =
        parsed(new JobReport(1, 1, "auto", "why", 5, 0, null, List.of(), 0, null, null));
    assertThat(begun.path("planningMs").toString()).isEqualTo("[5,null]");
    ReducePlan fixed = ReducePlan.fixed(2, "as many as the job has");
    assertThat(parsed(report(fixed, List.of())).path("plan").path("targetBytes").isNull()).isTrue();
  }

  /** All keys as long as they are printed, of bytes that take the most room. */
  @Test
  void theLargestPlanFitsAndWhatIsLeftOutIsCounted() throws IOException {
    List<ReduceWork> works = new ArrayList<>();
    byte[] from = null;
    for (int work = 0; work < 100_000; work++) {
      byte[] to = work == 99_999 ? null : new byte[100];
      works.add(new ReduceWork(work, 0, 0, work, from, to, 1, 1, 1));
      from = to;
    }
    String key = "\\x00".repeat(64);
    List<HeavyKey> heavy =
        IntStream.range(0, 5_000).mapToObj(i -> new HeavyKey(0, key, Long.MAX_VALUE)).toList();
    List<Refusal> refusals =
        IntStream.range(0, 5_000).mapToObj(i -> new Refusal(i, "\u20ac".repeat(200))).toList();
    List<JobReport.Event> events =
        IntStream.range(0, 1_000)
            .mapToObj(
                i ->
                    new JobReport.Event(
                        Long.MAX_VALUE,
                        JobReport.Kind.MAP_RUNS_AGAIN,
                        "task_1700000000000_0001_m_000001",
                        "\u20ac".repeat(1_000)))
            .toList();
    JsonNode json =
        parsed(report(new ReducePlan(TARGET, works, refusals, heavy, NO_TOTALS), events));
    JsonNode plan = json.path("plan");
    assertThat(plan.path("works").size() + plan.path("worksLeftOut").asInt()).isEqualTo(100_000);
    assertThat(plan.path("works").size()).isGreaterThan(3_000);
    assertThat(plan.path("refusalsLeftOut").asInt()).isEqualTo(4_000);
    assertThat(plan.path("heavyKeysLeftOut").asInt()).isEqualTo(4_000);
    assertThat(json.path("events")).hasSize(1_000);
  }
}
