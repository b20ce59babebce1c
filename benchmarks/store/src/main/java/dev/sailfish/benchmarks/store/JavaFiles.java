package dev.sailfish.benchmarks.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Plain files through channels: what the machine can do. */
final class JavaFiles implements Storage {
  private final Path directory;

  JavaFiles(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
  }

  @Override
  public Output create(String name) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve(name),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    return new Output() {
      @Override
      public void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    };
  }

  @Override
  public Input open(String name) throws IOException {
    FileChannel channel = FileChannel.open(directory.resolve(name), StandardOpenOption.READ);
    return new Input() {
      @Override
      public void seek(long position) throws IOException {
        channel.position(position);
      }

      @Override
      public int read(ByteBuffer into) throws IOException {
        return channel.read(into);
      }

      @Override
      public ByteBuffer map(long position) throws IOException {
        long length = Math.min(1 << 30, channel.size() - position);
        return channel.map(FileChannel.MapMode.READ_ONLY, position, length);
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    };
  }

  @Override
  public long length(String name) throws IOException {
    return Files.size(directory.resolve(name));
  }

  @Override
  public void clear() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
