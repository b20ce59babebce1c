package dev.sailfish.workflow.step.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.lineage.wire.CacheFile;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CachedPathsTest {
  @TempDir private File temporary;
  private final Configuration job = new Configuration(false);
  private LocalFileSystem files;
  private CachedPaths paths;

  @BeforeEach
  void create() throws IOException {
    job.set("fs.file.impl", LocalFileSystem.class.getName());
    job.set("fs.defaultFS", "file:///");
    files = LocalFileSystem.getLocal(job);
    paths = new CachedPaths(new Path(uri("cache")));
  }

  private String uri(String name) {
    return "file:" + new File(temporary, name);
  }

  private void write(File file, String text) throws IOException {
    Files.createDirectories(file.getParentFile().toPath());
    Files.writeString(file.toPath(), text);
  }

  private void delete(String name) throws IOException {
    Files.delete(new File(temporary, name).toPath());
  }

  /** Writes a file of the client's, and its copy. */
  private CacheFile stage(String name) throws IOException {
    write(new File(temporary, name), name);
    CacheFile file = CacheFile.newBuilder().setUri(uri(name) + "#link").build();
    Path place = paths.place(file);
    write(new File(place.toUri().getPath()), name);
    paths.add(file, files.getFileStatus(place));
    return file;
  }

  private Map<String, String> apply(String... values) {
    for (int i = 0; i < values.length; i++) {
      job.set("key" + i, values[i]);
    }
    paths.apply(job);
    return job.getPropsWithPrefix("key");
  }

  @Test
  void theDirectoryOfAPlanThatIsGoneIsTheOneOfItsCopies() throws IOException {
    stage("other/dict");
    CacheFile map = stage("plan/map.xml");
    CacheFile reduce = stage("plan/reduce.xml");
    Path copies = paths.place(map).getParent();
    assertThat(paths.place(reduce)).isEqualTo(new Path(copies, "reduce.xml"));
    delete("plan/map.xml");
    String plan = new File(temporary, "plan").toString();
    assertThat(apply(uri("plan"), "file://" + plan + "/", plan, "hdfs://nn" + plan, plan + ",/x"))
        .isEqualTo(
            Map.of(
                "0",
                copies.toString(),
                "1",
                copies.toString(),
                "2",
                copies.toString(),
                "3",
                "hdfs://nn" + plan,
                "4",
                plan + ",/x"));
  }

  @Test
  void aDirectoryStaysThatIsThereOrHasMore() throws IOException {
    stage("there/dict");
    stage("home/dict");
    write(new File(temporary, "home/letter"), "");
    delete("home/dict");
    assertThat(apply(uri("there"), uri("there/dict"), uri("home"), "http://[/there", "${x}/there"))
        .isEqualTo(
            Map.of(
                "0",
                uri("there"),
                "1",
                uri("there/dict"),
                "2",
                uri("home"),
                "3",
                "http://[/there",
                "4",
                "${x}/there"));
  }

  @Test
  void aFileThatIsGoneOrAnotherOneIsItsCopy() throws IOException {
    CacheFile gone = stage("a/dict");
    CacheFile changed = stage("b/dict");
    delete("a/dict");
    write(new File(temporary, "b/dict"), "other words");
    assertThat(apply(uri("a/dict"), uri("b/dict")))
        .isEqualTo(Map.of("0", paths.place(gone).toString(), "1", paths.place(changed).toString()));
  }

  @Test
  void aFileWithTwoLinksIsCopiedOnce() throws IOException {
    CacheFile first = CacheFile.newBuilder().setUri(uri("a/dict") + "#one").build();
    CacheFile second = first.toBuilder().setUri(uri("a/dict") + "#two").build();
    assertThat(paths.copy(first)).isNull();
    stage("a/dict");
    FileStatus copy = paths.copy(first);
    assertThat(copy).isNotNull().isSameAs(paths.copy(second));
  }

  @Test
  void filesOfADirectoryOfLibrariesAreNamed() {
    CacheFile entry =
        CacheFile.newBuilder().setUri("hdfs://nn/libjars/*").setEntry("a.jar").build();
    assertThat(CachedPaths.original(entry)).hasToString("hdfs://nn/libjars/a.jar");
  }
}
