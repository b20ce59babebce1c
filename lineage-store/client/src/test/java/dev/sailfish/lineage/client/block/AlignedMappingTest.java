package dev.sailfish.lineage.client.block;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.memory.Unmapping;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class AlignedMappingTest {
  private static final int HUGE_PAGE = 2 << 20;
  private static final int MAPPINGS = 30;

  @TempDir Path directory;

  /** Other threads of this process may map something in between, but not each time. */
  @Test
  void filesOfAnyLengthAreMappedWhereHugePagesFit(Random random) throws IOException {
    byte[] content = new byte[4 * HUGE_PAGE];
    random.nextBytes(content);
    Path path = Files.write(directory.resolve("file"), content);
    List<MappedByteBuffer> all = new ArrayList<>();
    int aligned = 0;
    try (FileChannel file = FileChannel.open(path)) {
      for (int i = 0; i < MAPPINGS; i++) {
        int length = HUGE_PAGE + random.nextInt(content.length - HUGE_PAGE);
        MappedByteBuffer bytes = AlignedMapping.of(file, length);
        all.add(bytes);
        assertThat(bytes.slice()).isEqualTo(ByteBuffer.wrap(content, 0, length));
        aligned += bytes.alignmentOffset(0, HUGE_PAGE) == 0 ? 1 : 0;
      }
    }
    all.forEach(Unmapping::unmap);
    assertThat(aligned).isGreaterThan(MAPPINGS / 2);
  }

  @Test
  void shortFilesAreMappedAnywhere() throws IOException {
    Path path = Files.writeString(directory.resolve("file"), "abc");
    try (FileChannel file = FileChannel.open(path)) {
      MappedByteBuffer bytes = AlignedMapping.of(file, 3);
      assertThat(bytes.get(2)).isEqualTo((byte) 'c');
      Unmapping.unmap(bytes);
    }
  }
}
