package dev.sailfish.workflow.step.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagedJobTest {
  @TempDir private Path directory;

  private static String value(String xml) {
    return StagedJob.read(xml.getBytes(StandardCharsets.UTF_8)).get("a");
  }

  @Test
  void aConfigurationIsReadAsHadoopWritesIt() throws IOException {
    Configuration written = new Configuration(false);
    written.set("a", "1 < 2 & ${b}");
    ByteArrayOutputStream xml = new ByteArrayOutputStream();
    written.writeXml(xml);
    assertThat(StagedJob.read(xml.toByteArray()).getRaw("a")).isEqualTo("1 < 2 & ${b}");
  }

  @Test
  void aFileOfThisHostIsNotReadThroughAnEntity() throws IOException {
    Path secret = Files.writeString(directory.resolve("secret"), "0123abcd");
    String xml =
        "<!DOCTYPE configuration [<!ENTITY x SYSTEM '%s'>]><configuration>"
            + "<property><name>a</name><value>-&x;-</value></property></configuration>";
    assertThatThrownBy(() -> value(xml.formatted(secret.toUri())))
        .isInstanceOf(RuntimeException.class);
  }

  @Test
  void aFileOfThisHostIsNotIncluded() throws IOException {
    Path other =
        Files.writeString(
            directory.resolve("other.xml"),
            "<configuration><property><name>a</name><value>s</value></property></configuration>");
    String xml =
        "<configuration xmlns:xi='http://www.w3.org/2001/XInclude'>"
            + "<xi:include href='%s'/></configuration>";
    assertThatThrownBy(() -> value(xml.formatted(other.toUri())))
        .isInstanceOf(RuntimeException.class);
  }
}
