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
  private static final long BYTES = 3 * StoreWork.MIB + 4096;

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource
  void isDoneWithPlainFiles(StoreWork work) throws IOException {
    Path own = directory.resolve("own");
    try (Storage storage = new JavaFiles(own)) {
      work.prepare(storage, BYTES, 10);
      assertThatCode(() -> work.run(storage, BYTES, 10)).doesNotThrowAnyException();
      storage.clear();
      assertThat(own).doesNotExist();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"READ", "READ_MAPPED"})
  void findsWrongBytes(StoreWork work) throws IOException {
    try (Storage storage = new JavaFiles(directory)) {
      work.prepare(storage, BYTES, 1);
      byte[] content = Files.readAllBytes(directory.resolve("large"));
      content[StoreWork.MIB + 4096 + 7] ^= 1;
      Files.write(directory.resolve("large"), content);
      assertThatIOException()
          .isThrownBy(() -> work.run(storage, BYTES, 1))
          .withMessageContaining("wrong bytes at " + (StoreWork.MIB + 4096));
    }
  }

  @Test
  void aFileThatIsTooShortIsFound() throws IOException {
    try (Storage storage = new JavaFiles(directory)) {
      StoreWork.READ.prepare(storage, StoreWork.MIB, 1);
      assertThatCode(() -> StoreWork.READ.run(storage, BYTES, 1)).isInstanceOf(IOException.class);
    }
  }
}
