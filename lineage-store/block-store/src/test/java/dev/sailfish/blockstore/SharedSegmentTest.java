package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.file.StoreFiles;
import dev.sailfish.testkit.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process maps a segment while the store deletes and moves it and uses all room again. */
@Timeout(60)
class SharedSegmentTest {
  @TempDir Path temporary;
  private Path root;
  private TieredStore tiers;
  private final byte[] content = TieredStore.content(new Random(1), 4 * STEP);

  @BeforeEach
  void open() throws IOException {
    root = StoreFixture.memoryRoot(temporary);
    tiers = new TieredStore(root, StoreFiles.LOCAL, false, new OwnerConfig("worker", Map.of()));
  }

  @AfterEach
  void close() throws IOException {
    tiers.close();
    StoreFixture.removeTree(root);
  }

  /** Its answers; ended at close. */
  private static final class Reader implements AutoCloseable {
    private final Process process;
    private final BufferedReader answers;

    Reader(Path file, long length) throws IOException {
      process =
          new ProcessBuilder(
                  ChildJvm.command(
                      SharedMapping.class,
                      List.of("-Xmx64m"),
                      file.toString(),
                      Long.toString(length)))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      answers = process.inputReader();
    }

    long read() throws IOException {
      return Long.parseLong(answers.readLine());
    }

    long readAgain() throws IOException {
      process.outputWriter().write("\n");
      process.outputWriter().flush();
      return read();
    }

    @Override
    public void close() {
      process.destroyForcibly();
      assertThat(process.onExit().orTimeout(20, TimeUnit.SECONDS).join()).isNotNull();
    }
  }

  private static long crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }

  @ParameterizedTest
  @EnumSource
  void shouldStayWhatItWasForAProcessThatMapsIt(Tier tier) throws Exception {
    Segment segment = TieredStore.sealed(tiers.owner(), "s", tier, content, true);
    Path path = segment.share();
    assertThat(segment.share()).isEqualTo(path);
    try (Reader reader = new Reader(path, content.length)) {
      assertThat(reader.read()).isEqualTo(crc(content));
      Tier elsewhere = tier == Tier.DISK ? Tier.MEMORY : Tier.DISK;
      Segment moved = tiers.owner().move(segment, elsewhere).orElseThrow();
      assertThat(path).doesNotExist();
      assertThat(reader.readAgain()).as("after the move").isEqualTo(crc(content));
      moved.delete();
      useAllRoom(tier);
      assertThat(reader.readAgain()).as("after the room is used again").isEqualTo(crc(content));
      tiers.close();
      tiers.open();
      useAllRoom(tier);
      assertThat(reader.readAgain()).as("after a restart").isEqualTo(crc(content));
    }
  }

  /** Twice, so that what is deleted first is used again if it is kept. */
  private void useAllRoom(Tier tier) throws IOException {
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 2; i++) {
        byte[] bytes = TieredStore.content(new Random(round), 3 * STEP);
        TieredStore.sealed(tiers.owner(), "other-" + i, tier, bytes, false);
      }
      tiers.owner().names().forEach(name -> tiers.owner().find(name).orElseThrow().delete());
    }
  }

  @Test
  void shouldKnowAfterARestartThatItWasShared() throws Exception {
    Path path = TieredStore.sealed(tiers.owner(), "s", Tier.MEMORY, content, false).share();
    Path unshared = TieredStore.sealed(tiers.owner(), "u", Tier.MEMORY, content, false).path();
    tiers.close();
    tiers.open();
    assertThat(tiers.owner().recovery().sealed()).hasSize(2);
    Segment segment = tiers.owner().find("s").orElseThrow();
    assertThat(segment.path()).isEqualTo(path).exists();
    assertThat(unshared).exists();
    try (Reader reader = new Reader(path, content.length)) {
      assertThat(reader.read()).isEqualTo(crc(content));
      assertThat(segment.delete()).isTrue();
      assertThat(path).doesNotExist();
      assertThat(pooled()).as("is not used again").isZero();
      assertThat(tiers.owner().find("u").orElseThrow().delete()).isTrue();
      assertThat(pooled()).as("but this one may be").isEqualTo(1);
      useAllRoom(Tier.MEMORY);
      assertThat(reader.readAgain()).isEqualTo(crc(content));
    }
  }

  private int pooled() {
    return tiers.store().usage().directories().get(0).segmentsPooled();
  }

  @Test
  void shouldGiveItsMemoryBackAtOnceWhenNobodyHasItMapped() throws Exception {
    Segment segment = TieredStore.sealed(tiers.owner(), "s", Tier.MEMORY, content, false);
    Path directory = segment.share().getParent();
    segment.retain();
    segment.delete();
    assertThat(mappings()).as("a reader is left").contains(directory.toString());
    segment.release();
    assertThat(mappings()).doesNotContain(directory.toString());
    assertThat(StoreFixture.files(directory)).isEmpty();
  }

  private static String mappings() throws IOException {
    return Files.readString(Path.of("/proc/self/maps"));
  }

  @Test
  void shouldShareWhatIsSealedOnly() throws Exception {
    Segment open = tiers.owner().allocate("o", STEP, 0, Tier.MEMORY);
    assertThatThrownBy(open::share)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("share needs SEALED");
    open.seal(0);
    Path path = open.share();
    assertThat(Files.size(path)).isZero();
    open.delete();
    assertThatThrownBy(open::share).isInstanceOf(IllegalStateException.class);
  }
}
