package dev.sailfish.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteFileTest {
  @TempDir private Path directory;

  private static Configuration load(Path file) throws IOException {
    Configuration configuration = new Configuration(false);
    configuration.addResource(file.toUri().toURL());
    return configuration;
  }

  @Test
  void hadoopReadsWhatWasWritten() throws IOException {
    Path file = directory.resolve("core-site.xml");
    SiteFile.write(file, Optional.empty(), Map.of("a.b", "<x> & \"y\""));
    assertThat(load(file).get("a.b")).isEqualTo("<x> & \"y\"");
  }

  @Test
  void overridesTheFileThatItIncludes() throws IOException {
    Path base = directory.resolve("base.xml");
    Path file = directory.resolve("over.xml");
    SiteFile.write(base, Optional.empty(), Map.of("both", "base", "kept", "base"));
    SiteFile.write(file, Optional.of(base), Map.of("both", "over"));
    assertThat(load(file).get("both")).isEqualTo("over");
    assertThat(load(file).get("kept")).isEqualTo("base");
  }

  @Test
  void valuesAreFoundUnlessOnlyHadoopCouldTellThem() throws IOException {
    Path file = directory.resolve("looked-into.xml");
    SiteFile.write(
        file, Optional.empty(), Map.of("plain", "a & b", "other", "${plain}", "empty", ""));
    assertThat(SiteFile.value(file, "plain")).contains("a & b");
    assertThat(SiteFile.value(file, "other")).isEmpty();
    assertThat(SiteFile.value(file, "empty")).isEmpty();
    assertThat(SiteFile.value(file, "absent")).isEmpty();
    assertThat(SiteFile.value(directory.resolve("missing.xml"), "plain")).isEmpty();
    Files.writeString(file, "<configuration>");
    assertThat(SiteFile.value(file, "plain")).isEmpty();
  }
}
