package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.CreateOptions;
import dev.sailfish.lineage.qfs.read.QfsInput;
import dev.sailfish.lineage.qfs.write.QfsOutput;
import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.LambdaUtils;
import org.apache.hadoop.util.Progressable;

/**
 * {@code qfs://host:port/}, a metaserver; {@code qfs://name/}, a name whose metaservers the
 * configuration says; {@code qfs:///}, its metaservers without a name: files in a QFS. It asks for
 * the user who made it, whose number {@link QfsNumbers} knows. No native library is needed.
 *
 * <p>A file is there from its creation on, and is read from its close on. A rename is one change of
 * the metaserver, of whatever is below; a directory is deleted entry by entry. Thread-safe; methods
 * wait for the metaserver.
 *
 * <p>What QFS refuses comes as Hadoop's exceptions; a file with Reed-Solomon stripes is listed, and
 * is neither read nor appended to.
 */
public final class QfsFileSystem extends QfsAttributedFileSystem {
  static final String SCHEME = "qfs";

  /** Hadoop's own set of these words is in a class that clients of 3.3.4 do not have. */
  private static final Set<String> STANDARD_READ =
      Set.of(
          "fs.option.openfile.buffer.size",
          "fs.option.openfile.footer.cache",
          "fs.option.openfile.length",
          "fs.option.openfile.read.policy",
          "fs.option.openfile.split.end",
          "fs.option.openfile.split.start");

  private final QfsClients clients;
  private final AtomicBoolean closed = new AtomicBoolean();
  private URI uri;
  private String canonical;
  private UserGroupInformation user;
  private QfsNumbers.Caller caller;
  private QfsConfiguration configuration;
  private QfsNumbers numbers;
  private QfsClient client;
  private Path workingDirectory;

  /** As FileSystem makes it. */
  public QfsFileSystem() {
    this(QfsClients.OWN);
  }

  QfsFileSystem(QfsClients clients) {
    this.clients = clients;
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  /**
   * Does not connect yet.
   *
   * @throws IOException when the configuration or the name is wrong, or the user has no number,
   *     saying how it gets one
   */
  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
    String authority = name.getAuthority();
    uri = URI.create(SCHEME + "://" + (authority == null ? "/" : authority));
    user = UserGroupInformation.getCurrentUser();
    try {
      configuration = new QfsConfiguration(conf);
      numbers = configuration.numbers();
      caller = numbers.caller(user);
      canonical = configuration.canonical(authority);
      client = clients.of(configuration.client(authority, caller));
    } catch (IllegalArgumentException e) {
      throw new IOException("no file system is at " + name + ": " + e.getMessage(), e);
    }
    workingDirectory = getHomeDirectory();
  }

  @Override
  public URI getUri() {
    return uri;
  }

  /** With the port, so that those that mean the same are equal. */
  @Override
  protected URI canonicalizeUri(URI any) {
    String authority = any.getAuthority();
    boolean isOwn = authority == null || authority.equals(uri.getAuthority());
    String full = isOwn ? canonical : configuration.canonical(authority);
    return authority == null || authority.equals(full)
        ? any
        : new Path(any.getScheme(), full, "/" + any.getPath()).toUri();
  }

  /** There are no tokens. */
  @Override
  public String getCanonicalServiceName() {
    return null;
  }

  @Override
  QfsClient client() throws IOException {
    if (closed.get()) {
      throw new IOException("file system is closed: " + uri);
    }
    return client;
  }

  @Override
  QfsNumbers.Caller caller() {
    return caller;
  }

  @Override
  QfsNumbers numbers() {
    return numbers;
  }

  @Override
  QfsConfiguration configuration() {
    return configuration;
  }

  // ---- files

  /**
   * @param bufferSize of no importance: the client reads ahead
   */
  @Override
  public FSDataInputStream open(Path file, int bufferSize) throws IOException {
    Path path = makeQualified(file);
    statistics.incrementReadOps(1);
    QfsInput input = QfsRefusals.lookUp(path, () -> client().open(name(path)));
    return new FSDataInputStream(new QfsInputStream(input, path, statistics));
  }

  /** Hadoop's options are known; none changes how a file is read. */
  @Override
  protected CompletableFuture<FSDataInputStream> openFileWithOptions(
      Path file, OpenFileParameters parameters) throws IOException {
    AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(
        parameters.getMandatoryKeys(), STANDARD_READ, "for " + file);
    return LambdaUtils.eval(new CompletableFuture<>(), () -> open(file, 0));
  }

  /**
   * @param permission of which the configuration's umask is taken off
   * @param bufferSize of no importance: the client has buffers of its own
   * @param replication copies of each chunk; 0 or less: the default
   * @param blockSize of no importance: QFS's chunks have 64 MiB
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
    EnumSet<CreateFlag> flags =
        overwrite
            ? EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE)
            : EnumSet.of(CreateFlag.CREATE);
    return create(file, configuration.masked(permission, false), flags, replication, true);
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
    return create(file, configuration.masked(permission, false), flags, replication, false);
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
    return create(file, absolute, flags, replication, true);
  }

  /**
   * Begins a file, or goes on with one.
   *
   * @param absolute its permissions, as they are to be
   * @param flags without CREATE it has to be there already
   * @param makeParents whether directories that are missing are made
   */
  FSDataOutputStream create(
      Path file,
      FsPermission absolute,
      EnumSet<CreateFlag> flags,
      short replication,
      boolean makeParents)
      throws IOException {
    Path path = makeQualified(file);
    CreateFlag.validate(flags);
    if (flags.contains(CreateFlag.APPEND) && exists(path)) {
      return append(path, 0, null);
    }
    statistics.incrementWriteOps(1);
    if (!flags.contains(CreateFlag.CREATE)) {
      getFileStatus(path);
    }
    if (makeParents) {
      makeAbove(path, configuration.masked(null, true));
    }
    boolean replaces = flags.contains(CreateFlag.OVERWRITE);
    int copies = replication > 0 ? replication : configuration.replication();
    CreateOptions asked = new CreateOptions(copies, absolute.toShort(), replaces);
    QfsOutput output = QfsRefusals.make(path, () -> client().create(name(path), asked));
    return new FSDataOutputStream(new QfsOutputStream(output, path), statistics);
  }

  /**
   * Goes on at the end of a file.
   *
   * @param bufferSize of no importance: the client has buffers of its own
   * @param progress not told: nothing of this waits long
   */
  @Override
  public FSDataOutputStream append(Path file, int bufferSize, Progressable progress)
      throws IOException {
    Path path = makeQualified(file);
    statistics.incrementWriteOps(1);
    QfsOutput output = QfsRefusals.lookUp(path, () -> client().append(name(path)));
    return new FSDataOutputStream(new QfsOutputStream(output, path), statistics, output.position());
  }

  // ---- what it is like

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    return switch (capability.toLowerCase(Locale.ROOT)) {
      case CommonPathCapabilities.FS_APPEND,
          CommonPathCapabilities.FS_PERMISSIONS,
          CommonPathCapabilities.ETAGS_AVAILABLE,
          CommonPathCapabilities.ETAGS_PRESERVED_IN_RENAME ->
          true;
      default -> super.hasPathCapability(path, capability);
    };
  }

  @Override
  public long getDefaultBlockSize(Path path) {
    return ChunkInfo.BYTES;
  }

  @Override
  @Deprecated
  public long getDefaultBlockSize() {
    return ChunkInfo.BYTES;
  }

  @Override
  public short getDefaultReplication(Path path) {
    return configuration.replication();
  }

  @Override
  @Deprecated
  public short getDefaultReplication() {
    return configuration.replication();
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
