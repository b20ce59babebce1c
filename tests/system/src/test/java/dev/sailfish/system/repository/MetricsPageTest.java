package dev.sailfish.system.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.metrics.Metric;
import dev.sailfish.ground.server.metrics.ProcessMetric;
import dev.sailfish.lineage.master.LineageMasterMetric;
import dev.sailfish.lineage.worker.LineageWorkerMetric;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.workflow.WorkflowMetric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The table of metrics in docs/OPERATIONS.md says what the code declares, and pages name no other
 * metrics. {@code -Dsailfish.docs.write=true} rewrites the table instead of comparing.
 */
class MetricsPageTest {
  private static final String BEGIN = "<!-- generated: metrics -->\n";
  private static final String END = "<!-- end: metrics -->\n";
  private static final Pattern NAMED = Pattern.compile("`(sailfish_[a-z_]+)`");
  private static final Pattern GOOD_NAME = Pattern.compile("sailfish(_[a-z]+)+");

  private final SourceTree tree = SourceTree.ofThisProject();

  /** Those of all daemons. */
  static List<Metric> metrics() {
    return Stream.<Metric[]>of(
            MetaserverMetric.values(),
            ChunkserverMetric.values(),
            LineageMasterMetric.values(),
            LineageWorkerMetric.values(),
            WorkflowMetric.values(),
            ServerMetric.values(),
            ProcessMetric.values())
        .flatMap(Stream::of)
        .toList();
  }

  private static String row(Metric metric) {
    Metric.Declaration declared = metric.declaration();
    return "| `"
        + declared.name()
        + "` | "
        + declared.kind().name().toLowerCase(Locale.ROOT)
        + declared.labelName().map(label -> " by " + label).orElse("")
        + " | "
        + declared.help()
        + " |\n";
  }

  @Test
  void tableIsThatOfTheCode() throws IOException {
    Path file = tree.root().resolve("docs/OPERATIONS.md");
    String page = Files.readString(file);
    assertThat(page).contains(BEGIN, END);
    StringBuilder generated = new StringBuilder(page.substring(0, page.indexOf(BEGIN)));
    generated.append(BEGIN).append("| metric | kind | what it is |\n|---|---|---|\n");
    metrics().forEach(metric -> generated.append(row(metric)));
    generated.append(page.substring(page.indexOf(END)));
    if (Boolean.getBoolean("sailfish.docs.write")) {
      Files.writeString(file, generated);
    } else {
      assertThat(page)
          .as("generated from the code: run MetricsPageTest with -Dsailfish.docs.write=true")
          .isEqualTo(generated.toString());
    }
  }

  @Test
  void namesAreUniqueAndEndInTheirUnit() {
    assertThat(metrics()).extracting(Metric::fullName).doesNotHaveDuplicates();
    for (Metric metric : metrics()) {
      Metric.Declaration declared = metric.declaration();
      assertThat(declared.name())
          .matches(GOOD_NAME)
          .doesNotContainPattern("_(ms|millis|nanos|kb|mb|size|time)(_|$)");
      assertThat(declared.name().endsWith("_total"))
          .as("%s is a %s", declared.name(), declared.kind())
          .isEqualTo(declared.kind() == Metric.Kind.COUNTER);
      assertThat(declared.name().endsWith("_seconds"))
          .as("%s is a %s", declared.name(), declared.kind())
          .isEqualTo(declared.kind() == Metric.Kind.HISTOGRAM);
      assertThat(declared.help()).as(declared.name()).isNotBlank().doesNotEndWith(".");
    }
  }

  @Test
  void pagesNameNoOtherMetrics() throws IOException {
    List<String> known = metrics().stream().map(Metric::fullName).toList();
    List<String> named = new ArrayList<>();
    for (Path page : tree.files()) {
      if (page.toString().matches(".*/(docs/[A-Z]+|README)\\.md")) {
        NAMED.matcher(Files.readString(page)).results().forEach(name -> named.add(name.group(1)));
      }
    }
    assertThat(named).hasSizeGreaterThan(50);
    named.removeAll(known);
    named.removeIf("sailfish_cpu_s"::equals);
    assertThat(named).isEmpty();
  }
}
