package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.meta.MetaClient;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.functional.RemoteIterators;

/** The tree of names: what is made, moved, removed and listed. Thread-safe. */
abstract class QfsTreeFileSystem extends FileSystem {
  /** What the owner of a directory needs to add to it. */
  private static final int OWNER_MAY_ADD = 0300;

  /**
   * Asks the QFS.
   *
   * @throws IOException when the file system is closed
   */
  abstract QfsClient client() throws IOException;

  final MetaClient meta() throws IOException {
    return client().meta();
  }

  abstract QfsConfiguration configuration();

  abstract QfsNumbers numbers();

  /** How QFS calls a file. */
  static String name(Path qualified) {
    return qualified.toUri().getPath();
  }

  // ---- what is there

  @Override
  public QfsFileStatus getFileStatus(Path file) throws IOException {
    statistics.incrementReadOps(1);
    Path path = makeQualified(file);
    return QfsRefusals.lookUp(path, () -> status(path));
  }

  private QfsFileStatus status(Path path) throws IOException {
    return QfsFileStatus.of(client().stat(name(path)), path, numbers());
  }

  /** Null: nothing is there. */
  final QfsFileStatus find(Path path) throws IOException {
    try {
      return getFileStatus(path);
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    List<FileStatus> all = new ArrayList<>();
    RemoteIterator<FileStatus> entries = listStatusIterator(path);
    while (entries.hasNext()) {
      all.add(entries.next());
    }
    return all.toArray(FileStatus[]::new);
  }

  /** Asks for a page of entries when they are needed. */
  @Override
  public RemoteIterator<FileStatus> listStatusIterator(Path directory) throws IOException {
    QfsFileStatus status = getFileStatus(directory);
    return listing(status);
  }

  /** With the tags of the files; each file's chunks are asked for when it is its turn. */
  @Override
  protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path directory, PathFilter filter)
      throws IOException {
    RemoteIterator<FileStatus> accepted =
        RemoteIterators.filteringRemoteIterator(
            listStatusIterator(directory), status -> filter.accept(status.getPath()));
    return RemoteIterators.mappingRemoteIterator(accepted, this::located);
  }

  private LocatedFileStatus located(FileStatus status) throws IOException {
    return status.isDirectory()
        ? new LocatedFileStatus(status, null)
        : new LocatedQfsFile(status, getFileBlockLocations(status, 0, status.getLen()));
  }

  private QfsListing listing(QfsFileStatus status) throws IOException {
    return new QfsListing(client(), status, numbers());
  }

  // ---- moving

  /**
   * Moves a file or directory, into one that is there already. As with HDFS nothing is replaced.
   *
   * @return whether it was moved; false also when it is not there, or there is no directory for it
   */
  @Override
  public boolean rename(Path from, Path to) throws IOException {
    Path source = makeQualified(from);
    Path target = makeQualified(to);
    FileStatus moved = source.isRoot() ? null : find(source);
    if (moved == null) {
      return false;
    }
    FileStatus there = find(target);
    if (source.equals(target)) {
      return moved.isFile();
    }
    boolean isInto = there != null && there.isDirectory();
    statistics.incrementWriteOps(1);
    try {
      move(source, isInto ? new Path(target, source.getName()) : target, false);
      return true;
    } catch (FileNotFoundException
        | FileAlreadyExistsException
        | ParentNotDirectoryException
        | PathIOException e) {
      return false;
    }
  }

  /**
   * Moves a file or directory to exactly that path, as one change.
   *
   * @param options with OVERWRITE a file takes the place of a file, and a directory that of an
   *     empty one
   */
  @Override
  @Deprecated
  protected void rename(Path from, Path to, Rename... options) throws IOException {
    rename(from, to, List.of(options).contains(Rename.OVERWRITE));
  }

  /** The same; at the same path nothing is moved, and that is refused. */
  final void rename(Path from, Path to, boolean overwrite) throws IOException {
    statistics.incrementWriteOps(1);
    Path source = makeQualified(from);
    Path target = makeQualified(to);
    if (source.equals(target)) {
      getFileStatus(source);
      throw new FileAlreadyExistsException("from and to are the same: " + source);
    }
    move(source, target, overwrite);
  }

  private void move(Path from, Path to, boolean overwrite) throws IOException {
    QfsRefusals.make(
        from,
        () -> {
          meta().rename(name(from), name(to), overwrite);
          return null;
        });
  }

  // ---- removing

  /**
   * Removes a file, or a directory entry by entry; the root stays, with all that is in it.
   *
   * @return whether it was removed; false: it was not there, or is the root
   */
  @Override
  public boolean delete(Path file, boolean recursive) throws IOException {
    Path path = makeQualified(file);
    QfsFileStatus status = find(path);
    if (status == null) {
      return false;
    }
    boolean isKept = status.isDirectory() && (path.isRoot() || !recursive);
    if (isKept && listing(status).hasNext()) {
      if (!recursive) {
        throw new PathIsNotEmptyDirectoryException(path.toString());
      }
      return false;
    }
    return !path.isRoot() && remove(status);
  }

  /** Whether it was removed here; false: somebody else did it. */
  private boolean remove(QfsFileStatus status) throws IOException {
    Path path = status.getPath();
    if (status.isDirectory()) {
      removeEntries(status);
    }
    statistics.incrementWriteOps(1);
    try {
      return QfsRefusals.make(
          path,
          () -> {
            if (status.isDirectory()) {
              meta().removeDirectory(name(path));
            } else {
              meta().remove(name(path));
            }
            return true;
          });
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  /** From the start again and again: behind a name that is removed there is nothing. */
  private void removeEntries(QfsFileStatus directory) throws IOException {
    QfsListing entries = listing(directory);
    while (entries.hasNext()) {
      while (entries.isOnPage()) {
        remove(entries.next());
      }
      entries = listing(directory);
    }
  }

  // ---- making

  /**
   * @param permission of which the configuration's umask is taken off; those above it that are made
   *     have the same, and their owner may add entries
   * @return true
   */
  @Override
  public boolean mkdirs(Path directory, FsPermission permission) throws IOException {
    makeDirectories(makeQualified(directory), configuration().masked(permission, true));
    return true;
  }

  /** The same with permissions that are masked already. */
  @Override
  @Deprecated
  protected boolean primitiveMkdir(Path directory, FsPermission absolute) throws IOException {
    makeDirectories(makeQualified(directory), absolute);
    return true;
  }

  /**
   * Makes a directory and those above it that are missing; what is there already stays as it is.
   *
   * @param path with scheme and authority
   * @param absolute permissions as they are to be
   * @throws FileAlreadyExistsException when it is a file
   * @throws ParentNotDirectoryException when one above it is
   */
  private void makeDirectories(Path path, FsPermission absolute) throws IOException {
    FileStatus there = find(path);
    if (there == null) {
      makeAbove(path, new FsPermission((short) (absolute.toShort() | OWNER_MAY_ADD)));
      make(path, absolute);
    } else if (!there.isDirectory()) {
      throw new FileAlreadyExistsException(path + " is a file");
    }
  }

  /**
   * Makes the directory that something is to be in, and those above it.
   *
   * @param path of that which is to be in it, with scheme and authority
   * @param absolute permissions of what is made, as they are to be
   * @throws ParentNotDirectoryException when one of them is a file
   */
  final void makeAbove(Path path, FsPermission absolute) throws IOException {
    if (path.isRoot()) {
      return;
    }
    try {
      makeDirectories(path.getParent(), absolute);
    } catch (FileAlreadyExistsException e) {
      ParentNotDirectoryException known =
          new ParentNotDirectoryException(path + ": " + e.getMessage());
      known.initCause(e);
      throw known;
    }
  }

  private void make(Path path, FsPermission absolute) throws IOException {
    statistics.incrementWriteOps(1);
    try {
      QfsRefusals.make(
          path,
          () -> {
            meta().makeDirectory(name(path), absolute.toShort());
            return null;
          });
    } catch (FileAlreadyExistsException e) {
      if (!getFileStatus(path).isDirectory()) { // somebody else has made it meanwhile
        throw e;
      }
    }
  }
}
