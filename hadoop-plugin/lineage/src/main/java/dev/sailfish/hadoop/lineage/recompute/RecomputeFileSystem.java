package dev.sailfish.hadoop.lineage.recompute;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.hadoop.lineage.wire.OrderedOutput;
import dev.sailfish.lineage.hadoop.FilesById;
import dev.sailfish.lineage.hadoop.LineageFileSystem;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.Progressable;

/**
 * {@code lineage://} in the tasks of a job that recomputes lost files; {@link OrderFile} says which
 * they are. The store does not change but for their bytes: what a task creates, moves and deletes
 * it alone sees, and what it writes elsewhere is not kept. A file that is there when the job runs
 * again, such as an output that is not lost, never stands in the way of one that the task makes.
 * Recorded inputs are read by their ids, all else by its path. Thread-safe.
 */
public final class RecomputeFileSystem extends FileSystem {
  static final String SCHEME = "lineage";

  private static final FsPermission FILE = new FsPermission((short) 0644);
  private static final FsPermission DIRECTORY = new FsPermission((short) 0755);

  private final LineageFileSystem store = new LineageFileSystem();
  private String user;
  private FilesById byId;
  private OrderedTask task;

  @Override
  public String getScheme() {
    return SCHEME;
  }

  /** Does not connect yet. */
  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
    store.initialize(name, conf);
    byId = new FilesById(store, statistics);
    user = UserGroupInformation.getCurrentUser().getShortUserName();
  }

  @Override
  public URI getUri() {
    return store.getUri();
  }

  @Override
  public String getCanonicalServiceName() {
    return store.getCanonicalServiceName();
  }

  @Override
  public Token<?> getDelegationToken(String renewer) throws IOException {
    return store.getDelegationToken(renewer);
  }

  // ---- where things are

  private synchronized OrderedTask task() throws IOException {
    if (task == null) {
      task = OrderedTask.of(getConf());
    }
    return task;
  }

  private Overlay overlay() throws IOException {
    return task().overlay(String.valueOf(getUri().getAuthority()));
  }

  private static String name(Path path) {
    return path.toUri().getPath();
  }

  private Path path(String name) {
    return new Path(getUri().getScheme(), getUri().getAuthority(), name);
  }

  private Overlay.Entry at(Path path) throws IOException {
    Overlay overlay = overlay();
    synchronized (overlay) {
      return overlay.at(name(path));
    }
  }

  /** What is at a path, or null. */
  private FileStatus find(Path path) throws IOException {
    Overlay.Entry entry = at(path);
    return entry instanceof Overlay.Stored stored ? stored(path, stored) : made(path, entry);
  }

  private FileStatus stored(Path path, Overlay.Stored stored) throws IOException {
    long input = task().input(path);
    try {
      FileStatus status =
          input == 0 ? store.getFileStatus(path(stored.path())) : byId.status(input, path);
      return moved(status, path);
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  private static FileStatus moved(FileStatus status, Path path) {
    status.setPath(path);
    return status;
  }

  /** What the task has made; null: nothing is there. */
  private FileStatus made(Path path, Overlay.Entry entry) {
    if (entry instanceof Overlay.Made made) {
      return new FileStatus(0, true, 0, 0, made.modifiedMs(), 0, DIRECTORY, user, user, path);
    }
    if (entry instanceof Overlay.Written written) {
      WrittenOutput output = written.output();
      long blockSize = getDefaultBlockSize(path);
      return new FileStatus(
          output.length(), false, 1, blockSize, output.modifiedMs(), 0, FILE, user, user, path);
    }
    return null;
  }

  /** What is in the staging directory goes with it, and is not counted. */
  private boolean isStaged(Path path) {
    String staging = getConf().get(MRJobConfig.MAPREDUCE_JOB_DIR);
    URI directory = staging == null ? null : new Path(staging).toUri();
    return directory != null
        && SCHEME.equals(directory.getScheme())
        && name(path).startsWith(directory.getPath() + "/");
  }

  private boolean isStored(Path path) throws IOException {
    return at(path) instanceof Overlay.Stored;
  }

  // ---- files

  /**
   * Opens a recorded input by its id, what the task has not touched by its path, and a lost file
   * that the task has written.
   *
   * @throws IOException when it is another file that the task has written, whose bytes are nowhere
   */
  @Override
  public FSDataInputStream open(Path file, int bufferSize) throws IOException {
    statistics.incrementReadOps(1);
    Path path = makeQualified(file);
    Overlay.Entry entry = at(path);
    if (entry instanceof Overlay.Stored stored) {
      long input = task().input(path);
      return input == 0 ? store.open(path(stored.path()), bufferSize) : byId.open(input, path);
    }
    if (entry instanceof Overlay.Written written) {
      if (written.output().stored() == 0) {
        throw new IOException(
            path
                + " was written by this task, which recomputes lost files: what it writes elsewhere"
                + " is not kept, and cannot be read. A job that reads what it writes cannot be"
                + " recomputed");
      }
      return byId.open(written.output().stored(), path);
    }
    throw new FileNotFoundException(path + " is not there: the task has deleted or moved it");
  }

  @Override
  public FSDataOutputStream create(
      Path file,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    statistics.incrementWriteOps(1);
    Path path = makeQualified(file);
    FileStatus there = isStored(path) ? null : find(path);
    if (there != null && (there.isDirectory() || !overwrite)) {
      throw new FileAlreadyExistsException(path + " was made by this task already");
    }
    OrderedOutput lost = isStaged(path) ? OrderedOutput.getDefaultInstance() : task().next();
    long fid = lost.getFid();
    OutputStream body =
        fid == 0 ? OutputStream.nullOutputStream() : LostOutput.begin(byId, fid, path, progress);
    mkdirs(path.getParent(), DIRECTORY);
    WrittenOutput output = new WrittenOutput(body, fid, lost.getLength());
    put(path, new Overlay.Written(output));
    return new FSDataOutputStream(output, statistics);
  }

  @Override
  public FSDataOutputStream createNonRecursive(
      Path file,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    boolean overwrite = flags.contains(CreateFlag.OVERWRITE);
    return create(file, permission, overwrite, bufferSize, replication, blockSize, progress);
  }

  @Override
  @Deprecated
  protected FSDataOutputStream primitiveCreate(
      Path file,
      FsPermission absolute,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      ChecksumOpt checksum)
      throws IOException {
    return createNonRecursive(file, absolute, flags, bufferSize, replication, blockSize, progress);
  }

  /**
   * @throws UnsupportedOperationException always
   */
  @Override
  public FSDataOutputStream append(Path file, int bufferSize, Progressable progress) {
    throw new UnsupportedOperationException(
        "nothing is appended to files of the lineage store, which never change: " + file);
  }

  private void put(Path path, Overlay.Entry entry) throws IOException {
    Overlay overlay = overlay();
    synchronized (overlay) {
      overlay.put(name(path), entry);
    }
  }

  // ---- the tree

  /** As the store's; a file that only the store has at the new path is taken as not there. */
  @Override
  public boolean rename(Path from, Path to) throws IOException {
    statistics.incrementWriteOps(1);
    Path source = makeQualified(from);
    Path target = makeQualified(to);
    if (find(source) == null || source.isRoot()) {
      return false;
    }
    FileStatus there = find(target);
    if (there != null && there.isDirectory()) {
      target = new Path(target, source.getName());
      there = find(target);
    }
    if (there != null && !isStored(target)) {
      return false;
    }
    move(source, target);
    return true;
  }

  @Override
  @Deprecated
  protected void rename(Path from, Path to, Rename... options) throws IOException {
    statistics.incrementWriteOps(1);
    Path source = makeQualified(from);
    Path target = makeQualified(to);
    getFileStatus(source);
    boolean overwrite = List.of(options).contains(Rename.OVERWRITE);
    if (!overwrite && !isStored(target) && find(target) != null) {
      throw new FileAlreadyExistsException(target + " was made by this task already");
    }
    move(source, target);
  }

  /**
   * @throws IOException when a lost file is among it that was not written to its end: a committer
   *     moves what is done
   */
  private void move(Path from, Path to) throws IOException {
    mkdirs(to.getParent(), DIRECTORY);
    Overlay overlay = overlay();
    synchronized (overlay) {
      for (Map.Entry<String, WrittenOutput> file : overlay.written(name(from)).entrySet()) {
        String problem = file.getValue().problem().orElse("");
        if (!problem.isEmpty()) {
          throw new IOException(path(file.getKey()) + " " + problem);
        }
      }
      overlay.move(name(from), name(to));
    }
  }

  @Override
  public boolean delete(Path file, boolean recursive) throws IOException {
    statistics.incrementWriteOps(1);
    Path path = makeQualified(file);
    FileStatus there = find(path);
    if (there == null || path.isRoot()) {
      return false;
    }
    if (there.isDirectory() && !recursive && listStatus(path).length > 0) {
      throw new PathIsNotEmptyDirectoryException(path.toString());
    }
    put(path, new Overlay.Gone());
    return true;
  }

  @Override
  public boolean mkdirs(Path directory, FsPermission permission) throws IOException {
    Deque<Path> missing = new ArrayDeque<>();
    Path above = makeQualified(directory);
    FileStatus there = find(above);
    while (there == null) {
      missing.push(above);
      above = above.getParent();
      there = find(above);
    }
    if (!there.isDirectory()) {
      throw new FileAlreadyExistsException(above + " is a file");
    }
    for (Path path : missing) {
      put(path, new Overlay.Made(Network.SOCKETS.wallMs()));
    }
    return true;
  }

  @Override
  public FileStatus[] listStatus(Path directory) throws IOException {
    statistics.incrementReadOps(1);
    Path path = makeQualified(directory);
    FileStatus own = getFileStatus(path);
    if (!own.isDirectory()) {
      return new FileStatus[] {own};
    }
    Map<String, FileStatus> found = new TreeMap<>();
    if (at(path) instanceof Overlay.Stored stored) {
      for (FileStatus status : store.listStatus(path(stored.path()))) {
        String name = status.getPath().getName();
        found.put(name, moved(status, new Path(path, name)));
      }
    }
    for (String name : changes(path)) {
      FileStatus now = find(new Path(path, name));
      found.remove(name);
      if (now != null) {
        found.put(name, now);
      }
    }
    return found.values().toArray(FileStatus[]::new);
  }

  private List<String> changes(Path directory) throws IOException {
    Overlay overlay = overlay();
    synchronized (overlay) {
      return new ArrayList<>(overlay.in(name(directory)).keySet());
    }
  }

  @Override
  public FileStatus getFileStatus(Path file) throws IOException {
    statistics.incrementReadOps(1);
    Path path = makeQualified(file);
    FileStatus found = find(path);
    if (found == null) {
      throw new FileNotFoundException(path + " is not there");
    }
    return found;
  }

  /** Where the blocks are of what the task has not touched. */
  @Override
  public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length)
      throws IOException {
    boolean isPlain = file != null && task().input(file.getPath()) == 0;
    return isPlain && at(makeQualified(file.getPath())) instanceof Overlay.Stored stored
        ? store.getFileBlockLocations(
            moved(new FileStatus(file), path(stored.path())), start, length)
        : super.getFileBlockLocations(file, start, length);
  }

  // ---- what it is like

  @Override
  public long getDefaultBlockSize(Path path) {
    return store.getDefaultBlockSize(path);
  }

  @Override
  @Deprecated
  public long getDefaultBlockSize() {
    return store.getDefaultBlockSize(null);
  }

  @Override
  public Path getHomeDirectory() {
    return store.getHomeDirectory();
  }

  @Override
  public Path getWorkingDirectory() {
    return store.getWorkingDirectory();
  }

  @Override
  public void setWorkingDirectory(Path directory) {
    store.setWorkingDirectory(directory);
  }

  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      store.close();
    }
  }

  @Override
  public String toString() {
    return store + ", recomputing";
  }
}
