package dev.sailfish.benchmarks.store.qfs;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.QfsSettings;
import dev.sailfish.lineage.qfs.meta.CreateOptions;
import dev.sailfish.lineage.qfs.read.QfsInput;
import dev.sailfish.lineage.qfs.write.QfsOutput;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.IntConsumer;
import java.util.zip.CRC32C;

/** The client of this project, with one stream each way. */
final class ClientTransfer implements Transfer {
  private static final int BUFFER_BYTES = 1 << 20;
  private static final int MODE = 0644;

  private final QfsClient client;
  private final int copies;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final byte[] bytes = new byte[BUFFER_BYTES];

  /**
   * @param copies of each chunk
   */
  ClientTransfer(HostPort metaserver, int copies) {
    client = QfsClient.connect(QfsSettings.of(metaserver));
    this.copies = copies;
  }

  @Override
  public String name() {
    return "client";
  }

  @Override
  public void in(Path from, String to) throws IOException {
    try (FileChannel local = FileChannel.open(from, StandardOpenOption.READ);
        QfsOutput output = client.create(to, new CreateOptions(copies, MODE, true))) {
      buffer.clear();
      while (local.read(buffer) >= 0) {
        output.write(buffer.flip());
        buffer.clear();
      }
    }
  }

  @Override
  public void out(String from) throws IOException {
    read(from, count -> {});
  }

  /** The CRC32C of all bytes of a file. */
  long sum(String from) throws IOException {
    CRC32C sum = new CRC32C();
    read(from, count -> sum.update(bytes, 0, count));
    return sum.getValue();
  }

  private void read(String from, IntConsumer piece) throws IOException {
    long read = 0;
    try (QfsInput input = client.open(from);
        InputStream stream = input.stream(0)) {
      for (int count = stream.read(bytes); count >= 0; count = stream.read(bytes)) {
        piece.accept(count);
        read += count;
      }
      if (read != input.size()) {
        throw new EOFException(from + " has " + input.size() + " bytes, and " + read + " came");
      }
    }
  }

  /** Removes a file. */
  void remove(String path) throws IOException {
    client.meta().remove(path);
  }

  @Override
  public void close() {
    client.close();
  }
}
