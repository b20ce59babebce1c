package dev.sailfish.benchmarks.store;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.ReadOption;
import org.apache.hadoop.fs.StreamCapabilities;

/**
 * A file system of Hadoop, with the configuration of the class path. It writes arrays, as it must;
 * it reads into direct buffers where it can, and checks what it reads as it does by default.
 */
final class HadoopFiles implements Storage {
  private static final int MOST_MAPPED = 1 << 30;

  private final FileSystem files;
  private final Path directory;
  private final boolean direct;

  private HadoopFiles(FileSystem files, Path directory) throws IOException {
    this.files = files;
    this.directory = directory;
    files.mkdirs(directory);
    Path probe = new Path(directory, "probe");
    files.create(probe, true).close();
    try (FSDataInputStream in = files.open(probe)) {
      direct = in.hasCapability(StreamCapabilities.READBYTEBUFFER);
    }
    files.delete(probe, false);
  }

  /** A client of its own; of {@code file:///}, local files with checksums. */
  static HadoopFiles at(String uri) throws IOException {
    Path directory = new Path(uri);
    FileSystem files = FileSystem.newInstance(directory.toUri(), new Configuration());
    return new HadoopFiles(files, directory);
  }

  /** Local files without checksums. */
  static HadoopFiles raw(String directory) throws IOException {
    LocalFileSystem local =
        (LocalFileSystem) FileSystem.newInstance(URI.create("file:///"), new Configuration());
    return new HadoopFiles(local.getRawFileSystem(), new Path("file://" + directory));
  }

  private Path path(String name) {
    return new Path(directory, name);
  }

  @Override
  public ByteBuffer outputBuffer(int bytes) {
    return ByteBuffer.allocate(bytes);
  }

  @Override
  public ByteBuffer inputBuffer(int bytes) {
    return direct ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
  }

  @Override
  public Output create(String name) throws IOException {
    FSDataOutputStream out = files.create(path(name), true);
    return new Output() {
      @Override
      public void write(ByteBuffer bytes) throws IOException {
        out.write(bytes.array(), bytes.position(), bytes.remaining());
        bytes.position(bytes.limit());
      }

      @Override
      public void close() throws IOException {
        out.close();
      }
    };
  }

  @Override
  public Input open(String name) throws IOException {
    return new HadoopInput(files.open(path(name)));
  }

  /** A file that is read; its mapping is the last that was asked for. */
  private static final class HadoopInput implements Input {
    private final FSDataInputStream in;
    private ByteBuffer mapped;

    HadoopInput(FSDataInputStream in) {
      this.in = in;
    }

    @Override
    public void seek(long position) throws IOException {
      in.seek(position);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
      if (!into.hasArray()) {
        return in.read(into);
      }
      int count = in.read(into.array(), into.position(), into.remaining());
      into.position(into.position() + Math.max(0, count));
      return count;
    }

    /** HDFS maps only what it is not to check. */
    @Override
    public ByteBuffer map(long position) throws IOException {
      release();
      in.seek(position);
      mapped = in.read(null, MOST_MAPPED, EnumSet.of(ReadOption.SKIP_CHECKSUMS));
      return mapped;
    }

    private void release() {
      if (mapped != null) {
        in.releaseBuffer(mapped);
        mapped = null;
      }
    }

    @Override
    public void close() throws IOException {
      release();
      in.close();
    }
  }

  @Override
  public long length(String name) throws IOException {
    return files.getFileStatus(path(name)).getLen();
  }

  @Override
  public void clear() throws IOException {
    files.delete(directory, true);
  }

  @Override
  public void close() throws IOException {
    files.close();
  }
}
