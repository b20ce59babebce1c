package dev.sailfish.lineage.hadoop.qfs;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * QFS for Hadoop's FileContext: a {@link QfsFileSystem}. Set {@code fs.AbstractFileSystem.qfs.impl}
 * to this class. Its connections end with the process. Thread-safe.
 */
public final class QfsFs extends DelegateToFileSystem {
  private final QfsFileSystem files;

  /** As FileContext makes it. */
  public QfsFs(URI uri, Configuration conf) throws IOException, URISyntaxException {
    this(uri, new QfsFileSystem(QfsClients.OF_THIS_PROCESS), conf);
  }

  private QfsFs(URI uri, QfsFileSystem files, Configuration conf)
      throws IOException, URISyntaxException {
    super(uri, files, conf, QfsFileSystem.SCHEME, false);
    this.files = files;
  }

  @Override
  public FSDataOutputStream createInternal(
      Path file,
      EnumSet<CreateFlag> flags,
      FsPermission absolute,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      ChecksumOpt checksum,
      boolean createParent)
      throws IOException {
    checkPath(file);
    return files.create(file, absolute, flags, replication, createParent);
  }

  /** As one change, also where it replaces something. */
  @Override
  public void renameInternal(Path from, Path to, boolean overwrite) throws IOException {
    checkPath(from);
    checkPath(to);
    files.rename(from, to, overwrite);
  }

  @Override
  public RemoteIterator<FileStatus> listStatusIterator(Path directory) throws IOException {
    checkPath(directory);
    return files.listStatusIterator(directory);
  }

  @Override
  public void access(Path path, FsAction mode) throws IOException {
    checkPath(path);
    files.access(path, mode);
  }
}
