package dev.sailfish.hadoop.lineage.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.hadoop.lineage.Passwords;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.Test;

/** A job's configuration on its way through a record. */
class JobXmlTest {
  private static byte[] written(Configuration conf) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    JobXml.write(conf, out);
    return out.toByteArray();
  }

  private static Configuration read(byte[] xml) {
    Configuration conf = new Configuration(false);
    conf.addResource(new ByteArrayInputStream(xml), "job.xml");
    conf.size(); // reads it
    return conf;
  }

  /** As Hadoop's client submits it, and a task reads it. */
  private static Configuration submitted(Map<String, String> own) throws IOException {
    JobConf job = new JobConf();
    own.forEach(job::set);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    job.writeXml(out);
    return read(out.toByteArray());
  }

  private static Map<String, String> properties(Configuration conf) {
    Map<String, String> all = new HashMap<>();
    conf.forEach(entry -> all.put(entry.getKey(), entry.getValue()));
    return all;
  }

  @Test
  void isReadAsItWas() throws IOException {
    Configuration conf =
        submitted(
            Map.of(
                "a", "<b attribute=\"1\">&amp;</b> ]]> 'quoted'",
                "lines", "one\ntwo\tthree",
                "letters", "Grüße, \ud83d\udc1f and \u4e2d",
                "variable", "${user.name}/${not.there}",
                "empty", ""));
    Configuration again = read(written(conf));
    assertThat(properties(again)).hasSizeGreaterThan(1_000).isEqualTo(properties(conf));
    assertThat(again.getFinalParameters()).isEqualTo(conf.getFinalParameters());
  }

  @Test
  void finalOnesStayFinal() throws IOException {
    String xml =
        "<configuration><property><name>f</name><value>1</value><final>true</final></property>"
            + "<property><name>g</name><value>2</value></property></configuration>";
    assertThat(read(written(read(xml.getBytes(StandardCharsets.UTF_8)))).getFinalParameters())
        .containsExactly("f");
  }

  @Test
  void theSameConfigurationIsTheSameProgram() throws IOException {
    Configuration conf = submitted(Map.of("b", "2", "a", "1"));
    assertThat(written(read(written(conf)))).isEqualTo(written(conf));
  }

  @Test
  void whatXmlHasNotIsRefusedByName() {
    Configuration conf = new Configuration(false);
    conf.set("separator", "\u0001");
    assertThatThrownBy(() -> written(conf))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("separator")
        .hasMessageContaining("0001");
  }

  @Test
  void passwordsAreNotInIt() throws IOException {
    Map<String, String> own =
        Map.of(
            "javax.jdo.option.ConnectionPassword", "p1",
            "fs.s3a.secret.key", "p2",
            "my.own.word", "p3",
            "mapreduce.job.redacted-properties", "my.own.word",
            "ssl.keystore.pass", "p4");
    Configuration conf = submitted(own);
    int before = conf.size();
    Passwords.remove(conf);
    assertThat(new String(written(conf), StandardCharsets.UTF_8))
        .doesNotContain(">p1<", ">p2<", ">p3<", ">p4<");
    // What only defaults say stays, also where its name looks like a secret.
    assertThat(conf.size()).isEqualTo(before - 4);
  }

  @Test
  void aDefaultThatSomebodyHasSetIsNone() throws IOException {
    String defaultSecret = "hadoop.http.authentication.signature.secret.file";
    assertThat(new JobConf().get(defaultSecret)).isNotNull();
    Configuration conf =
        submitted(
            Map.of("hadoop.security.sensitive-config-keys", "secret.file$", defaultSecret, "/x"));
    Passwords.remove(conf);
    assertThat(conf.get(defaultSecret)).isNull();
  }
}
