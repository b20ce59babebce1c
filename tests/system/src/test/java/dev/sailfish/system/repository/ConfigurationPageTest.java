package dev.sailfish.system.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.chunkserver.ChunkserverKey;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.hadoop.JobKey;
import dev.sailfish.hadoop.SailfishMapOutputCollector;
import dev.sailfish.hadoop.SailfishShuffleConsumer;
import dev.sailfish.lineage.hadoop.LineageKey;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.understore.mount.MountKey;
import dev.sailfish.lineage.worker.LineageWorkerKey;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverKey;
import dev.sailfish.node.NodeKey;
import dev.sailfish.web.WebKey;
import dev.sailfish.workflow.WorkflowKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tables of docs/CONFIGURATION.md and the example files in conf/ say what the code says. {@code
 * -Dsailfish.docs.write=true} rewrites them from the code instead of comparing.
 */
class ConfigurationPageTest {
  private static final boolean WRITE = Boolean.getBoolean("sailfish.docs.write");
  private static final String HOW =
      "generated from the code: run %s with -Dsailfish.docs.write=true";
  private static final int COMMENT_WIDTH = 98;

  @TempDir private Path directory;

  private final Path root = SourceTree.ofThisProject().root();

  @Test
  void tablesAreThoseOfTheCode() throws IOException {
    Path file = root.resolve("docs/CONFIGURATION.md");
    String page = Files.readString(file);
    String generated = replaced(page, "metaserver", table(MetaserverKey.ALL));
    generated = replaced(generated, "chunkserver", table(ChunkserverKey.ALL));
    generated = replaced(generated, "lineage-master", table(LineageMasterKey.ALL));
    generated = replaced(generated, "lineage-worker", table(LineageWorkerKey.ALL));
    generated = replaced(generated, "workflow", table(WorkflowKey.ALL));
    generated = replaced(generated, "node", table(NodeKey.ALL));
    generated = replaced(generated, "web", table(WebKey.ALL));
    generated = replaced(generated, "job", table(JobKey.ALL));
    generated = replaced(generated, "lineage-client", table(LineageKey.ALL));
    generated = replaced(generated, "lineage-job", table(LineageKey.OF_JOBS));
    generated = replaced(generated, "mount", table(MountKey.ALL));
    generated = replaced(generated, "hadoop", hadoop());
    compareOrWrite(file, generated);
  }

  @Test
  void examplesNameEveryKeyWithItsDefault() throws IOException {
    compareOrWrite(
        root.resolve("conf/metaserver.properties"),
        example("A metaserver: bin/sailfish-metaserver FILE", MetaserverKey.ALL));
    compareOrWrite(
        root.resolve("conf/chunkserver.properties"),
        example("A chunkserver: bin/sailfish-chunkserver FILE", ChunkserverKey.ALL));
    compareOrWrite(
        root.resolve("conf/lineage-master.properties"),
        example(
            "A master of the lineage store: bin/sailfish-lineage-master FILE",
            LineageMasterKey.ALL));
    compareOrWrite(
        root.resolve("conf/lineage-worker.properties"),
        example(
            "A worker of the lineage store: bin/sailfish-lineage-worker FILE",
            LineageWorkerKey.ALL));
    compareOrWrite(
        root.resolve("conf/workflow.properties"),
        example(
            "A workflow manager of the lineage store: bin/sailfish-workflow FILE",
            WorkflowKey.ALL));
    compareOrWrite(
        root.resolve("conf/node.properties"),
        example(
            "A node, which takes the keys of a chunkserver and of a worker too: bin/sailfish-node FILE",
            NodeKey.ALL));
    compareOrWrite(
        root.resolve("conf/web.properties"),
        example("The web process: bin/sailfish-web FILE", WebKey.ALL));
  }

  /** With the # in front of every key removed too. */
  @Test
  void examplesAreGoodConfigurations() throws IOException {
    Map<String, String> journal = Map.of(MetaserverKey.PREFIX + "journal.dir", "none");
    Settings metaserver = uncommented("metaserver", journal);
    MetaserverConfig.of(metaserver);
    Map<String, String> host = Map.of(ChunkserverKey.PREFIX + "host", "host");
    Settings chunkserver = uncommented("chunkserver", host);
    ChunkserverConfig.of(chunkserver);
    LineageMasterKey.ALL.check(uncommented("lineage-master", Map.of()));
    LineageWorkerKey.ALL.check(uncommented("lineage-worker", Map.of()));
    WorkflowKey.ALL.check(uncommented("workflow", Map.of()));
    NodeKey.ALL.check(uncommented("node", Map.of()));
    WebKey.ALL.check(uncommented("web", Map.of()));
    for (Key<?> key : MetaserverKey.ALL.all()) {
      assertThat(metaserver.isSet(key)).as("%s", key).isEqualTo(hasValue(key, journal));
    }
    for (Key<?> key : ChunkserverKey.ALL.all()) {
      assertThat(chunkserver.isSet(key)).as("%s", key).isEqualTo(hasValue(key, host));
    }
  }

  private static boolean hasValue(Key<?> key, Map<String, String> more) {
    return !key.defaultText().isEmpty() || more.containsKey(key.name());
  }

  private Settings uncommented(String daemon, Map<String, String> more) throws IOException {
    String example = Files.readString(root.resolve("conf/" + daemon + ".properties"));
    assertThat(example.lines().filter(line -> !line.isEmpty())).allMatch(l -> l.startsWith("#"));
    StringBuilder text = new StringBuilder(example.replace("#sailfish.", "sailfish."));
    more.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    return Settings.read(Files.writeString(directory.resolve(daemon), text));
  }

  /** Hadoop's own keys, with the defaults of the Hadoop that this was built against. */
  private static String hadoop() {
    StringBuilder text = head();
    hadoopKey(
        text,
        "mapreduce.job.map.output.collector.class",
        "class",
        "set it to `" + SailfishMapOutputCollector.class.getName() + "`");
    hadoopKey(
        text,
        MRConfig.SHUFFLE_CONSUMER_PLUGIN,
        "class",
        "set it to `" + SailfishShuffleConsumer.class.getName() + "`");
    hadoopKey(
        text,
        MRJobConfig.MAP_OUTPUT_COMPRESS,
        "boolean",
        "whether blocks are compressed; what does not get smaller is stored as it is");
    hadoopKey(
        text,
        MRJobConfig.MAP_OUTPUT_COMPRESS_CODEC,
        "class",
        "chooses the block codec; see [COMPATIBILITY.md](COMPATIBILITY.md)");
    hadoopKey(
        text,
        MRJobConfig.COMPLETED_MAPS_FOR_REDUCE_SLOWSTART,
        "share of maps",
        "when reducers start; early ones fetch what is sorted while maps run");
    return text.toString();
  }

  private static void hadoopKey(StringBuilder text, String name, String type, String meaning) {
    String fallback = new JobConf().get(name, "");
    row(text, name, type, fallback.replaceAll("^org\\..*\\.", ""), "", meaning);
  }

  private static String table(KeySet keys) {
    StringBuilder text = head();
    for (Key<?> key : keys.all()) {
      row(text, key.name(), key.type(), key.defaultText(), key.range(), key.meaning());
    }
    return text.toString();
  }

  private static StringBuilder head() {
    return new StringBuilder("| key | type | default | range | meaning |\n|---|---|---|---|---|\n");
  }

  private static void row(
      StringBuilder text, String name, String type, String fallback, String range, String what) {
    text.append("| `").append(name).append("` | ").append(type).append(" | ");
    text.append(code(fallback)).append(" | ").append(code(range.replace("|", ", ")));
    text.append(" | ").append(what.replace("|", "\\|")).append(" |\n");
  }

  private static String code(String text) {
    return text.isEmpty() ? "" : "`" + text + "`";
  }

  private static String replaced(String page, String name, String table) {
    String begin = "<!-- generated: " + name + " -->\n";
    String end = "<!-- end: " + name + " -->\n";
    int from = page.indexOf(begin);
    int to = page.indexOf(end);
    assertThat(from).as("begin mark of %s", name).isNotNegative();
    assertThat(to).as("end mark of %s", name).isGreaterThan(from);
    return page.substring(0, from) + begin + table + page.substring(to);
  }

  private static String example(String head, KeySet keys) {
    StringBuilder text = new StringBuilder();
    comment(text, head);
    comment(text, "Every key with its default; remove the # in front of what you change.");
    for (Key<?> key : keys.all()) {
      text.append('\n');
      String range = key.range().isEmpty() ? "" : " (" + key.range().replace("|", ", ") + ")";
      comment(text, key.meaning().replace("`", "") + range);
      text.append('#').append(key.name()).append('=').append(key.defaultText()).append('\n');
    }
    return text.toString();
  }

  private static void comment(StringBuilder text, String sentence) {
    StringBuilder line = new StringBuilder("#");
    for (String word : sentence.split(" ")) {
      if (line.length() + 1 + word.length() > COMMENT_WIDTH) {
        text.append(line).append('\n');
        line = new StringBuilder("#");
      }
      line.append(' ').append(word);
    }
    text.append(line).append('\n');
  }

  private void compareOrWrite(Path file, String generated) throws IOException {
    if (WRITE) {
      Files.writeString(file, generated);
      return;
    }
    assertThat(Files.readString(file))
        .as(root.relativize(file) + " is " + HOW, ConfigurationPageTest.class.getSimpleName())
        .isEqualTo(generated);
  }
}
