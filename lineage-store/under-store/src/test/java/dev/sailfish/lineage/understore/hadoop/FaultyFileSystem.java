package dev.sailfish.lineage.understore.hadoop;

import java.io.FilterInputStream;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * {@code faulty://NAME/path}: the local file system, with the faults of {@code NAME} before each
 * step of each call.
 */
public final class FaultyFileSystem extends RawLocalFileSystem {
  private static final Map<String, Faults> FAULTS = new ConcurrentHashMap<>();

  /** What happens before a step; may throw, or not return for long. */
  @FunctionalInterface
  interface Faults {
    void before(String step) throws IOException;
  }

  private Faults faults = step -> {};
  private URI uri = URI.create("faulty:///");

  /** Says what happens in the file systems of a name; the options of a mount of one. */
  static String plan(String name, Faults faults) {
    FAULTS.put(name, faults);
    return " hadoop.fs.faulty.impl=" + FaultyFileSystem.class.getName();
  }

  private void step(String step) throws IOException {
    faults.before(step);
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    faults = FAULTS.get(name.getHost());
    step("initialize");
    super.initialize(URI.create("file:///"), conf);
    uri = URI.create("faulty://" + name.getHost());
  }

  @Override
  public String getScheme() {
    return "faulty";
  }

  @Override
  public URI getUri() {
    return uri;
  }

  @Override
  protected void checkPath(Path path) {}

  @Override
  public Path makeQualified(Path path) {
    return path;
  }

  /** Without an owner, for whom the local file system would look at a path that is not its own. */
  private static FileStatus plain(FileStatus status) {
    return new FileStatus(
        status.getLen(),
        status.isDirectory(),
        1,
        status.getBlockSize(),
        status.getModificationTime(),
        status.getPath());
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    step("status");
    return plain(super.getFileStatus(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    step("list");
    FileStatus[] all = super.listStatus(path);
    for (int i = 0; i < all.length; i++) {
      all[i] = plain(all[i]);
    }
    return all;
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    step("mkdirs");
    return super.mkdirs(path, permission);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    step("delete");
    return super.delete(path, recursive);
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    step("rename");
    boolean done = super.rename(from, to);
    step("renamed");
    return done;
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    step("open");
    return new FSDataInputStream(new In(super.open(path, bufferSize)));
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    step("create");
    return new Out(
        super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress));
  }

  private final class Out extends FSDataOutputStream {
    private final FSDataOutputStream out;

    Out(FSDataOutputStream out) throws IOException {
      super(out, null);
      this.out = out;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      step("write");
      out.write(bytes, offset, length);
    }

    @Override
    public void hsync() throws IOException {
      step("hsync");
      out.hsync();
    }

    @Override
    public void close() throws IOException {
      step("close");
      out.close();
    }
  }

  private final class In extends FilterInputStream implements Seekable, PositionedReadable {
    private final FSDataInputStream in;

    In(FSDataInputStream in) {
      super(in);
      this.in = in;
    }

    @Override
    public void readFully(long position, byte[] bytes, int offset, int length) throws IOException {
      step("read");
      in.readFully(position, bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      step("closing");
      in.close();
    }

    @Override
    public int read(long position, byte[] bytes, int offset, int length) throws IOException {
      return in.read(position, bytes, offset, length);
    }

    @Override
    public void readFully(long position, byte[] bytes) throws IOException {
      readFully(position, bytes, 0, bytes.length);
    }

    @Override
    public void seek(long position) throws IOException {
      in.seek(position);
    }

    @Override
    public long getPos() throws IOException {
      return in.getPos();
    }

    @Override
    public boolean seekToNewSource(long position) throws IOException {
      return in.seekToNewSource(position);
    }
  }
}
