package dev.sailfish.benchmarks.jobs.measure;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobHistoryTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String JOB =
      "{'job':{'submitTime':1000,'startTime':2000,'finishTime':9500,'state':'SUCCEEDED'}}";
  private static final String TASKS =
      "{'tasks':{'task':[{'startTime':3000,'finishTime':5000,'type':'MAP','id':'task_1_1_m_000001'},"
          + "{'startTime':3500,'finishTime':6000,'type':'MAP','id':'task_1_1_m_000000'},"
          + "{'startTime':7000,'finishTime':9000,'type':'REDUCE'}]}}";
  private static final String COUNTERS =
      "{'jobCounters':{'counterGroup':{'counterGroupName':"
          + "'org.apache.hadoop.mapreduce.TaskCounter','counter':["
          + "{'name':'REDUCE_INPUT_RECORDS','totalCounterValue':5,'mapCounterValue':0},"
          + "{'name':'TOTAL_LAUNCHED_MAPS','totalCounterValue':5},"
          + "{'name':'TOTAL_LAUNCHED_REDUCES','totalCounterValue':1},"
          + "{'name':'CPU_MILLISECONDS','totalCounterValue':70}]}}}";

  private static JobMetrics parse(String job) throws IOException {
    return JobHistory.parse(
        JSON.readTree(job.replace('\'', '"')),
        JSON.readTree(TASKS.replace('\'', '"')),
        JSON.readTree(COUNTERS.replace('\'', '"')));
  }

  @Test
  void readsTimesAndCounters() throws IOException {
    JobMetrics metrics = parse(JOB);
    assertThat(metrics.succeeded()).isTrue();
    assertThat(metrics.wallSeconds()).isEqualTo(8.5);
    assertThat(metrics.mapSeconds()).isEqualTo(3);
    assertThat(metrics.reduceSeconds()).isEqualTo(2);
    assertThat(metrics.mapTaskSeconds()).containsExactly(2.5, 2.0);
    assertThat(metrics.reduceTaskSeconds()).containsExactly(2.0);
    assertThat(metrics.mapsAgain()).isEqualTo(3);
    assertThat(metrics.reducesAgain()).isZero();
    assertThat(metrics.counter("REDUCE_INPUT_RECORDS")).isEqualTo(5);
    assertThat(metrics.counter("SPILLED_RECORDS")).isZero();
  }

  private static boolean isHalfReduced(String job) throws IOException {
    return JobHistory.isHalfReduced(JSON.readTree(job.replace('\'', '"')));
  }

  @Test
  void halfOfTheReduceTasksIsHalfOfThoseThereAre() throws IOException {
    assertThat(isHalfReduced("{'reducesTotal':8,'reducesCompleted':3}")).isFalse();
    assertThat(isHalfReduced("{'reducesTotal':8,'reducesCompleted':4}")).isTrue();
    assertThat(isHalfReduced("{'reducesTotal':5,'reducesCompleted':2}")).isFalse();
    assertThat(isHalfReduced("{'reducesTotal':5,'reducesCompleted':3}")).isTrue();
    assertThat(isHalfReduced("{'reducesTotal':0,'reducesCompleted':0}")).isFalse();
    assertThat(isHalfReduced("{}")).isFalse();
  }

  @Test
  void sumsUpJobsAndSucceedsOnlyIfAllDid() throws IOException {
    JobMetrics sum = JobMetrics.sum(List.of(parse(JOB), parse(JOB.replace("SUCCEEDED", "FAILED"))));
    assertThat(sum.succeeded()).isFalse();
    assertThat(sum.wallSeconds()).isEqualTo(17);
    assertThat(sum.mapsAgain()).isEqualTo(6);
    assertThat(sum.counter("CPU_MILLISECONDS")).isEqualTo(140);
  }
}
