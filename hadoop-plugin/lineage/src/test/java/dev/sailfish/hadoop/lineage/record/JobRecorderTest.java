package dev.sailfish.hadoop.lineage.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.lineage.ProgramName;
import dev.sailfish.hadoop.lineage.wire.CacheFile;
import dev.sailfish.hadoop.lineage.wire.InputPath;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.partition.TotalOrderPartitioner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tasks of jobs, as far as a file system sees them, and a real store. */
@Timeout(120)
class JobRecorderTest {
  private static final int TASKS = 8;

  @TempDir private java.nio.file.Path directory;
  private TestStore store;
  private StoreClient client;
  private Configuration conf;

  @BeforeEach
  void start() throws IOException {
    start(Map.of());
  }

  private void start(Map<String, String> limits) throws IOException {
    java.nio.file.Path own = Files.createTempDirectory(directory, "store");
    store = new TestStore(own, limits);
    client = store.client();
    conf = store.conf();
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    store.close();
  }

  private StagedJob job(int number, InputSplit... splits) throws Exception {
    return new StagedJob(directory.resolve("staging" + number), number, conf, splits);
  }

  private InputSplit split(String path) {
    return new FileSplit(hadoop(path), 0, 1, new String[0]);
  }

  private Path hadoop(String path) {
    return new Path(path.startsWith("/in") ? store.uri() + path : path);
  }

  private void input(String path) throws IOException {
    try (FileSystem files = FileSystem.newInstance(store.uri(), conf)) {
      StagedJob.write(files, path, "input");
    }
  }

  private DependencyRecord record(StagedJob job) throws IOException {
    return client.lineage().find(job.name()).orElseThrow();
  }

  private long fid(String path) throws IOException {
    return client.namespace().stat(path).getFid();
  }

  private byte[] program(DependencyRecord record, String name) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (ProgramFile program : record.getProgramsList()) {
      if (program.getName().equals(name)) {
        client.lineage().fetch(record.getOwner(), program, bytes);
      }
    }
    return bytes.toByteArray();
  }

  private static List<String> outputs(DependencyRecord record) {
    List<String> outputs = new ArrayList<>();
    for (DependencyOutput output : record.getOutputsList()) {
      outputs.add(
          "%s%d.%d %s"
              .formatted(
                  output.getMap() ? "m" : "r",
                  output.getIndex(),
                  output.getFile(),
                  output.getState()));
    }
    return outputs;
  }

  @Test
  void filesOfTasksAreOutputsWhereverTheyAreMoved() throws Exception {
    input("/in/a");
    input("/in/b");
    java.nio.file.Path outside = Files.writeString(directory.resolve("outside"), "12345");
    StagedJob job =
        job(1, split("/in/b"), split(outside.toUri().toString()), split("/in/a"), split("/in/b"));
    try (FileSystem files = job.store(store.uri(), "r", 3, 0)) {
      StagedJob.write(files, "/out/_temporary/part-3", "three");
      StagedJob.write(files, "/out/_temporary/side", "side");
      files.rename(hadoop("/out/_temporary/part-3"), hadoop("/out/part-3"));
    }
    try (FileSystem files = job.store(store.uri(), "r", 0, 0)) {
      StagedJob.write(files, "/out/part-0", "zero");
      files.delete(hadoop("/out/part-0"), false);
    }
    DependencyRecord record = record(job);
    assertThat(record.getGrowing()).isTrue();
    assertThat(outputs(record))
        .containsExactly("r3.0 OUTPUT_STORED", "r3.1 OUTPUT_STORED", "r0.0 OUTPUT_DELETED");
    assertThat(record.getOutputs(0).getFid()).isEqualTo(fid("/out/part-3"));
    assertThat(record.getOutputs(1).getFid()).isEqualTo(fid("/out/_temporary/side"));
    assertThat(record.getInputsList())
        .extracting(DependencyInput::getFid)
        .containsExactly(fid("/in/b"), 0L, fid("/in/a"));
    assertThat(record.getInputs(1).getOutside().getUri()).isEqualTo(outside.toUri().toString());
    assertThat(record.getInputs(1).getOutside().getLength()).isEqualTo(5);
    assertThat(record.getInputs(1).getOutside().getModifiedMs())
        .isEqualTo(Files.getLastModifiedTime(outside).toMillis());
    Recipe recipe = Recipe.parseFrom(record.getConfig());
    assertThat(recipe.getInputsList())
        .extracting(InputPath::getPath)
        .containsExactly(
            store.uri() + "/in/b",
            hadoop(outside.toUri().toString()).toString(),
            store.uri() + "/in/a");
    assertThat(recipe.getMapReduce().getJob()).isEqualTo(job.name());
    assertThat(recipe.getMapReduce().getMaps()).isEqualTo(4);
    assertThat(recipe.getMapReduce().getReduces()).isEqualTo(1);
    assertThat(record.getProgramsList())
        .extracting(ProgramFile::getName)
        .containsExactly(ProgramName.JOB_XML, ProgramName.SPLITS, ProgramName.SPLIT_PLACES);
    assertThat(program(record, ProgramName.SPLITS))
        .isEqualTo(Files.readAllBytes(directory.resolve("staging1/job.split")));
  }

  @Test
  void manyTasksThatBeginAtOnceMakeOneRecord() throws Exception {
    StagedJob job = job(2);
    ExecutorService threads = Executors.newFixedThreadPool(TASKS);
    try {
      List<Future<?>> tasks = new ArrayList<>();
      for (int task = 0; task < TASKS; task++) {
        int number = task;
        tasks.add(
            threads.submit(
                () -> {
                  try (FileSystem files = job.store(store.uri(), "m", number, 0)) {
                    StagedJob.write(files, "/out/" + number, "x");
                  }
                  return null;
                }));
      }
      for (Future<?> task : tasks) {
        task.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(record(job).getOutputsList()).hasSize(TASKS);
    List<Long> records = new ArrayList<>();
    client.lineage().list(one -> records.add(one.getId()));
    assertThat(records).hasSize(1);
  }

  @Test
  void anotherAttemptCountsFromTheBeginning() throws Exception {
    StagedJob job = job(3);
    for (int attempt = 0; attempt < 2; attempt++) {
      try (FileSystem files = job.store(store.uri(), "m", 5, attempt);
          FileSystem other = job.store(store.uri(), "m", 5, attempt)) {
        StagedJob.write(files, "/out/first" + attempt, "x");
        StagedJob.write(other, "/out/second" + attempt, "x");
      }
    }
    client.namespace().delete("/out/first0", false);
    assertThat(outputs(record(job)))
        .containsExactly(
            "m5.0 OUTPUT_DELETED",
            "m5.1 OUTPUT_STORED",
            "m5.0 OUTPUT_STORED",
            "m5.1 OUTPUT_STORED");
  }

  @Test
  void whatCannotBeCreatedIsNotCounted() throws Exception {
    StagedJob job = job(4);
    try (FileSystem files = job.store(store.uri(), "m", 0, 0)) {
      StagedJob.write(files, "/out/a", "x");
      assertThat(catchCreate(files, "/out/a")).contains("/out/a");
      StagedJob.write(files, "/out/b", "x");
    }
    assertThat(outputs(record(job))).containsExactly("m0.0 OUTPUT_STORED", "m0.1 OUTPUT_STORED");
  }

  private static String catchCreate(FileSystem files, String path) {
    try {
      StagedJob.write(files, path, "x");
      return "created";
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  @Test
  void theFileThatPartitionsKeysIsAProgram() throws Exception {
    java.nio.file.Path keys = Files.writeString(directory.resolve("keys"), "some keys");
    List<String> uris = new ArrayList<>();
    int number = 20;
    for (String path : List.of(keys.toString(), "_partition.lst", directory + "/gone")) {
      conf.set(TotalOrderPartitioner.PARTITIONER_PATH, path);
      StagedJob job = job(number++);
      try (FileSystem files = job.store(store.uri(), "r", 0, 0)) {
        StagedJob.write(files, "/out/" + number, "x");
      }
      DependencyRecord record = record(job);
      for (CacheFile file : Recipe.parseFrom(record.getConfig()).getMapReduce().getCacheList()) {
        uris.add(file.getUri());
        assertThat(program(record, file.getProgram())).asString().isEqualTo("some keys");
      }
    }
    assertThat(uris).containsExactly(keys.toUri() + "#sailfish-partition-keys");
  }

  @Test
  void passwordsAreNotInTheRecordAndTheCacheIs() throws Exception {
    java.nio.file.Path plain = Files.writeString(directory.resolve("plain"), "cached");
    java.nio.file.Path libraries = Files.createDirectory(directory.resolve("libraries"));
    Files.writeString(libraries.resolve("one.jar"), "1");
    Files.writeString(libraries.resolve("two.jar"), "2");
    conf.set("javax.jdo.option.ConnectionPassword", "open sesame");
    conf.set("fs.s3a.secret.key", "open sesame");
    conf.set("my.own.pin", "open sesame");
    conf.set(MRJobConfig.MR_JOB_REDACTED_PROPERTIES, "my.own.pin");
    conf.set("my.pattern", "${user.name}");
    conf.set("mapreduce.application.framework.path", "hdfs://nowhere/hadoop.tgz#hadoop");
    conf.set(
        MRJobConfig.CACHE_FILES, plain.toUri() + "#link," + libraries.toUri().getPath() + "/*");
    conf.set(MRJobConfig.CACHE_ARCHIVES, "hdfs://nowhere/hadoop.tgz#hadoop");
    StagedJob job = job(5);
    try (FileSystem files = job.store(store.uri(), "r", 0, 0)) {
      StagedJob.write(files, "/out/a", "x");
    }
    DependencyRecord record = record(job);
    Recipe recipe = Recipe.parseFrom(record.getConfig());
    List<CacheFile> cache = recipe.getMapReduce().getCacheList();
    assertThat(cache).hasSize(4);
    assertThat(cache.get(0).getUri()).isEqualTo(plain.toUri() + "#link");
    assertThat(program(record, cache.get(0).getProgram())).asString().isEqualTo("cached");
    assertThat(cache.subList(1, 3))
        .extracting(CacheFile::getEntry)
        .containsExactlyInAnyOrder("one.jar", "two.jar");
    assertThat(cache.get(3).getProgram()).isEmpty();
    assertThat(cache.get(3).getArchive()).isTrue();
    byte[] xml = program(record, ProgramName.JOB_XML);
    assertThat(new String(xml, StandardCharsets.UTF_8)).doesNotContain("open sesame");
    Configuration recorded = new Configuration(false);
    recorded.addResource(new ByteArrayInputStream(xml));
    assertThat(recorded.getRaw("my.pattern")).isEqualTo("${user.name}");
    assertThat(recorded.get("fs.lineage.impl")).isEqualTo(conf.get("fs.lineage.impl"));
  }

  @Test
  void longRecipesAreProgramsAndManyInputsAreListed() throws Exception {
    List<InputSplit> splits = new ArrayList<>();
    List<Long> fids = new ArrayList<>();
    for (int i = 30; i-- > 0; ) {
      input("/in/file" + i);
      splits.add(split("/in/file" + i));
      fids.add(fid("/in/file" + i));
    }
    StagedJob job = job(6, splits.toArray(new InputSplit[0]));
    try (FileSystem files = job.store(store.uri(), "r", 0, 0)) {
      StagedJob.write(files, "/out/a", "x");
    }
    DependencyRecord record = record(job);
    assertThat(record.getInputsList())
        .extracting(DependencyInput::getFid)
        .containsExactlyElementsOf(fids);
    Recipe recipe = Recipe.parseFrom(program(record, ProgramName.RECIPE));
    assertThat(recipe.getInputsCount()).isEqualTo(fids.size());
    Recipe shortened = Recipe.parseFrom(record.getConfig());
    assertThat(shortened.getInputsCount()).isZero();
    assertThat(shortened.getMapReduce().getMaps()).isEqualTo(fids.size());
  }

  @Test
  void ofAJobWithoutReducesItSaysWhichInputEachMapReads() throws Exception {
    input("/in/a");
    input("/in/b");
    StagedJob reducing = job(13, split("/in/b"), split("/in/a"));
    conf.setInt(MRJobConfig.NUM_REDUCES, 0);
    StagedJob job = job(14, split("/in/b"), split("/in/a"), split("/in/b"));
    StagedJob ofDirectories = job(15, split("/in"), split("/in/a"));
    List<List<Integer>> read = new ArrayList<>();
    for (StagedJob one : List.of(reducing, job, ofDirectories)) {
      try (FileSystem files = one.store(store.uri(), "m", 0, 0)) {
        StagedJob.write(files, "/out/" + one.name(), "x");
      }
      Recipe recipe = Recipe.parseFrom(record(one).getConfig());
      read.add(recipe.getMapReduce().getInputOfMapList());
    }
    assertThat(read).containsExactly(List.of(), List.of(0, 1, 0), List.of());
  }

  @Test
  void aJobWithoutARecordRunsAllTheSame() throws Exception {
    stop();
    start(Map.of("lineage.inputs", "1"));
    input("/in/a");
    input("/in/b");
    StagedJob job = job(7, split("/in/a"), split("/in/b"));
    java.nio.file.Path below = Files.createDirectory(directory.resolve("below"));
    client.mounts().add("/mounted " + below.toUri());
    for (int task = 0; task < 2; task++) {
      try (FileSystem files = job.store(store.uri(), "m", task, 0)) {
        StagedJob.write(files, "/mounted/" + task, "below");
        StagedJob.write(files, "/elsewhere/" + task, "in memory");
      }
      assertThat(below.resolve(String.valueOf(task))).hasContent("below");
    }
    assertThat(client.lineage().find(job.name())).isEmpty();
    assertThat(directory.resolve("staging7/sailfish-lineage-record"))
        .content()
        .contains("OBSTACLE_REFUSED", "sailfish.lineage.master.lineage.inputs");
  }

  @Test
  void aProgramThatIsNotThereIsInTheWay() throws Exception {
    conf.set(MRJobConfig.CACHE_FILES, directory.resolve("gone").toUri().toString());
    StagedJob job = job(12);
    try (FileSystem files = job.store(store.uri(), "m", 0, 0)) {
      StagedJob.write(files, "/out/a", "x");
    }
    assertThat(client.lineage().find(job.name())).isEmpty();
    assertThat(directory.resolve("staging12/sailfish-lineage-record"))
        .content()
        .contains("OBSTACLE_PROGRAMS", "gone");
  }

  @Test
  void theLimitOfOutputsEndsTheRecordAndNotTheJob() throws Exception {
    stop();
    start(Map.of("lineage.outputs", "1"));
    StagedJob job = job(8);
    try (FileSystem files = job.store(store.uri(), "m", 0, 0)) {
      StagedJob.write(files, "/out/a", "x");
      StagedJob.write(files, "/out/b", "x");
    }
    assertThat(record(job).getOutputsList()).hasSize(1);
    assertThat(client.namespace().stat("/out/b").getComplete()).isTrue();
  }

  @Test
  void onlyTasksOfJobsThatWantItAreRecorded() throws Exception {
    conf.setBoolean("sailfish.lineage.record", false);
    StagedJob unwilling = job(9);
    try (FileSystem files = unwilling.store(store.uri(), "m", 0, 0)) {
      StagedJob.write(files, "/out/a", "x");
    }
    Configuration spark = store.conf();
    spark.set(MRJobConfig.TASK_ATTEMPT_ID, "attempt_1700000000000_0010_m_000000_0");
    try (FileSystem files = FileSystem.newInstance(store.uri(), spark)) {
      StagedJob.write(files, "/out/b", "x");
    }
    assertThat(client.lineage().find(unwilling.name())).isEmpty();
    assertThat(client.lineage().find("job_1700000000000_0010")).isEmpty();
  }

  @Test
  void prioritiesAreThoseOfYarn() {
    assertThat(RecordMaker.priority("VERY_HIGH")).isEqualTo(5);
    assertThat(RecordMaker.priority("NORMAL")).isEqualTo(3);
    assertThat(RecordMaker.priority("very_low")).isEqualTo(1);
    assertThat(RecordMaker.priority("DEFAULT")).isZero();
    assertThat(RecordMaker.priority("17")).isEqualTo(17);
    assertThat(RecordMaker.priority("")).isZero();
  }
}
