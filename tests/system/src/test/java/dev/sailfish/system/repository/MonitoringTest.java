package dev.sailfish.system.repository;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.sailfish.ground.server.metrics.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The dashboard and the alert rules in monitoring/ are of metrics that the daemons have. */
class MonitoringTest {
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
  private static final Pattern STRING = Pattern.compile("\"[^\"]*\"");
  private static final Pattern DURATION = Pattern.compile("\\[\\d+[smhd]\\]");
  private static final Pattern GROWTH = Pattern.compile("(?:rate|increase)\\((sailfish_\\w+)\\[");

  /** Of PromQL, and labels; beside these an expression has names of metrics. */
  private static final Set<String> LANGUAGE =
      Set.of("sum", "max", "by", "or", "rate", "increase", "histogram_quantile", "time");

  private static final Set<String> LABELS = Set.of("le", "operation", "instance", "job");

  /**
   * Of the web process, which has no such declarations: WebProcessTest reads them from its page.
   */
  private static final String OF_WEB = "sailfish_web_";

  /** Prometheus' own: whether it could read the page of a daemon. */
  private static final String UP = "up";

  private static final int COLUMNS = 24;

  private final Path monitoring = SourceTree.ofThisProject().root().resolve("monitoring");

  private JsonNode dashboard() throws IOException {
    return new ObjectMapper().readTree(monitoring.resolve("grafana-dashboard.json").toFile());
  }

  private List<JsonNode> rules() throws IOException {
    List<JsonNode> rules = new ArrayList<>();
    JsonNode file =
        new ObjectMapper(new YAMLFactory())
            .readTree(monitoring.resolve("prometheus-rules.yml").toFile());
    file.path("groups").forEach(group -> group.path("rules").forEach(rules::add));
    return rules;
  }

  /** Names that series have, with what they are of. */
  private static Map<String, Metric> series() {
    Map<String, Metric> series = new HashMap<>();
    for (Metric metric : MetricsPageTest.metrics()) {
      if (metric.declaration().kind() == Metric.Kind.HISTOGRAM) {
        for (String part : List.of("_bucket", "_count", "_sum")) {
          series.put(metric.fullName() + part, metric);
        }
      } else {
        series.put(metric.fullName(), metric);
      }
    }
    return series;
  }

  private static List<String> names(String expression) {
    String bare = DURATION.matcher(STRING.matcher(expression).replaceAll("")).replaceAll("");
    List<String> names = new ArrayList<>();
    Matcher name = NAME.matcher(bare);
    while (name.find()) {
      names.add(name.group());
    }
    names.removeAll(LANGUAGE);
    names.removeAll(LABELS);
    names.remove(UP);
    names.removeIf(found -> found.startsWith(OF_WEB));
    return names;
  }

  private static void assertReadsMetrics(String what, String expression) {
    Map<String, Metric> series = series();
    assertThat(names(expression)).as("%s: %s", what, expression).isSubsetOf(series.keySet());
    Set<String> growing = new HashSet<>();
    GROWTH.matcher(expression).results().forEach(found -> growing.add(found.group(1)));
    for (String name : names(expression)) {
      boolean gauge = series.get(name).declaration().kind() == Metric.Kind.GAUGE;
      assertThat(growing.contains(name))
          .as("%s: a rate is of a counter, and of a counter a rate: %s", what, name)
          .isEqualTo(!gauge);
    }
    if (expression.contains("operation")) {
      assertThat(names(expression))
          .as("%s divides by operation", what)
          .allMatch(name -> series.get(name).declaration().labelName().isPresent());
    }
    assertThat(expression.chars().filter(c -> c == '(').count())
        .as("%s: %s", what, expression)
        .isEqualTo(expression.chars().filter(c -> c == ')').count());
  }

  @Test
  void theDashboardReadsMetricsThatExist() throws IOException {
    int expressions = 0;
    Set<Integer> ids = new HashSet<>();
    Set<String> titles = new HashSet<>();
    for (JsonNode panel : dashboard().path("panels")) {
      String title = panel.path("title").asText();
      assertThat(title).isNotBlank();
      assertThat(titles.add(title)).as(title).isTrue();
      assertThat(ids.add(panel.path("id").asInt())).as(title).isTrue();
      if (panel.path("type").asText().equals("row")) {
        continue;
      }
      assertThat(panel.path("description").asText()).as(title).isNotBlank();
      assertThat(panel.at("/fieldConfig/defaults/unit").asText()).as(title).isNotBlank();
      assertThat(panel.path("targets")).as(title).isNotEmpty();
      for (JsonNode target : panel.path("targets")) {
        expressions++;
        assertReadsMetrics(title, target.path("expr").asText());
        assertThat(target.path("legendFormat").asText()).as(title).isNotBlank();
        assertThat(target.at("/datasource/uid").asText()).isEqualTo("${datasource}");
      }
    }
    assertThat(expressions).isGreaterThan(30);
  }

  @Test
  void panelsOfTheDashboardDoNotOverlap() throws IOException {
    Map<String, String> taken = new HashMap<>();
    for (JsonNode panel : dashboard().path("panels")) {
      JsonNode place = panel.path("gridPos");
      String title = panel.path("title").asText();
      int right = place.path("x").asInt() + place.path("w").asInt();
      assertThat(right).as(title).isLessThanOrEqualTo(COLUMNS);
      int bottom = place.path("y").asInt() + place.path("h").asInt();
      for (int x = place.path("x").asInt(); x < right; x++) {
        for (int y = place.path("y").asInt(); y < bottom; y++) {
          assertThat(taken.put(x + " " + y, title)).as(title).isNull();
        }
      }
    }
  }

  @Test
  void alertRulesReadMetricsThatExistAndSayWhatToDo() throws IOException {
    Set<String> alerts = new HashSet<>();
    for (JsonNode rule : rules()) {
      String name = rule.path("alert").asText();
      assertThat(name).matches("Sailfish[A-Za-z]+");
      assertThat(alerts.add(name)).as(name).isTrue();
      assertReadsMetrics(name, rule.path("expr").asText());
      assertThat(rule.path("expr").asText()).as(name).containsPattern("[=!<>]");
      assertThat(rule.path("for").asText()).as(name).matches("\\d+[smh]");
      assertThat(rule.at("/labels/severity").asText()).as(name).matches("critical|warning");
      assertThat(rule.at("/annotations/summary").asText()).as(name).isNotBlank();
      assertThat(rule.at("/annotations/description").asText()).as(name).endsWith(".");
    }
    assertThat(alerts).hasSizeGreaterThan(20);
  }

  /** What an alert refers to, in parentheses, is a heading of the page. */
  @Test
  void alertRulesReferToHeadingsThatExist() throws IOException {
    String page = Files.readString(monitoring.resolveSibling("docs/OPERATIONS.md"));
    Pattern reference = Pattern.compile("docs/OPERATIONS\\.md, ([^)]+)\\)");
    int references = 0;
    for (JsonNode rule : rules()) {
      Matcher found = reference.matcher(rule.at("/annotations/description").asText());
      while (found.find()) {
        references++;
        assertThat(page).containsPattern("\n##+ " + Pattern.quote(found.group(1)) + "\n");
      }
    }
    assertThat(references).isPositive();
  }
}
