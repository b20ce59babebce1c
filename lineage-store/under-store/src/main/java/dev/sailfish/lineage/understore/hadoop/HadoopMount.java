package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.call.BoundedCalls;
import dev.sailfish.lineage.understore.call.CallUsage;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountKey;
import java.io.Closeable;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * One mount, in one process: its threads and its limits, which all users share. Files belong to
 * users, so the file system is opened for each of them. Thread-safe.
 */
public final class HadoopMount implements Closeable {
  private final Mount mount;
  private final Configuration configuration;
  private final Clock clock;
  private final LongSupplier random;
  private final BoundedCalls calls;
  private final Semaphore streams;
  private final Duration deadline;
  private final Duration commitDeadline;
  private final int bufferBytes;
  private final ThreadLocal<byte[]> threadBuffer;

  /** What this process is writing under temporary names. */
  private final Set<Path> temporaries = ConcurrentHashMap.newKeySet();

  /**
   * A mount with the configuration on the class path, {@code core-site.xml} and so on. Asks nothing
   * below.
   */
  public HadoopMount(Mount mount, Clock clock) {
    this(mount, new Configuration(), clock, new SecureRandom()::nextLong);
  }

  /**
   * The same with a given configuration.
   *
   * @param base is copied; the mount's own properties come over it
   * @param random makes temporary names one writer's own
   */
  public HadoopMount(Mount mount, Configuration base, Clock clock, LongSupplier random) {
    this.mount = mount;
    this.configuration = new Configuration(base);
    mount.named(Mount.HADOOP).forEach(configuration::set);
    this.clock = clock;
    this.random = random;
    this.calls =
        new BoundedCalls(
            mount.toString(), mount.get(MountKey.THREADS), mount.get(MountKey.WAITING), clock);
    this.streams = new Semaphore(mount.get(MountKey.STREAMS));
    this.deadline = mount.get(MountKey.DEADLINE);
    this.commitDeadline = mount.get(MountKey.COMMIT_DEADLINE);
    this.bufferBytes = mount.bufferBytes();
    this.threadBuffer = ThreadLocal.withInitial(() -> new byte[bufferBytes]);
  }

  /**
   * The under store as a user sees it: with Kerberos the process stands for it, without it is taken
   * at its word. A local file system knows the process alone. Asks nothing below.
   *
   * @return to be closed
   */
  public UnderStore as(String user) throws IOException {
    UserGroupInformation process = UserGroupInformation.getLoginUser();
    if (process.getShortUserName().equals(user)) {
      return as(process);
    }
    return as(
        UserGroupInformation.isSecurityEnabled()
            ? UserGroupInformation.createProxyUser(user, process)
            : UserGroupInformation.createRemoteUser(user));
  }

  /** The under store as the user of this process sees it. Asks nothing below. */
  public UnderStore asProcess() throws IOException {
    return as(UserGroupInformation.getLoginUser());
  }

  /** The under store as somebody who has logged in sees it. Asks nothing below. */
  public UnderStore as(UserGroupInformation user) {
    return new HadoopUnderStore(this, user);
  }

  /** What goes on below now. */
  public CallUsage usage() {
    return calls.usage();
  }

  /** Does not wait; calls that hang go on. To be called after each user's under store is closed. */
  @Override
  public void close() {
    calls.close();
  }

  Mount mount() {
    return mount;
  }

  Configuration configuration() {
    return configuration;
  }

  Clock clock() {
    return clock;
  }

  BoundedCalls calls() {
    return calls;
  }

  Duration deadline() {
    return deadline;
  }

  Duration commitDeadline() {
    return commitDeadline;
  }

  int bufferBytes() {
    return bufferBytes;
  }

  /** A buffer for what one call reads, on a thread of the calls. */
  byte[] threadBuffer() {
    return threadBuffer.get();
  }

  Set<Path> temporaries() {
    return temporaries;
  }

  long nextRandom() {
    return random.getAsLong();
  }

  /** Where a path is, for Hadoop. */
  Path at(UnderPath path) {
    return new Path(
        mount.root().getScheme(), mount.root().getAuthority(), mount.root().getPath() + path);
  }

  void requireWritable(String what, UnderPath path) throws UnderStoreException {
    if (mount.get(MountKey.READ_ONLY)) {
      throw new UnderStoreException(
          Reason.READ_ONLY, what + " " + path + " of " + mount + ": it is mounted read-only");
    }
  }

  /** One more file is open; {@link #returnStream} gives it back. */
  void takeStream(String what, UnderPath path) throws UnderStoreException {
    if (!streams.tryAcquire()) {
      throw new UnderStoreException(
          Reason.BUSY,
          "%s %s of %s was not begun: streams=%s are open; close some, or raise 'streams'"
              .formatted(what, path, mount, mount.get(MountKey.STREAMS)));
    }
  }

  void returnStream() {
    streams.release();
  }
}
