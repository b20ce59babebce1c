package dev.sailfish.hadoop.warm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.Test;

class JobXmlTest {
  private final JobXml xml = new JobXml();
  private final JobConf base = new JobConf();

  JobXmlTest() {
    base.set("user.text", "a < b & \"c\"\n\u00e9");
  }

  private JobConf attempt(int number) {
    JobConf job = xml.copy(base);
    job.set("mapreduce.task.attempt.id", "attempt_1_0001_m_00000" + number + "_0");
    job.setInt("mapreduce.task.partition", number);
    return job;
  }

  private static byte[] written(Configuration conf) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    conf.writeXml(out);
    return out.toByteArray();
  }

  private static Map<String, String> read(byte[] written) {
    Configuration conf = new Configuration(false);
    conf.addResource(new ByteArrayInputStream(written));
    Map<String, String> values = new TreeMap<>();
    conf.forEach(entry -> values.put(entry.getKey(), entry.getValue()));
    return values;
  }

  /** What is written says what Hadoop would write, sources included. */
  private static void check(JobConf job) throws IOException {
    byte[] ours = written(job);
    byte[] hadoops = written(new JobConf(job));
    assertThat(ours).hasSameSizeAs(hadoops);
    assertThat(read(ours)).isEqualTo(read(hadoops));
  }

  @Test
  void eachAttemptHasItsOwnValues() throws IOException {
    for (int i = 0; i < 4; i++) {
      check(attempt(i));
    }
    assertThat(read(written(attempt(7))))
        .containsEntry("mapreduce.task.attempt.id", "attempt_1_0001_m_000007_0")
        .containsEntry("user.text", base.get("user.text"));
  }

  @Test
  void keysMayComeAndGo() throws IOException {
    check(attempt(0));
    JobConf more = attempt(1);
    more.set("of.this.attempt", "x");
    check(more);
    check(attempt(2));
  }

  @Test
  void valuesThatXmlWritesInOtherWaysAreWrittenByHadoop() throws IOException {
    check(attempt(0));
    for (String value : new String[] {"<&>", "\u00e9\u4e2d", "two\nlines", ""}) {
      JobConf job = attempt(1);
      job.set("mapreduce.task.partition", value);
      check(job);
    }
  }

  @Test
  void whatUserCodeWritesLaterIsItsOwn() throws IOException {
    JobConf job = attempt(0);
    check(job);
    job.set("of.the.user", "x");
    assertThat(read(written(job))).containsEntry("of.the.user", "x");
    assertThat(read(written(attempt(1)))).doesNotContainKey("of.the.user");
  }

  @Test
  void copyIsOfTheBase() {
    JobConf job = attempt(3);
    assertThat(job.get("user.text")).isEqualTo(base.get("user.text"));
    assertThat(base.get("mapreduce.task.attempt.id")).isNull();
  }
}
