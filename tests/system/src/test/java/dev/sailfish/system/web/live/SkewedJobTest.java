package dev.sailfish.system.web.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.order.PrintableKey;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.localcluster.SailfishOptions;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.workbuilder.plan.HeavyKey;
import dev.sailfish.workbuilder.plan.PlanCodec;
import dev.sailfish.workbuilder.plan.ReducePlan;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser.TaskInfo;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A job with one heavy key whose partitions are split: all figures of its pages are those of
 * Hadoop's counters and of the plan that its ApplicationMaster stored.
 */
@Tag("long")
class SkewedJobTest extends LiveTest {
  private static final String FIGURE = "[data-figure=%s]";

  private static LiveJob job;
  private static HadoopHistory history;
  private static ReducePlan plan;

  @BeforeAll
  static void run() throws Exception {
    open(SailfishOptions.DEFAULT);
    RandomJobSpec spec =
        spec(
            one ->
                one.hotKey()
                    && one.maps() == 4
                    && one.reduces() == 3
                    && one.recordsPerMap() > 4000);
    Map<String, String> keys =
        Map.of(
            RandomJobSpec.SEVERAL_PARTITIONS,
            "true",
            RandomJobSpec.LONGER_BY,
            "300",
            "sailfish.reduce.work.target",
            "512k");
    job = cluster.start("skewed", spec, ReduceWork.AUTO, keys);
    job.awaitSuccess();
    history = job.inHistory();
    plan = PlanCodec.decode(Files.readAllBytes(cluster.plan(job.id())));
    go(job.page());
    awaitKept();
  }

  @Test
  void thePlanHasWhatItsPageIsToShow() {
    assertThat(plan.partitions()).isEqualTo(3);
    assertThat(plan.works()).hasSizeGreaterThan(3).anyMatch(work -> !work.isWhole());
    assertThat(plan.heavyKeys()).isNotEmpty();
    assertThat(history.info().getSucceededReduces()).isEqualTo(plan.works().size());
  }

  @Test
  void theFiguresOfThePlanAreThoseOfThePlan() {
    go(job.page() + "/plan");
    browser.see("[aria-label='Reduce works'] tr[data-key]");
    Set<Integer> once = new HashSet<>();
    Set<Integer> split =
        plan.works().stream()
            .map(work -> work.firstPartition())
            .filter(partition -> !once.add(partition))
            .collect(Collectors.toSet());
    long several =
        plan.works().stream().filter(work -> work.lastPartition() > work.firstPartition()).count();
    long largest = plan.works().stream().mapToLong(work -> work.rawBytes()).max().orElseThrow();
    Map<String, Long> figures =
        Map.of(
            "partitions", (long) plan.partitions(),
            "works", (long) plan.works().size(),
            "split", (long) split.size(),
            "together", several,
            "largest", largest,
            "refusals", (long) plan.refusals().size());
    figures.forEach(
        (name, value) ->
            assertThat(browser.value(FIGURE.formatted(name))).as(name).isEqualTo("" + value));
    assertThat(browser.words(".reasons")).contains("auto", "512 KiB", plan.target().reason());
    assertThat(plan.target().bytes()).isEqualTo(512 << 10);
  }

  @Test
  void eachWorkIsAsItWasPlannedAndAsItsTaskHasCounted() {
    go(job.page() + "/plan");
    browser.see("[aria-label='Reduce works'] tr[data-key]");
    Rows rows = Rows.of(browser, "Reduce works");
    SortedMap<Integer, Map<String, String>> wanted = new TreeMap<>();
    SortedMap<Integer, Map<String, String>> shown = new TreeMap<>();
    plan.works()
        .forEach(
            work -> {
              int number = work.number();
              TaskInfo task = history.reduce(number);
              Map<String, String> cells = new TreeMap<>();
              cells.put("work", "" + number);
              cells.put("first", partitions(work.firstPartition(), work.lastPartition()));
              cells.put("from", work.from() == null ? "–" : PrintableKey.of(work.from()));
              cells.put("to", work.to() == null ? "–" : PrintableKey.of(work.to()));
              cells.put("plannedBytes", "" + work.rawBytes());
              cells.put("mostBytes", "" + work.maxRawBytes());
              cells.put("plannedRecords", "" + work.records());
              cells.put("actualBytes", "" + history.ofReduce(number, "READ_BYTES"));
              cells.put("fetchedBytes", "" + history.ofReduce(number, "REDUCE_SHUFFLE_BYTES"));
              cells.put("actualRecords", "" + history.ofReduce(number, "REDUCE_INPUT_RECORDS"));
              cells.put("elapsedMs", "" + HadoopHistory.elapsedMs(task));
              cells.put("state", "done");
              wanted.put(number, cells);
              Map<String, String> row = new TreeMap<>();
              cells.keySet().forEach(column -> row.put(column, rows.at("" + number, column)));
              shown.put(number, row);
            });
    assertThat(rows.byKey()).hasSameSizeAs(plan.works());
    assertThat(shown).isEqualTo(wanted);
  }

  private static String partitions(int first, int last) {
    return first == last ? "" + first : first + "–" + last;
  }

  /** Maps, metaserver and plan count the same bytes; reduce tasks count all keys and values. */
  @Test
  void allThatWasAppendedWasPlannedAndRead() {
    go(job.page());
    browser.see("[data-phase=maps]");
    String written = "" + history.total("MAP_OUTPUT_MATERIALIZED_BYTES");
    assertThat("" + plan.rawBytes()).isEqualTo(written);
    assertThat(browser.value(FIGURE.formatted("appendedBytes"))).isEqualTo(written);
    assertThat(browser.value(FIGURE.formatted("sortedBytes"))).isEqualTo(written);
    assertThat(history.total("PIECE_RECORDS")).isEqualTo(history.total("MAP_OUTPUT_RECORDS"));
    long planned = plan.works().stream().mapToLong(work -> work.records()).sum();
    assertThat(planned).isEqualTo(history.total("MAP_OUTPUT_RECORDS"));
  }

  @Test
  void heavyKeysAreThoseOfThePlan() {
    SortedMap<String, String> wanted = new TreeMap<>();
    for (HeavyKey heavy : plan.heavyKeys()) {
      wanted.put(heavy.partition() + " " + heavy.key(), "" + heavy.rawBytes());
    }
    go(job.page() + "/plan");
    browser.see("[aria-label='Heavy keys'] tr[data-key]");
    assertThat(bytes(Rows.of(browser, "Heavy keys"))).isEqualTo(wanted);
    go(job.page());
    browser.see("[aria-label='Skewed keys'] tr[data-key]");
    assertThat(bytes(Rows.of(browser, "Skewed keys"))).isEqualTo(wanted);
    HeavyKey heaviest = plan.heavyKeys().get(0);
    assertThat(browser.words("[aria-label='Skewed keys'] [data-column=key]"))
        .isEqualTo(heaviest.key());
    assertThat(browser.words(".verdict")).isNotEmpty();
  }

  private static SortedMap<String, String> bytes(Rows rows) {
    SortedMap<String, String> bytes = new TreeMap<>();
    rows.byKey().forEach((key, cells) -> bytes.put(key, cells.get("bytes")));
    return bytes;
  }

  @Test
  void everyCounterIsThatOfHadoopsHistory() {
    go(job.page());
    browser.see("[aria-label='Counters beside stock’s names'] tr[data-key]");
    Rows rows = Rows.of(browser, "Counters beside stock’s names");
    SortedMap<String, String> shown = new TreeMap<>();
    rows.byKey()
        .forEach(
            (key, cells) ->
                shown.put(
                    key, cells.get("map") + " " + cells.get("reduce") + " " + cells.get("total")));
    SortedMap<String, String> counters = history.counters();
    // No amount: the ApplicationMaster compares it.
    assertThat(counters.remove("dev.sailfish.ReduceWork PIECE_CHECKSUM")).isNotNull();
    assertThat(shown).isEqualTo(counters);
    Map<String, String> figures =
        Map.of(
            "mapsDone", "" + history.info().getSucceededMaps(),
            "reducesDone", "" + history.info().getSucceededReduces(),
            "reducedBytes", "" + history.total("REDUCE_SHUFFLE_BYTES"),
            "taskCpuMs", "" + history.total("CPU_MILLISECONDS"));
    figures.forEach(
        (name, value) ->
            assertThat(browser.value(FIGURE.formatted(name))).as(name).isEqualTo(value));
  }

  /** On hover. */
  @Test
  void exactFiguresAreInTheTitles() {
    go(job.page());
    browser.see("[data-phase=maps]");
    String title =
        (String)
            browser.script("return document.querySelector('[data-figure=appendedBytes]').title;");
    assertThat(title.replaceAll("\\D", "")).isEqualTo("" + plan.rawBytes());
  }

  @Test
  void thePagesHaveNoFaultOfAccessibility() throws Exception {
    for (String page : new String[] {"", "/plan", "/ifiles", "/ifiles?partition=0"}) {
      go(job.page() + page);
      browser.see(".panel[data-state=there]");
      shouldBeAccessible();
    }
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void theIfilesHaveTheBytesOfThePlan() {
    go(job.page() + "/ifiles");
    browser.see("[aria-label='I-files'] tr[data-key]");
    Rows rows = Rows.of(browser, "I-files");
    SortedMap<String, Long> planned = new TreeMap<>();
    plan.works()
        .forEach(work -> planned.merge("" + work.firstPartition(), work.rawBytes(), Long::sum));
    boolean together =
        plan.works().stream().anyMatch(work -> work.lastPartition() > work.firstPartition());
    assertThat(together).as("works of several partitions in %s", plan).isFalse();
    SortedMap<String, Long> shown = new TreeMap<>();
    rows.byKey().forEach((key, cells) -> shown.put(key, Long.valueOf(cells.get("bytes"))));
    assertThat(shown).isEqualTo(planned);
  }
}
