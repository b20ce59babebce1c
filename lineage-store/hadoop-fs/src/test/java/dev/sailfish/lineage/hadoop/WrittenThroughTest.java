package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files that are written through although nobody asks for it, because they could be lost. */
@Timeout(60)
class WrittenThroughTest {
  private static final byte[] CONTENT = "the content".getBytes(StandardCharsets.UTF_8);

  @TempDir private java.nio.file.Path directory;
  private java.nio.file.Path below;
  private MountedStore store;
  private StoreClient client;

  @BeforeEach
  void start() throws IOException {
    below = Files.createDirectory(directory.resolve("below"));
    store = new MountedStore(directory);
    store.startWorker(1, "64m");
    client = store.client(true);
    client.mounts().add("/m " + below.toUri() + " sync=0s");
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private static void write(FileSystem files, String path) throws IOException {
    try (FSDataOutputStream out = files.create(new Path(path))) {
      out.write(CONTENT);
    }
  }

  private long write(CreateFile file) throws IOException {
    FileOutput out = client.create(file);
    try (out) {
      out.write(CONTENT);
    }
    return out.fid();
  }

  private boolean isBelow(String name) throws IOException {
    return client.namespace().stat("/m/" + name).getBelow();
  }

  private boolean isInMemory(String name) throws IOException {
    return client.namespace().open("/m/" + name, 1).getBlocksCount() == 1;
  }

  @Test
  void shouldWriteAllFilesThroughWhileThatIsOn() throws IOException {
    client.mounts().setSynchronous(true);
    for (WriteMode mode : new WriteMode[] {WriteMode.WRITE_AS_MOUNTED, WriteMode.WRITE_MEMORY}) {
      write(MountedStore.file("/m/" + mode, mode));
      assertThat(isBelow(mode.toString())).isTrue();
      assertThat(isInMemory(mode.toString())).isTrue();
    }
    write(MountedStore.file("/m/bypass", WriteMode.WRITE_BYPASS));
    assertThat(isInMemory("bypass")).as("bypass stays").isFalse();
    write(MountedStore.file("/elsewhere", WriteMode.WRITE_MEMORY));
    client.mounts().setSynchronous(false);
    write(MountedStore.file("/m/after", WriteMode.WRITE_AS_MOUNTED));
    assertThat(isBelow("after")).isFalse();
  }

  @Test
  void shouldWriteThroughWhatCannotBeRecomputed() throws IOException {
    long first = write(MountedStore.file("/m/first", WriteMode.WRITE_MEMORY));
    long record =
        client
            .lineage()
            .create(
                CreateDependency.newBuilder()
                    .setType(DependencyType.DEPENDENCY_WIDE)
                    .setNondeterministic(true)
                    .setGrowing(true)
                    .addOutputs(DependencyOutput.newBuilder().setFid(first))
                    .addPrograms(
                        client.lineage().upload(Files.write(directory.resolve("job.jar"), CONTENT)))
                    .build());
    assertThat(isBelow("first")).isFalse();
    // Of the record that is named; whether the file becomes an output of it is not asked here.
    assertThat(
            client
                .namespace()
                .create(
                    MountedStore.file("/m/second", WriteMode.WRITE_MEMORY).toBuilder()
                        .setDependency(record)
                        .build())
                .getWriteMode())
        .isEqualTo(WriteMode.WRITE_THROUGH);
  }

  @Test
  void shouldWriteThroughWhatIsNotRecorded() throws IOException {
    try (FileSystem files = store.fileSystem(LineageKey.UNRECORDED.name(), "through")) {
      for (int i = 0; i < 5; i++) {
        write(files, "/m/unrecorded" + i);
        assertThat(isBelow("unrecorded" + i)).isTrue();
        write(files, "/elsewhere" + i);
      }
    }
    try (FileSystem files = store.fileSystem()) {
      write(files, "/m/usual");
      assertThat(isBelow("usual")).isFalse();
    }
    String[] task = {
      LineageKey.UNRECORDED.name(),
      "through",
      "mapreduce.task.attempt.id",
      "attempt_1_2_m_000001_0",
      "mapreduce.job.dir",
      "/staging"
    };
    try (FileSystem files = store.fileSystem(task)) {
      write(files, "/m/recorded");
      assertThat(isBelow("recorded")).isFalse();
    }
  }
}
