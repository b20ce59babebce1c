package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.lineage.understore.CopyRecord;
import dev.sailfish.lineage.understore.CopyTarget;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderListing;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderReader;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.call.Caller;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One user's view of a {@link HadoopMount}: what is asked, as calls with deadlines. */
final class HadoopUnderStore implements UnderStore {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopUnderStore.class);

  private static final FsPermission SHARED = new FsPermission((short) 01733);

  private final HadoopMount mount;
  private final UserFileSystem files;

  HadoopUnderStore(HadoopMount mount, UserGroupInformation user) {
    this.mount = mount;
    this.files = new UserFileSystem(mount.mount(), mount.configuration(), user);
  }

  /** What a call does. */
  @FunctionalInterface
  interface Work<T> {
    T run(FileSystem fileSystem, Caller caller) throws IOException;
  }

  HadoopMount mount() {
    return mount;
  }

  UserFileSystem files() {
    return files;
  }

  /** Makes a call, see {@link dev.sailfish.lineage.understore.call.BoundedCalls#call}. */
  <T> T call(String what, UnderPath path, Duration deadline, Work<T> work, Consumer<? super T> late)
      throws IOException {
    return mount
        .calls()
        .call(
            what + " " + path,
            deadline,
            caller ->
                files.run(
                    what,
                    path,
                    fileSystem -> {
                      LocalBounds.require(mount, fileSystem, path);
                      return work.run(fileSystem, caller);
                    }),
            late);
  }

  private <T> T call(String what, UnderPath path, Work<T> work) throws IOException {
    return call(what, path, mount.deadline(), work, result -> {});
  }

  /** Clears up after a call that failed: with a deadline if it can, or else when it can. */
  void clearUp(UnderPath path, Runnable work) {
    try {
      mount
          .calls()
          .call(
              "clearing up " + path,
              mount.deadline(),
              caller -> {
                work.run();
                return null;
              },
              result -> work.run());
    } catch (UnderStoreException e) {
      if (e.reason() == Reason.BUSY) {
        mount.calls().later(work);
      }
    } catch (IOException e) {
      LOG.debug("clearing up {} of {} goes on alone", path, mount.mount(), e);
    }
  }

  @Override
  public Optional<UnderFile> status(UnderPath path) throws IOException {
    return call("asking for", path, (fileSystem, caller) -> find(fileSystem, path));
  }

  /** On a thread of the calls. */
  Optional<UnderFile> find(FileSystem fileSystem, UnderPath path) throws IOException {
    try {
      FileStatus status = fileSystem.getFileStatus(mount.at(path));
      return Optional.of(Versions.file(fileSystem, path, status));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  @Override
  public Optional<String> changed(UnderFile recorded) throws IOException {
    return status(recorded.path())
        .map(now -> now.differenceFrom(recorded))
        .orElse(Optional.of("it is gone"));
  }

  @Override
  public UnderListing list(UnderPath directory) {
    return new HadoopListing(this, directory);
  }

  @Override
  public UnderReader open(UnderFile recorded) throws IOException {
    return HadoopReader.open(this, recorded);
  }

  @Override
  public CopyWriter write(CopyTarget target) throws IOException {
    mount.requireWritable("writing", target.path());
    return HadoopCopyWriter.open(this, target);
  }

  @Override
  public UnderFile verify(CopyRecord record) throws IOException {
    UnderPath path = record.file().path();
    UnderFile now =
        status(path)
            .orElseThrow(
                () -> new UnderStoreException(Reason.MISSING, place(path) + ": the copy is gone"));
    if (now.directory() || now.length() != record.file().length()) {
      throw damaged(path, "length", record.file().length(), now.length());
    }
    ChecksumChannel checksum = new ChecksumChannel();
    try (UnderReader reader = open(now)) {
      reader.transfer(0, now.length(), checksum);
      reader.requireUnchanged();
    }
    if (checksum.crc32c() != record.crc32c()) {
      throw damaged(path, "crc32c", record.crc32c(), checksum.crc32c());
    }
    return now;
  }

  private UnderStoreException damaged(UnderPath path, String what, long recorded, long found) {
    return new UnderStoreException(
        Reason.DAMAGED,
        "%s is not the copy that was recorded: %s recorded=%d found=%d"
            .formatted(place(path), what, recorded, found));
  }

  /** For messages. */
  String place(UnderPath path) {
    return "'" + path + "' of mount " + mount.mount();
  }

  @Override
  public void makeDirectories(UnderPath directory) throws IOException {
    mount.requireWritable("making", directory);
    call(
        "making",
        directory,
        (fileSystem, caller) -> {
          make(fileSystem, directory);
          return null;
        });
  }

  private void make(FileSystem fileSystem, UnderPath directory) throws IOException {
    if (!fileSystem.mkdirs(mount.at(directory))) {
      throw new IOException("the file system says that it did not make it");
    }
  }

  @Override
  public void makeSharedDirectory(UnderPath directory) throws IOException {
    mount.requireWritable("making", directory);
    call(
        "making",
        directory,
        (fileSystem, caller) -> {
          if (find(fileSystem, directory).isEmpty()) {
            make(fileSystem, directory);
            fileSystem.setPermission(mount.at(directory), SHARED);
          }
          return null;
        });
  }

  @Override
  public boolean delete(UnderPath path, boolean recursive) throws IOException {
    mount.requireWritable("deleting", path);
    requireNotRoot("deleting", path);
    return call(
        "deleting",
        path,
        recursive ? mount.commitDeadline() : mount.deadline(),
        (fileSystem, caller) -> fileSystem.delete(mount.at(path), recursive),
        result -> {});
  }

  private void requireNotRoot(String what, UnderPath path) throws UnderStoreException {
    if (path.isRoot()) {
      throw new UnderStoreException(
          Reason.INVALID, what + " the root of " + mount.mount() + ": unmount it instead");
    }
  }

  @Override
  public UnderFile rename(UnderPath from, UnderPath to) throws IOException {
    mount.requireWritable("renaming", from);
    requireNotRoot("renaming", from);
    return call(
        "renaming",
        from,
        mount.commitDeadline(),
        (fileSystem, caller) -> rename(fileSystem, from, to),
        result -> {});
  }

  private UnderFile rename(FileSystem fileSystem, UnderPath from, UnderPath to) throws IOException {
    LocalBounds.require(mount, fileSystem, to);
    if (find(fileSystem, from).isEmpty()) {
      throw new FileNotFoundException("there is no such file");
    }
    if (find(fileSystem, to).isPresent()) {
      throw new UnderStoreException(
          Reason.EXISTS, place(to) + " exists, and " + place(from) + " cannot be renamed to it");
    }
    if (!fileSystem.rename(mount.at(from), mount.at(to))) {
      throw new IOException("the file system did not rename it to " + place(to));
    }
    return find(fileSystem, to)
        .orElseThrow(() -> new FileNotFoundException("it is gone after the rename"));
  }

  @Override
  public int sweep(UnderPath directory, Duration age) throws IOException {
    mount.requireWritable("sweeping", directory);
    Sweep sweep = new Sweep(mount, age);
    call(
        "sweeping",
        directory,
        (fileSystem, caller) -> {
          sweep.enter(fileSystem, mount.at(directory));
          return null;
        });
    boolean more = true;
    while (more) {
      more = call("sweeping", directory, sweep::proceed);
    }
    return sweep.removed();
  }

  @Override
  public void close() {
    mount.calls().later(files::close);
  }
}
