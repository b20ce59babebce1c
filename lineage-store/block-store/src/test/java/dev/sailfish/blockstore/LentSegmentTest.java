package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import dev.sailfish.blockstore.file.HugePagesOf;
import dev.sailfish.blockstore.file.StoreFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What others write: here a descriptor of its own stands for another process. */
class LentSegmentTest {
  private static final int CAPACITY = 4 * STEP;
  private static final int MIB = 1 << 20;

  @TempDir Path temporary;
  private Path root;
  private TieredStore tiers;
  private final byte[] content = TieredStore.content(new Random(1), CAPACITY - 17);

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

  private Segment lend(String name, long claimed) throws NoSpaceException {
    return tiers.owner().lend(name, CAPACITY, claimed, Tier.MEMORY);
  }

  private static void write(Path file, byte[] bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertThat(channel.write(ByteBuffer.wrap(bytes))).isEqualTo(bytes.length);
    }
  }

  private long used() {
    return tiers.store().usage().usedBytes(Tier.MEMORY);
  }

  @Test
  void whatAnotherProcessWritesIsSealed() throws IOException {
    Segment segment = lend("s", STEP);
    assertThat(Files.size(segment.path())).isZero();
    assertThat(used()).isEqualTo(STEP);
    assertThat(segment.claim(CAPACITY)).isTrue();
    assertThat(used()).isEqualTo(CAPACITY);
    write(segment.path(), content);
    assertThatIllegalStateException().isThrownBy(segment::buffer);
    assertThatIllegalArgumentException().isThrownBy(() -> segment.seal(content.length));
    assertThatIllegalArgumentException().isThrownBy(() -> segment.takeBack(content.length + 1, 0));
    assertThat(segment.takeBack(content.length, 3))
        .isEqualTo(Arrays.copyOfRange(content, content.length - 3, content.length));
    segment.sealWithChecksum(content.length);
    assertThat(TieredStore.bytes(segment)).isEqualTo(content);
    assertThat(used()).isEqualTo(CAPACITY);
    assertThatIllegalStateException().isThrownBy(() -> segment.takeBack(0, 0));

    tiers.close();
    tiers.open();
    Segment found = tiers.owner().find("s").orElseThrow();
    found.verify();
    assertThat(TieredStore.bytes(found)).isEqualTo(content);
  }

  @Test
  void aWriterThatLivesOnHarmsNobody() throws IOException {
    Segment segment = lend("s", CAPACITY);
    try (FileChannel writer = FileChannel.open(segment.path(), StandardOpenOption.WRITE)) {
      writer.write(ByteBuffer.wrap(content));
      assertThat(segment.delete()).isTrue();
      assertThat(used()).isZero();
      for (int round = 0; round < 2; round++) {
        byte[] other = TieredStore.content(new Random(round), CAPACITY);
        Segment next = TieredStore.sealed(tiers.owner(), "o", Tier.MEMORY, other, true);
        writer.write(ByteBuffer.wrap(content), 0);
        next.verify();
        next.delete();
      }
    }
  }

  @Test
  void aWriterOfBeforeHarmsNobodyEither() throws IOException {
    Path lent = lend("s", CAPACITY).path();
    try (FileChannel writer = FileChannel.open(lent, StandardOpenOption.WRITE)) {
      writer.write(ByteBuffer.wrap(content));
      tiers.close();
      writer.write(ByteBuffer.wrap(content), 0);
      tiers.open();
      Segment found = tiers.owner().find("s").orElseThrow();
      assertThat(found.isSealed()).isFalse();
      found.delete();
      assertThat(tiers.store().usage().directories().get(0).segmentsPooled()).isZero();
      assertThat(lent).doesNotExist();
    }
  }

  /** What is warm of a file that is used again is the writer's: nobody else may have it cut. */
  @Test
  void warmPagesAreLentWithTheFile() throws IOException {
    TieredStore.sealed(tiers.owner(), "before", Tier.MEMORY, new byte[CAPACITY], false).delete();
    Segment segment = lend("s", CAPACITY / 2);
    assertThat(Files.size(segment.path())).isEqualTo(CAPACITY);
    assertThat(used()).isEqualTo(CAPACITY);
    assertThat(tiers.store().usage().pooledBytes(Tier.MEMORY)).isZero();
    write(segment.path(), new byte[10]);
    segment.takeBack(10, 0);
    segment.seal(10);
    assertThat(TieredStore.bytes(segment)).isEqualTo(new byte[10]);
    assertThat(used()).isEqualTo(4096);
    segment.delete();
    assertThat(used()).isZero();
  }

  /** Most of it would be cut off when the segment is sealed. */
  @Test
  void whoClaimsLittleGetsLittleThatIsWarm() throws IOException {
    TieredStore.sealed(tiers.owner(), "before", Tier.MEMORY, new byte[CAPACITY], false).delete();
    assertThat(Files.size(lend("s", STEP).path())).isZero();
    assertThat(used()).isEqualTo(STEP);
  }

  @Test
  void nothingIsLentThatIsNotThere() throws IOException {
    Segment first = lend("a", CAPACITY);
    Segment second = lend("b", CAPACITY - STEP);
    assertThatThrownBy(() -> tiers.owner().lend("c", CAPACITY, 33L * 4 * STEP, Tier.MEMORY))
        .isInstanceOf(IllegalArgumentException.class);
    Segment below = lend("d", 2 * STEP);
    assertThat(below.tier()).isEqualTo(Tier.SSD);
    assertThat(second.claim(CAPACITY)).isTrue();
    first.delete();
    assertThat(lend("a", CAPACITY).tier()).isEqualTo(Tier.MEMORY);
  }

  /** They are made for what was claimed, where the kernel can; what is not needed is cut off. */
  @Test
  void aWriterFindsHugePages() throws IOException {
    HugePagesOf.assume(root);
    Directory memory = new Directory(root.resolve("huge"), 64 * MIB);
    BlockStoreConfig config =
        StoreFixture.config(
            List.of(new TierConfig(Tier.MEMORY, List.of(memory))),
            new OwnerConfig("worker", Map.of()));
    try (BlockStore store = BlockStore.open(config, System::nanoTime)) {
      Segment segment = store.owner("worker").lend("s", 8 * MIB, 3 * MIB, Tier.MEMORY);
      assertThat(segment.path()).isEmptyFile();
      segment.makeReady();
      assertThat(HugePagesOf.bytes(segment.path())).isEqualTo(2 * MIB);
      assertThat(segment.claim(7 * MIB)).isTrue();
      assertThat(HugePagesOf.bytes(segment.path())).isEqualTo(6 * MIB);
      byte[] bytes = TieredStore.content(new Random(2), 5 * MIB - 17);
      write(segment.path(), bytes);
      segment.takeBack(bytes.length, 0);
      segment.sealWithChecksum(bytes.length);
      segment.verify();
      assertThat(TieredStore.bytes(segment)).isEqualTo(bytes);
      assertThat(segment.path()).hasSize(5 * MIB);
      assertThat(store.usage().usedBytes(Tier.MEMORY)).isEqualTo(5 * MIB);
      segment.delete();
    }
  }
}
