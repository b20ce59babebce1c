package dev.sailfish.blockstore;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/** Maps a file, and says the CRC32C of its bytes at once and again for each line of its input. */
final class SharedMapping {
  private SharedMapping() {}

  public static void main(String[] arguments) throws IOException {
    long length = Long.parseLong(arguments[1]);
    MappedByteBuffer mapping;
    try (FileChannel channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.READ)) {
      mapping = channel.map(FileChannel.MapMode.READ_ONLY, 0, length);
    }
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    do {
      CRC32C crc = new CRC32C();
      crc.update(mapping.duplicate());
      System.out.println(crc.getValue());
    } while (input.readLine() != null);
  }
}
