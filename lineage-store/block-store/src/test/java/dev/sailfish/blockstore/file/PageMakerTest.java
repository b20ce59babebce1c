package dev.sailfish.blockstore.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sailfish.testkit.ChildJvm;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PageMakerTest {
  private static final int MIB = 1 << 20;

  @TempDir Path root;

  private Path file(String content) throws IOException {
    return Files.writeString(root.resolve("file"), content);
  }

  private static void make(Path path, long from, long to) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
        PageMaker pages = StoreFiles.LOCAL.pages(file, path)) {
      file.setLength(to);
      make(pages, from, to);
    }
  }

  private static void make(PageMaker pages, long from, long to) throws IOException {
    for (long at = from; at < to; ) {
      long end = pages.make(at, to);
      assertThat(end).isGreaterThan(at);
      at = end;
    }
  }

  @Test
  void shouldMakePagesThatReadAsZeros() throws IOException {
    Path path = file("abc");
    make(path, 4096, 3 * MIB + 4096);
    byte[] expected = new byte[3 * MIB + 4096];
    System.arraycopy("abc".getBytes(StandardCharsets.US_ASCII), 0, expected, 0, 3);
    assertThat(Files.readAllBytes(path)).isEqualTo(expected);
  }

  @Test
  void shouldMakeHugePagesInMemoryWhereTheyFit() throws IOException {
    Path memory = Path.of("/dev/shm");
    assumeTrue(Files.isDirectory(memory));
    HugePagesOf.assume(memory);
    Path path = Files.createTempFile(memory, "pages-", null);
    try {
      int length = 7 * MIB + 4096;
      make(path, MIB, length);
      assertThat(path).hasBinaryContent(new byte[length]);
      assertThat(HugePagesOf.bytes(path)).isEqualTo(4 * MIB); // of 2 MiB, from 2 and from 4
    } finally {
      Files.delete(path);
    }
  }

  @Test
  void shouldKeepWhatIsWrittenWhereAHugePageIsMade() throws IOException {
    Path memory = Path.of("/dev/shm");
    assumeTrue(Files.isDirectory(memory));
    Path path = Files.createTempFile(memory, "pages-", null);
    try {
      byte[] content = new byte[4 * MIB];
      Arrays.fill(content, 5000, 3 * MIB, (byte) 7);
      Files.write(path, content);
      make(path, 0, content.length);
      assertThat(path).hasBinaryContent(content);
    } finally {
      Files.delete(path);
    }
  }

  @Test
  void shouldHaveTheKernelAllocateWhereTheNativeLibraryLoads() throws IOException {
    assertThat(CLibrary.IS_LOADED).isTrue();
    Path path = file("abc");
    PageMaker zeros =
        new PageMaker() {
          @Override
          public long make(long from, long to) throws IOException {
            throw new IOException("zeros are written");
          }

          @Override
          public void makeHuge(long from, long to) {
            throw new IllegalStateException("zeros are written");
          }

          @Override
          public void close() {
            // Has nothing open.
          }
        };
    try (PageMaker pages = AllocatedPages.of(path, zeros)) {
      make(pages, 0, MIB);
    }
    assertThat(path).hasSize(MIB).content().startsWith("abc");
  }

  @Test
  void shouldWriteZerosWhereTheKernelDoesNotAllocate() throws IOException {
    Path path = file("abc");
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      PageMaker zeros = new ZeroPages(StoreFiles.LOCAL, file, path);
      try (PageMaker ofDevice = AllocatedPages.of(Path.of("/dev/null"), zeros)) {
        make(ofDevice, 0, MIB);
      }
      assertThat(path).hasSize(MIB).content().startsWith("\0\0\0\0");
      assertThat(AllocatedPages.of(root.resolve("no file"), zeros)).isSameAs(zeros);
    }
  }

  @Test
  void shouldMakePagesWithoutTheNativeLibrary() throws Exception {
    Path path = file("");
    List<String> flags = List.of("-Djna.noclasspath=true", "-Djna.nosys=true");
    Process child =
        new ProcessBuilder(ChildJvm.command(Child.class, flags, path.toString()))
            .inheritIO()
            .start();
    assertThat(child.waitFor(50, TimeUnit.SECONDS)).isTrue();
    assertThat(child.exitValue()).isZero();
    assertThat(path).hasSize(MIB);
  }

  /** Makes pages of a file, and must not find the library. */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws IOException {
      make(Path.of(arguments[0]), 0, MIB);
      if (CLibrary.IS_LOADED) {
        throw new AssertionError("the library is loaded");
      }
    }
  }
}
