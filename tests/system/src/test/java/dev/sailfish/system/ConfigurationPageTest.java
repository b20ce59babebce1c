package dev.sailfish.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.chunkserver.ChunkserverKey;
import dev.sailfish.hadoop.JobKey;
import dev.sailfish.hadoop.SailfishMapOutputCollector;
import dev.sailfish.hadoop.SailfishShuffleConsumer;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverKey;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;

/**
 * The tables of docs/CONFIGURATION.md and the example files in conf/ say what the code says. {@code
 * -Dsailfish.docs.write=true} rewrites them from the code instead of comparing.
 */
class ConfigurationPageTest {
  private static final boolean WRITE = Boolean.getBoolean("sailfish.docs.write");
  private static final String HOW =
      "generated from the code: run %s with -Dsailfish.docs.write=true";
  private static final int COMMENT_WIDTH = 98;

  private final Path root = SourceTree.ofThisProject().root();

  /** One key, as its table row and its example show it. */
  private record Key(String name, String unit, String fallback, String range, String meaning) {
    String row() {
      return "| `"
          + name
          + "` | "
          + unit
          + " | "
          + code(fallback)
          + " | "
          + code(range)
          + " | "
          + meaning
          + " |\n";
    }

    private static String code(String text) {
      return text.isEmpty() ? "" : "`" + text + "`";
    }
  }

  @Test
  void tablesAreThoseOfTheCode() throws IOException {
    Path file = root.resolve("docs/CONFIGURATION.md");
    String page = Files.readString(file);
    String generated = replaced(page, "metaserver", metaserver());
    generated = replaced(generated, "chunkserver", chunkserver());
    generated = replaced(generated, "job", job());
    generated = replaced(generated, "hadoop", hadoop());
    compareOrWrite(file, generated);
  }

  @Test
  void examplesNameEveryKeyWithItsDefault() throws IOException {
    compareOrWrite(
        root.resolve("conf/metaserver.properties"),
        example(
            "A metaserver: java -cp 'lib/*' dev.sailfish.metaserver.MetaserverMain FILE",
            metaserver()));
    compareOrWrite(
        root.resolve("conf/chunkserver.properties"),
        example(
            "A chunkserver: java -cp 'lib/*' dev.sailfish.chunkserver.ChunkserverMain FILE",
            chunkserver()));
  }

  @Test
  void examplesAreGoodConfigurations() throws IOException {
    Map<String, String> metaserver = properties(root.resolve("conf/metaserver.properties"));
    Map<String, String> directory = Map.of(MetaserverKey.JOURNAL_DIR.key(), "none");
    metaserver.putAll(directory);
    assertThat(MetaserverConfig.of(metaserver)).isEqualTo(MetaserverConfig.of(directory));
    Map<String, String> chunkserver = properties(root.resolve("conf/chunkserver.properties"));
    Map<String, String> host = Map.of(ChunkserverKey.HOST.key(), "host");
    chunkserver.putAll(host);
    assertThat(ChunkserverConfig.of(chunkserver)).isEqualTo(ChunkserverConfig.of(host));
  }

  private static List<Key> metaserver() {
    List<Key> keys = new ArrayList<>();
    for (MetaserverKey key : MetaserverKey.values()) {
      String name = key.key();
      String unit = name.endsWith(".ms") ? "ms" : name.endsWith(".bytes") ? "bytes" : "";
      keys.add(new Key(name, unit, key.defaultText(), key.range(), key.meaning()));
    }
    return keys;
  }

  private static List<Key> chunkserver() {
    List<Key> keys = new ArrayList<>();
    for (ChunkserverKey key : ChunkserverKey.values()) {
      keys.add(new Key(key.key(), key.unit(), key.defaultText(), key.range(), key.meaning()));
    }
    return keys;
  }

  private static List<Key> job() {
    List<Key> keys = new ArrayList<>();
    for (JobKey key : JobKey.values()) {
      keys.add(new Key(key.key(), key.unit(), key.defaultText(), key.range(), key.meaning()));
    }
    return keys;
  }

  /** Hadoop's own keys, with the defaults of the Hadoop that this was built against. */
  private static List<Key> hadoop() {
    return List.of(
        hadoopKey(
            "mapreduce.job.map.output.collector.class",
            "class",
            "set it to `" + SailfishMapOutputCollector.class.getName() + "`"),
        hadoopKey(
            MRConfig.SHUFFLE_CONSUMER_PLUGIN,
            "class",
            "set it to `" + SailfishShuffleConsumer.class.getName() + "`"),
        hadoopKey(
            MRJobConfig.MAP_OUTPUT_COMPRESS,
            "boolean",
            "whether blocks are compressed; what does not get smaller is stored as it is"),
        hadoopKey(
            MRJobConfig.MAP_OUTPUT_COMPRESS_CODEC,
            "class",
            "chooses the block codec; see [COMPATIBILITY.md](COMPATIBILITY.md)"),
        hadoopKey(
            MRJobConfig.COMPLETED_MAPS_FOR_REDUCE_SLOWSTART,
            "share of maps",
            "when reducers start; early ones fetch what is sorted while maps run"));
  }

  private static Key hadoopKey(String name, String unit, String meaning) {
    String fallback = new JobConf().get(name, "");
    boolean isClass = unit.equals("class");
    String shown = isClass ? fallback.substring(fallback.lastIndexOf('.') + 1) : fallback;
    return new Key(name, unit, shown, "", meaning);
  }

  private static String table(List<Key> keys) {
    StringBuilder text = new StringBuilder("| key | unit | default | range | meaning |\n");
    text.append("|---|---|---|---|---|\n");
    keys.forEach(key -> text.append(key.row()));
    return text.toString();
  }

  private static String replaced(String page, String name, List<Key> keys) {
    String begin = "<!-- generated: " + name + " -->\n";
    String end = "<!-- end: " + name + " -->\n";
    int from = page.indexOf(begin);
    int to = page.indexOf(end);
    assertThat(from).as("begin mark of %s", name).isNotNegative();
    assertThat(to).as("end mark of %s", name).isGreaterThan(from);
    return page.substring(0, from) + begin + table(keys) + page.substring(to);
  }

  private static String example(String head, List<Key> keys) {
    StringBuilder text = new StringBuilder();
    comment(text, head);
    comment(text, "Every key with its default; remove the # in front of what you change.");
    for (Key key : keys) {
      text.append('\n');
      String range = key.range().isEmpty() ? "" : " (" + key.range() + ")";
      comment(text, key.meaning().replace("`", "") + range);
      text.append('#').append(key.name()).append('=').append(key.fallback()).append('\n');
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

  private static Map<String, String> properties(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    Map<String, String> values = new HashMap<>();
    properties.forEach((key, value) -> values.put(key.toString(), value.toString()));
    return values;
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
