package dev.sailfish.system.lineage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.hadoop.lineage.recompute.OrderFile;
import dev.sailfish.hadoop.lineage.wire.OrderedInput;
import dev.sailfish.hadoop.lineage.wire.OrderedOutput;
import dev.sailfish.hadoop.lineage.wire.RecomputeOrder;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.hadoop.FilesById;
import dev.sailfish.lineage.hadoop.LineageFileSystem;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.system.LineageDaemons;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What tasks of a job that recomputes do to a store: nothing, but for lost files. */
@Timeout(180)
class RecomputeFileSystemTest {
  private static final String OTHER_HOST = "127.0.0.2";
  private static int attempts;

  @TempDir private java.nio.file.Path directory;
  private LineageDaemons daemons;
  private LineageFileSystem store;
  private StoreClient client;
  private FileSystem task;
  private Configuration conf;

  @BeforeEach
  void start() throws IOException {
    daemons = new LineageDaemons(directory, Map.of("worker.lease", "6s"));
    conf = new Configuration(false);
    daemons.keys().forEach(conf::set);
    conf.set("fs.defaultFS", "lineage://store/");
    conf.setBoolean("fs.lineage.impl.disable.cache", true); // each test has another store
    client = daemons.client();
    store = new LineageFileSystem();
    store.initialize(URI.create("lineage://store/"), conf);
  }

  @AfterEach
  void stop() throws IOException {
    if (task != null) {
      task.close();
    }
    store.close();
    client.close();
    daemons.close();
  }

  private static void write(FileSystem files, String path, String text) throws IOException {
    try (FSDataOutputStream out = files.create(new Path(path), false)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static String read(FileSystem files, String path) throws IOException {
    try (FSDataInputStream in = files.open(new Path(path))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static List<String> names(FileSystem files, String path) throws IOException {
    return Arrays.stream(files.listStatus(new Path(path)))
        .map(status -> status.getPath().getName())
        .toList();
  }

  private long fid(String path) throws IOException {
    return client.namespace().stat(path).getFid();
  }

  /** A reduce task with number 0. */
  private void begin(RecomputeOrder order) throws IOException {
    java.nio.file.Path file = directory.resolve("order");
    Files.write(file, order.toByteArray());
    OrderFile.apply(conf);
    conf.set(OrderFile.KEY, file.toString());
    conf.set(MRJobConfig.TASK_ATTEMPT_ID, "attempt_1700000000000_0001_r_000000_" + attempts++);
    task = FileSystem.newInstance(URI.create("lineage://store/"), conf);
  }

  private static OrderedOutput output(long fid, int file) {
    return OrderedOutput.newBuilder().setFid(fid).setFile(file).build();
  }

  /** Writes two files that are recorded, and loses them. */
  private void lose(String first, String second) throws IOException {
    write(store, first, "first");
    write(store, second, "second");
    java.nio.file.Path program = Files.writeString(directory.resolve("program"), "any");
    client
        .lineage()
        .create(
            CreateDependency.newBuilder()
                .setType(DependencyType.DEPENDENCY_WIDE)
                .addPrograms(client.lineage().upload(program))
                .addOutputs(DependencyOutput.newBuilder().setFid(fid(first)))
                .addOutputs(DependencyOutput.newBuilder().setFid(fid(second)).setFile(1))
                .build());
    daemons.startWorker(OTHER_HOST);
    daemons.endWorker(LineageDaemons.HOST);
    await().atMost(Duration.ofMinutes(1)).until(() -> lost().size() == 2);
  }

  private List<Long> lost() throws IOException {
    List<Long> lost = new ArrayList<>();
    client.lineage().lost(file -> lost.add(file.getOutput().getFid()));
    return lost;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aCommittedTaskWritesTheLostFileWhereItIs(int algorithm) throws IOException {
    lose("/out/part-r-00000", "/out/side-r-00000");
    long fid = fid("/out/part-r-00000");
    begin(RecomputeOrder.newBuilder().addOutputs(output(fid, 0)).build());
    conf.setInt(FileOutputCommitter.FILEOUTPUTCOMMITTER_ALGORITHM_VERSION, algorithm);
    TaskAttemptContext context =
        new TaskAttemptContextImpl(
            conf, TaskAttemptID.forName(conf.get(MRJobConfig.TASK_ATTEMPT_ID)));
    FileOutputCommitter committer =
        new FileOutputCommitter(new Path("lineage://store/out"), context);
    committer.setupTask(context);
    write(task, new Path(committer.getWorkPath(), "part-r-00000").toString(), "first");
    write(task, new Path(committer.getWorkPath(), "side-r-00000").toString(), "second");
    assertThat(committer.needsTaskCommit(context)).isTrue();
    committer.commitTask(context);
    assertThat(lost()).containsExactly(fid("/out/side-r-00000"));
    assertThat(read(store, "/out/part-r-00000")).isEqualTo("first");
    assertThat(fid("/out/part-r-00000")).isEqualTo(fid);
    assertThat(names(store, "/out")).containsExactly("part-r-00000", "side-r-00000");
  }

  @Test
  void otherBytesFailTheTaskAndAreNotKept() throws IOException {
    lose("/a", "/b");
    begin(RecomputeOrder.newBuilder().addOutputs(output(fid("/a"), 0)).build());
    assertThatThrownBy(() -> write(task, "/a", "FIRST"))
        .hasMessageContaining("recomputed with other bytes");
    assertThat(lost()).hasSize(2);
  }

  @Test
  void aTaskThatFailsHalfWaySaysWhyItselfAndTheRecordIsNotBlamed() throws IOException {
    lose("/a", "/b");
    OrderedOutput ordered = output(fid("/a"), 0).toBuilder().setLength("first".length()).build();
    begin(RecomputeOrder.newBuilder().addOutputs(ordered).build());
    write(task, "/attempt/a", "fir"); // closes it, as a task does that fails
    assertThat(client.lineage().of(fid("/a")).getNondeterministic()).isFalse();
    assertThat(lost()).hasSize(2);
    assertThatThrownBy(() -> task.rename(new Path("/attempt"), new Path("/done")))
        .hasMessageContaining("length=3, not length=5");

    begin(RecomputeOrder.newBuilder().addOutputs(ordered).build());
    write(task, "/attempt/a", "first");
    assertThat(task.rename(new Path("/attempt"), new Path("/done"))).isTrue();
    assertThat(read(store, "/a")).isEqualTo("first");
  }

  @Test
  void whatIsThereAgainIsNotWritten() throws IOException {
    lose("/a", "/b");
    try (FSDataOutputStream out =
        new FilesById(store, new FileSystem.Statistics("lineage"))
            .recompute(fid("/a"), new Path("/a"))) {
      out.write("first".getBytes(StandardCharsets.UTF_8));
    }
    begin(RecomputeOrder.newBuilder().addOutputs(output(fid("/a"), 0)).build());
    write(task, "/a", "other");
    assertThat(read(store, "/a")).isEqualTo("first");
    assertThat(read(task, "/a")).isEqualTo("first");
  }

  @Test
  void nothingElseOfTheStoreChanges() throws IOException {
    write(store, "/d/f", "text");
    write(store, "/d/g", "more");
    begin(RecomputeOrder.getDefaultInstance());
    write(task, "/d/f", "new");
    write(task, "/d/t/deep/h", "new");
    assertThat(task.rename(new Path("/d/g"), new Path("/d/t/g"))).isTrue();
    assertThat(names(task, "/d")).containsExactly("f", "t");
    assertThat(names(task, "/d/t")).containsExactly("deep", "g");
    assertThat(read(task, "/d/t/g")).isEqualTo("more");
    FileStatus made = task.getFileStatus(new Path("/d/f"));
    assertThat(made.getLen()).isEqualTo(3);
    assertThat(made.getPath()).hasToString("lineage://store/d/f");
    assertThatThrownBy(() -> read(task, "/d/f")).hasMessageContaining("is not kept");
    assertThatThrownBy(() -> read(task, "/d/g")).isInstanceOf(FileNotFoundException.class);
    assertThatThrownBy(() -> write(task, "/d/f", "again"))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> task.delete(new Path("/d"), false))
        .isInstanceOf(PathIsNotEmptyDirectoryException.class);
    assertThat(task.delete(new Path("/d"), true)).isTrue();
    assertThat(task.exists(new Path("/d/f"))).isFalse();
    assertThat(names(store, "/d")).containsExactly("f", "g");
    assertThat(read(store, "/d/f")).isEqualTo("text");
  }

  @Test
  void inputsAreReadByTheirIds() throws IOException {
    write(store, "/in", "input");
    long fid = fid("/in");
    begin(
        RecomputeOrder.newBuilder()
            .addInputs(OrderedInput.newBuilder().setPath("lineage://store/in").setFid(fid))
            .build());
    assertThat(store.rename(new Path("/in"), new Path("/moved"))).isTrue();
    write(store, "/in", "another");
    assertThat(read(task, "/in")).isEqualTo("input");
    assertThat(task.getFileStatus(new Path("/in")).getLen()).isEqualTo(5);
    assertThat(read(task, "/moved")).isEqualTo("input");
  }

  @Test
  void aFileContextSharesTheTaskWithFileSystems() throws IOException {
    begin(RecomputeOrder.getDefaultInstance());
    FileContext context = FileContext.getFileContext(URI.create("lineage://store/"), conf);
    context
        .create(new Path("/x/f"), EnumSet.of(CreateFlag.CREATE), Options.CreateOpts.createParent())
        .close();
    context.rename(new Path("/x/f"), new Path("/x/g"), Options.Rename.OVERWRITE);
    assertThat(names(task, "/x")).containsExactly("g");
    assertThat(store.exists(new Path("/x"))).isFalse();
  }
}
