package dev.sailfish.lineage.hadoop;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.LambdaUtils;
import org.apache.hadoop.util.Progressable;

/**
 * {@code lineage://host:port/}, a master; {@code lineage://name/}, a name whose masters the
 * configuration says; {@code lineage:///}, its masters without a name: files in the lineage store.
 * It asks for the user who made it.
 *
 * <p>A file is there from its creation on and is read from its close on; then it never changes, so
 * that there is no append. A rename is one change, of whatever is below. Thread-safe; methods wait
 * for the master.
 *
 * <p>What the master refuses comes as Hadoop's exceptions: {@link FileNotFoundException}, also for
 * a file that is read before it is closed, {@link FileAlreadyExistsException}, and so on; what no
 * name can be, as a {@code PathIOException}.
 */
public final class LineageFileSystem extends AttributedFileSystem {
  static final String SCHEME = "lineage";

  private static final int OWNER_MAY_ADD = 0300;

  private final Clients clients;
  private final AtomicBoolean closed = new AtomicBoolean();
  private URI uri;
  private String canonical;
  private UserGroupInformation user;
  private StoreSettings settings;
  private StoreClientConfig config;
  private StoreClient client;
  private OutputRecorder recorder;
  private Path workingDirectory;

  /** As FileSystem makes it. */
  public LineageFileSystem() {
    this(Clients.OWN);
  }

  LineageFileSystem(Clients clients) {
    this.clients = clients;
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  /**
   * Does not connect yet.
   *
   * @throws IOException when the configuration or the name is wrong, saying how
   */
  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
    String authority = name.getAuthority();
    uri = URI.create(SCHEME + "://" + (authority == null ? "/" : authority));
    user = UserGroupInformation.getCurrentUser();
    try {
      settings = new StoreSettings(conf);
      config = settings.client(authority, user);
      canonical = settings.canonical(authority);
    } catch (IllegalArgumentException e) {
      throw new IOException("no file system is at " + name + ": " + e.getMessage(), e);
    }
    client = clients.of(settings, config, authority);
    recorder = OutputRecorders.of(conf, settings);
    workingDirectory = getHomeDirectory();
  }

  @Override
  public URI getUri() {
    return uri;
  }

  /** With the port of each address, so that those that mean the same are equal. */
  @Override
  protected URI canonicalizeUri(URI any) {
    String authority = any.getAuthority();
    boolean isOwn = authority == null || authority.equals(uri.getAuthority());
    String full = isOwn ? canonical : settings.canonical(authority);
    return authority == null || authority.equals(full)
        ? any
        : new Path(any.getScheme(), full, "/" + any.getPath()).toUri();
  }

  /** The masters' addresses, by which tasks find the token; null: no token is needed. */
  @Override
  public String getCanonicalServiceName() {
    return settings.service(uri.getAuthority());
  }

  @Override
  public Token<?> getDelegationToken(String renewer) throws IOException {
    return settings.token(uri.getAuthority(), user, renewer);
  }

  @Override
  NamespaceClient namespace() throws IOException {
    return client().namespace();
  }

  StoreClient client() throws IOException {
    if (closed.get()) {
      throw new IOException("file system is closed: " + uri);
    }
    return client;
  }

  /** How files are read whose readers do not say it. */
  Modes.Reading reading() {
    return settings.reading();
  }

  // ---- files

  /**
   * @param bufferSize of no importance: a key of the configuration says it
   */
  @Override
  public FSDataInputStream open(Path file, int bufferSize) throws IOException {
    return open(file, reading());
  }

  private FSDataInputStream open(Path file, Modes.Reading reading) throws IOException {
    statistics.incrementReadOps(1);
    Path path = makeQualified(file);
    FileInput input =
        Refusals.lookUp(
            path, () -> client().open(name(path), reading.mode(), reading.leavesCopies()));
    return new FSDataInputStream(new LineageInputStream(input, path, statistics));
  }

  /**
   * The options {@code sailfish.lineage.read} and {@code sailfish.lineage.copy.local} say how this
   * file is read.
   */
  @Override
  protected CompletableFuture<FSDataInputStream> openFileWithOptions(
      Path file, OpenFileParameters parameters) throws IOException {
    Modes.Reading reading = Modes.read(parameters, reading(), file);
    return LambdaUtils.eval(new CompletableFuture<>(), () -> open(file, reading));
  }

  /** The option {@code sailfish.lineage.write} says where the bytes of this file go. */
  @Override
  public LineageCreate createFile(Path file) {
    return new LineageCreate(this, makeQualified(file), settings.writeMode())
        .create()
        .overwrite(true);
  }

  /**
   * @param permission of which the configuration's umask is taken off
   * @param bufferSize of no importance: a key of the configuration says it
   * @param replication of no importance: the store keeps one copy, or more
   * @param blockSize in bytes, rounded up to a power of two that the store has; 0 or less: the
   *     default
   * @param progress not told: nothing of this waits long
   */
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
    return create(file, settings.masked(permission, false), flags(overwrite), blockSize, true);
  }

  /** The same, and no directory above it is made. */
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
    return create(file, settings.masked(permission, false), flags, blockSize, false);
  }

  /** The same with permissions that are masked already. */
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
    return create(file, absolute, flags, blockSize, true);
  }

  private static EnumSet<CreateFlag> flags(boolean overwrite) {
    return overwrite
        ? EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE)
        : EnumSet.of(CreateFlag.CREATE);
  }

  /**
   * Begins a file.
   *
   * @param absolute its permissions, as they are to be
   * @param flags without CREATE it has to be there already
   * @param makeParents whether directories that are missing are made
   */
  FSDataOutputStream create(
      Path file,
      FsPermission absolute,
      EnumSet<CreateFlag> flags,
      long blockSize,
      boolean makeParents)
      throws IOException {
    return create(file, absolute, flags, blockSize, makeParents, settings.writeMode());
  }

  FSDataOutputStream create(
      Path file,
      FsPermission absolute,
      EnumSet<CreateFlag> flags,
      long blockSize,
      boolean makeParents,
      WriteMode mode)
      throws IOException {
    statistics.incrementWriteOps(1);
    Path path = makeQualified(file);
    CreateFlag.validate(flags);
    if (flags.contains(CreateFlag.APPEND) && exists(path)) {
      throw noAppend(path);
    }
    if (!flags.contains(CreateFlag.CREATE)) {
      getFileStatus(path);
    }
    CreateFile asked =
        CreateFile.newBuilder()
            .setPath(name(path))
            .setMode(absolute.toShort())
            .setMakeParents(makeParents)
            .setParentMode(settings.masked(null, true).toShort() | OWNER_MAY_ADD)
            .setBlockSizeLog(BlockSize.log(blockSize > 0 ? blockSize : settings.blockSize()))
            .setReplace(flags.contains(CreateFlag.OVERWRITE))
            .setWriteMode(mode)
            .build();
    FileOutput output = Refusals.make(path, () -> begin(asked));
    return new FSDataOutputStream(
        new LineageOutputStream(output, path, recorder != null), statistics);
  }

  private FileOutput begin(CreateFile asked) throws IOException {
    StoreClient open = client();
    if (recorder == null) {
      return open.create(asked);
    }
    List<HostPort> masters = settings.masters(uri.getAuthority());
    List<Object> identity = List.of(masters, config.user().getName());
    TaskStore store =
        new TaskStore(open, getConf(), identity, file -> settings.pathIn(masters, file));
    return recorder.create(store, asked);
  }

  /**
   * @throws UnsupportedOperationException always
   */
  @Override
  public FSDataOutputStream append(Path file, int bufferSize, Progressable progress) {
    throw noAppend(file);
  }

  private static UnsupportedOperationException noAppend(Path file) {
    return new UnsupportedOperationException(
        "nothing is appended to files of the lineage store, which never change: " + file);
  }

  // ---- the tree

  /**
   * Moves a file or directory, into one that is there already. As with HDFS nothing is replaced.
   *
   * @return whether it was moved; false also when it is not there, or there is no directory for it
   */
  @Override
  public boolean rename(Path from, Path to) throws IOException {
    statistics.incrementWriteOps(1);
    Path source = makeQualified(from);
    Path target = makeQualified(to);
    try {
      if (move(source, target)) {
        return true;
      }
      boolean isDirectory = namespace().stat(name(target)).getDirectory();
      return isDirectory && !source.isRoot() && move(source, new Path(target, source.getName()));
    } catch (StoreRefusedException e) {
      return switch (e.reason()) {
        case NOT_FOUND, NOT_A_DIRECTORY, INVALID -> false;
        default -> throw Refusals.exception(source, e);
      };
    }
  }

  /** Whether it was moved; false: something is there. */
  private boolean move(Path from, Path to) throws IOException {
    if (from.equals(to) && namespace().stat(name(from)).getDirectory()) {
      return false;
    }
    try {
      namespace().rename(name(from), name(to), false);
      return true;
    } catch (StoreRefusedException e) {
      return switch (e.reason()) {
        case EXISTS -> false;
        default -> throw e;
      };
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

  void rename(Path from, Path to, boolean overwrite) throws IOException {
    statistics.incrementWriteOps(1);
    Path source = makeQualified(from);
    Path target = makeQualified(to);
    if (source.equals(target)) {
      getFileStatus(source);
      throw new FileAlreadyExistsException("from and to are the same: " + source);
    }
    Refusals.make(
        source,
        () -> {
          namespace().rename(name(source), name(target), overwrite);
          return null;
        });
  }

  /**
   * Removes a file or directory; the root stays, with all that is in it.
   *
   * @return whether it was removed; false: it was not there, or is the root
   */
  @Override
  public boolean delete(Path file, boolean recursive) throws IOException {
    statistics.incrementWriteOps(1);
    Path path = makeQualified(file);
    if (path.isRoot()) {
      if (!recursive && listStatusIterator(path).hasNext()) {
        throw new PathIsNotEmptyDirectoryException(path.toString());
      }
      return false;
    }
    try {
      namespace().delete(name(path), recursive);
      return true;
    } catch (StoreRefusedException e) {
      return switch (e.reason()) {
        case NOT_FOUND, NOT_A_DIRECTORY -> false;
        default -> throw Refusals.exception(path, e);
      };
    }
  }

  /**
   * @param permission of which the configuration's umask is taken off; those above it that are made
   *     have the same, and their owner may add entries
   * @return true
   */
  @Override
  public boolean mkdirs(Path directory, FsPermission permission) throws IOException {
    makeDirectories(directory, settings.masked(permission, true));
    return true;
  }

  /** The same with permissions that are masked already. */
  @Override
  @Deprecated
  protected boolean primitiveMkdir(Path directory, FsPermission absolute) throws IOException {
    makeDirectories(directory, absolute);
    return true;
  }

  private void makeDirectories(Path directory, FsPermission absolute) throws IOException {
    statistics.incrementWriteOps(1);
    Path path = makeQualified(directory);
    int mode = absolute.toShort();
    Refusals.make(
        path,
        () -> {
          if ((mode & OWNER_MAY_ADD) != OWNER_MAY_ADD && !path.isRoot()) {
            namespace().makeDirectories(name(path.getParent()), mode | OWNER_MAY_ADD);
          }
          return namespace().makeDirectories(name(path), mode);
        });
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
    statistics.incrementReadOps(1);
    Path path = makeQualified(directory);
    NamespaceClient namespace = namespace();
    return new PagedListing(path, after -> namespace.list(name(path), after, 0));
  }

  /** The blocks of most files come with the pages. */
  @Override
  protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path directory, PathFilter filter)
      throws IOException {
    statistics.incrementReadOps(1);
    Path path = makeQualified(directory);
    NamespaceClient namespace = namespace();
    PagedListing pages = new PagedListing(path, after -> namespace.listPlaces(name(path), after));
    return new LocatedListing(this, pages, filter);
  }

  @Override
  public FileStatus getFileStatus(Path file) throws IOException {
    statistics.incrementReadOps(1);
    Path path = makeQualified(file);
    return Statuses.of(Refusals.lookUp(path, () -> namespace().stat(name(path))), path);
  }

  /**
   * The blocks that have bytes of a part of a file, as wholes, and the hosts of the workers that
   * have them. A file that is being written has none.
   */
  @Override
  public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length)
      throws IOException {
    if (file == null) {
      return null;
    }
    if (start < 0 || length < 0) {
      throw new IllegalArgumentException("there is no start=" + start + " length=" + length);
    }
    if (file.getLen() <= start || file.getBlockSize() <= 0) {
      return new BlockLocation[0];
    }
    statistics.incrementReadOps(1);
    Path path = makeQualified(file.getPath());
    return Refusals.lookUp(
        path, () -> BlockHosts.of(namespace(), name(path), file.getBlockSize(), start, length));
  }

  /** Checks for the user who made this file system, not for the thread that asks. */
  @Override
  public void access(Path file, FsAction mode) throws IOException {
    AccessCheck.require(config.user(), getFileStatus(file), mode);
  }

  // ---- what it is like

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    return switch (capability.toLowerCase(Locale.ROOT)) {
      case CommonPathCapabilities.FS_PERMISSIONS, CommonPathCapabilities.ABORTABLE_STREAM -> true;
      default -> super.hasPathCapability(path, capability);
    };
  }

  @Override
  public long getDefaultBlockSize(Path path) {
    return settings.blockSize();
  }

  @Override
  @Deprecated
  public long getDefaultBlockSize() {
    return settings.blockSize();
  }

  @Override
  public Path getHomeDirectory() {
    return makeQualified(new Path(USER_HOME_PREFIX + "/" + user.getShortUserName()));
  }

  @Override
  public synchronized Path getWorkingDirectory() {
    return workingDirectory;
  }

  /**
   * Of a path of another file system its name counts: Pig sets a job's working directory, which is
   * of the default file system, for whatever a job reads.
   */
  @Override
  public synchronized void setWorkingDirectory(Path directory) {
    workingDirectory = makeQualified(new Path(name(new Path(workingDirectory, directory))));
  }

  /** Removes what is to go with it, then ends its connections: files being written are given up. */
  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      if (!closed.getAndSet(true) && client != null) {
        clients.giveBack(client);
      }
    }
  }

  @Override
  public String toString() {
    return uri + " as " + user;
  }
}
