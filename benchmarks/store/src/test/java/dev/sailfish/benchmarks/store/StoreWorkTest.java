package dev.sailfish.benchmarks.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StoreWorkTest {
  private static final Load LOAD = new Load(3 * Pages.MIB + 4096, 10, 66);

  @TempDir private Path directory;

  private static void isDone(StoreWork work, Storage storage) throws IOException {
    work.work().prepare(storage, LOAD);
    work.work().run(storage, LOAD);
    work.work().verify(storage, LOAD);
    storage.clear();
    assertThat(work.figure(LOAD, 1)).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void isDoneWithPlainFiles(StoreWork work) throws IOException {
    try (Storage storage = new Storages("java", directory.toString()).open("own")) {
      isDone(work, storage);
    }
    try (Storage storage = new Storages("checked", directory.toString()).open("sums")) {
      isDone(work, storage);
    }
    assertThat(directory).isEmptyDirectory();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "READ_MAPPED")
  void isDoneWithHadoopsFileSystems(StoreWork work) throws IOException {
    try (Storage storage = new Storages("raw", directory.toString()).open("raw")) {
      isDone(work, storage);
    }
    try (Storage storage = new Storages("hadoop", "file://" + directory).open("checked")) {
      isDone(work, storage);
    }
    assertThat(directory).isEmptyDirectory();
  }

  @ParameterizedTest
  @EnumSource(names = {"READ", "READ_MAPPED"})
  void findsWrongBytes(StoreWork work) throws IOException {
    try (Storage storage = new JavaFiles(directory)) {
      work.work().prepare(storage, LOAD);
      change("large", Pages.MIB + 4096 + 7);
      assertThatIOException()
          .isThrownBy(() -> work.work().run(storage, LOAD))
          .withMessageContaining("wrong bytes at " + (Pages.MIB + 4096));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"READ", "READ_MAPPED"})
  void sumsFindWhatNobodyLooksAt(StoreWork work) throws IOException {
    try (Storage storage = new CheckedFiles(directory)) {
      work.work().prepare(storage, LOAD);
      change("large", Pages.MIB + 4096 + 17);
      assertThatIOException()
          .isThrownBy(() -> work.work().run(storage, LOAD))
          .withMessageContaining("wrong bytes at " + Pages.MIB);
    }
  }

  /** Also those that nothing looks at while the time runs. */
  @ParameterizedTest
  @EnumSource(names = {"WRITE", "READ", "READ_MAPPED"})
  void findsWrongBytesAfterwards(StoreWork work) throws IOException {
    try (Storage storage = new JavaFiles(directory)) {
      work.work().prepare(storage, LOAD);
      work.work().run(storage, LOAD);
      change("large", Pages.MIB + 4096 + 17);
      assertThatIOException()
          .isThrownBy(() -> work.work().verify(storage, LOAD))
          .withMessageContaining("wrong bytes at " + (Pages.MIB + 4096 + 16));
    }
  }

  private void change(String name, int at) throws IOException {
    byte[] content = Files.readAllBytes(directory.resolve(name));
    content[at] ^= 1;
    Files.write(directory.resolve(name), content);
  }

  @Test
  void aFileThatIsTooShortOrTooLongIsFound() throws IOException {
    Load shorter = new Load(Pages.MIB, 1, 1);
    try (Storage storage = new JavaFiles(directory)) {
      Work work = StoreWork.READ.work();
      work.prepare(storage, shorter);
      assertThatCode(() -> work.run(storage, LOAD)).isInstanceOf(IOException.class);
      work.prepare(storage, LOAD);
      assertThatIOException()
          .isThrownBy(() -> work.verify(storage, shorter))
          .withMessageContaining("does not end");
    }
  }

  @Test
  void countsWhatAllThreadsDo() {
    Load share = new Load(20_000_000, 100, 10).share(2);
    assertThat(StoreWork.WRITE.figure(share, 2)).isEqualTo(5);
    assertThat(StoreWork.STATS.figure(share, 2)).isEqualTo(25);
    assertThat(StoreWork.OBJECTS_64MB_READ.figure(share, 2)).isEqualTo(2.5);
  }
}
