package dev.sailfish.benchmarks.store.qfs;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The same client through Hadoop's interface, with arrays as Hadoop has them. */
final class HadoopTransfer implements Transfer {
  private static final int BUFFER_BYTES = 1 << 20;

  private final FileSystem files;
  private final byte[] bytes = new byte[BUFFER_BYTES];

  /**
   * @param metaserver host:port
   * @param copies of each chunk
   */
  HadoopTransfer(String metaserver, int copies) throws IOException {
    Configuration conf = new Configuration();
    conf.set("fs.qfs.impl", "dev.sailfish.lineage.hadoop.qfs.QfsFileSystem");
    conf.setInt("sailfish.qfs.replication", copies);
    files = FileSystem.newInstance(URI.create("qfs://" + metaserver + "/"), conf);
  }

  @Override
  public String name() {
    return "hadoop";
  }

  @Override
  public void in(java.nio.file.Path from, String to) throws IOException {
    try (InputStream local = Files.newInputStream(from);
        OutputStream output = files.create(new Path(to), true)) {
      for (int count = local.read(bytes); count >= 0; count = local.read(bytes)) {
        output.write(bytes, 0, count);
      }
    }
  }

  @Override
  public void out(String from) throws IOException {
    Path path = new Path(from);
    long length = files.getFileStatus(path).getLen();
    long read = 0;
    try (FSDataInputStream input = files.open(path)) {
      for (int count = input.read(bytes); count >= 0; count = input.read(bytes)) {
        read += count;
      }
    }
    if (read != length) {
      throw new EOFException(from + " has " + length + " bytes, and " + read + " came");
    }
  }

  @Override
  public void close() throws IOException {
    files.close();
  }
}
