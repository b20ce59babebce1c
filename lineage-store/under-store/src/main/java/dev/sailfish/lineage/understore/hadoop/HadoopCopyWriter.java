package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.lineage.understore.CopyRecord;
import dev.sailfish.lineage.understore.CopyTarget;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.understore.TemporaryName;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderFile.Ownership;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.call.Caller;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.CreateFileOptionKeys;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Writes one copy.
 *
 * <pre>
 *   ATOMIC_RENAME  .name.fid.random.copying ── write, sync, close, length ──▶ rename ──▶ name
 *   ATOMIC_CLOSE   (nothing is seen)        ── write ──────────────────────▶ close ───▶ name
 *   OTHER_RENAME   as the first; the rename may be a copy of the bytes
 * </pre>
 *
 * <p>Whether the name is free, or its file the one to be replaced, is looked at right before the
 * last step. A writer whose caller has gone does not take that step.
 */
final class HadoopCopyWriter implements CopyWriter {
  private enum State {
    OPEN,
    BROKEN,
    ENDED
  }

  private static final Set<String> SYNCING_BLOCKS = Set.of("hdfs");

  private static final Ownership NOBODY = new Ownership("", "", 0);

  /** Of the file system's own streams; ours are larger, and go past it. */
  private static final int STREAM_BUFFER = 4096;

  private final HadoopUnderStore store;
  private final CopyTarget target;
  private final Path name;
  private final Path temporary;
  private final CRC32C crc = new CRC32C();
  private final byte[] buffer;
  private int filled;
  private long length;
  private State state = State.OPEN;

  // Touched on threads of the calls, one after the other.
  private Publication publication;
  private FSDataOutputStream stream;
  private boolean created;
  private boolean streamClosed;
  private boolean released;

  private HadoopCopyWriter(HadoopUnderStore store, CopyTarget target) {
    HadoopMount mount = store.mount();
    this.store = store;
    this.target = target;
    this.name = mount.at(target.path());
    TemporaryName writing =
        new TemporaryName(target.path().name(), target.fid(), mount.nextRandom());
    this.temporary = new Path(mount.at(target.path().parent()), writing.fileName());
    this.buffer = new byte[mount.bufferBytes()];
  }

  static HadoopCopyWriter open(HadoopUnderStore store, CopyTarget target) throws IOException {
    if (target.path().isRoot()) {
      throw new UnderStoreException(
          Reason.INVALID, "writing the root of " + store.mount().mount() + ": it is a directory");
    }
    store.mount().takeStream("writing", target.path());
    HadoopCopyWriter writer = new HadoopCopyWriter(store, target);
    writer.call(
        "writing",
        store.mount().deadline(),
        (fileSystem, caller) -> {
          writer.create(fileSystem);
          return null;
        });
    return writer;
  }

  private UnderPath path() {
    return target.path();
  }

  private <T> T call(String what, Duration deadline, HadoopUnderStore.Work<T> work)
      throws IOException {
    if (state != State.OPEN) {
      throw new UnderStoreException(
          Reason.INVALID, "%s %s: the writer is %s".formatted(what, path(), state));
    }
    try {
      return store.call(what, path(), deadline, work, result -> release());
    } catch (IOException | RuntimeException | Error e) {
      state = State.BROKEN;
      if (!HadoopReader.isLate(e)) {
        clearUp();
      }
      throw e;
    }
  }

  private void create(FileSystem fileSystem) throws IOException {
    publication = Publication.of(store.mount().mount(), fileSystem, name);
    created = true;
    if (publication.renames()) {
      store.mount().temporaries().add(fileSystem.makeQualified(temporary));
    }
    stream =
        SYNCING_BLOCKS.contains(fileSystem.getUri().getScheme())
            ? createSyncing(fileSystem)
            : createWithOptions(fileSystem);
  }

  private long blockSize(FileSystem fileSystem) {
    long hint = store.mount().mount().get(MountKey.BLOCK_SIZE);
    return hint > 0 ? hint : fileSystem.getDefaultBlockSize(name);
  }

  /** HDFS's hsync is about the last block; the ones before it are synced only if it is told now. */
  private FSDataOutputStream createSyncing(FileSystem fileSystem) throws IOException {
    return fileSystem.create(
        temporary,
        FsPermission.getFileDefault(),
        EnumSet.of(CreateFlag.CREATE, CreateFlag.SYNC_BLOCK),
        STREAM_BUFFER,
        fileSystem.getDefaultReplication(name),
        blockSize(fileSystem),
        null,
        null);
  }

  private FSDataOutputStream createWithOptions(FileSystem fileSystem) throws IOException {
    FSDataOutputStreamBuilder<?, ?> builder =
        fileSystem
            .createFile(publication.renames() ? temporary : name)
            .create()
            .recursive()
            .overwrite(!publication.renames())
            .bufferSize(STREAM_BUFFER)
            .blockSize(blockSize(fileSystem));
    store.mount().mount().named(Mount.CREATE).forEach(builder::opt);
    if (!publication.renames()) {
      addCondition(fileSystem, builder);
    }
    return builder.build();
  }

  /** Where the under store can check it in the last step itself, it does. */
  private void addCondition(FileSystem fileSystem, FSDataOutputStreamBuilder<?, ?> builder)
      throws IOException {
    String absent = CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE;
    String tagged = CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE_ETAG;
    String tag = target.replaces().map(UnderFile::tag).orElse("");
    if (target.replaces().isEmpty() && fileSystem.hasPathCapability(name, absent)) {
      builder.must(absent, true);
    } else if (!tag.isEmpty() && fileSystem.hasPathCapability(name, tagged)) {
      builder.must(tagged, tag);
    }
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    while (source.hasRemaining()) {
      if (filled == buffer.length) {
        call(
            "writing",
            store.mount().deadline(),
            (fileSystem, caller) -> {
              stream.write(buffer, 0, filled);
              return null;
            });
        filled = 0;
      }
      int piece = Math.min(source.remaining(), buffer.length - filled);
      source.get(buffer, filled, piece);
      crc.update(buffer, filled, piece);
      filled += piece;
      length += piece;
    }
  }

  @Override
  public void sync() throws IOException {
    call(
        "syncing",
        store.mount().deadline(),
        (fileSystem, caller) -> {
          hsync();
          return null;
        });
  }

  private void hsync() throws IOException {
    if (publication.renames() && stream.hasCapability(StreamCapabilities.HSYNC)) {
      stream.hsync();
    }
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public CopyRecord commit() throws IOException {
    UnderFile made;
    try {
      made = call("making", store.mount().commitDeadline(), this::publish);
      state = State.ENDED;
      release();
    } catch (UnderStoreException e) {
      boolean taken = e.reason() == Reason.EXISTS || e.reason() == Reason.CHANGED;
      if (!taken || publication == null) {
        throw e;
      }
      made = madeBefore(e);
    }
    return record(made);
  }

  private CopyRecord record(UnderFile made) {
    return new CopyRecord(made, target.fid(), (int) crc.getValue(), publication.kind());
  }

  /** The file that is there, when an earlier attempt has made it and did not hear of it. */
  private UnderFile madeBefore(UnderStoreException taken) throws IOException {
    try {
      return store.verify(record(new UnderFile(path(), false, length, 0, "", NOBODY)));
    } catch (UnderStoreException e) {
      taken.addSuppressed(e);
      throw taken;
    }
  }

  private UnderFile publish(FileSystem fileSystem, Caller caller) throws IOException {
    stream.write(buffer, 0, filled);
    hsync();
    if (publication.renames()) {
      closeStream();
      long written = fileSystem.getFileStatus(temporary).getLen();
      requireLength(written, "under its temporary name");
      requireFree(fileSystem, caller);
      if (!publication.rename(fileSystem, temporary, name, target.replaces().isPresent())) {
        throw exists("it was not there a moment ago, or cannot be renamed to");
      }
    } else {
      requireFree(fileSystem, caller);
      closeStream();
    }
    UnderFile made =
        store
            .find(fileSystem, path())
            .orElseThrow(
                () ->
                    new UnderStoreException(
                        Reason.MISSING, "writing " + place() + ": it is gone after the end"));
    requireLength(made.length(), "after the end");
    store.mount().temporaries().remove(fileSystem.makeQualified(temporary));
    created = false; // and nothing to be discarded
    return made;
  }

  private void closeStream() throws IOException {
    stream.close();
    streamClosed = true;
  }

  private void requireLength(long found, String when) throws UnderStoreException {
    if (found != length) {
      throw new UnderStoreException(
          Reason.FAILED,
          "writing %s: %d bytes were written, and %s there are %d"
              .formatted(place(), length, when, found));
    }
  }

  private void requireFree(FileSystem fileSystem, Caller caller) throws IOException {
    Optional<UnderFile> now = store.find(fileSystem, path());
    Optional<UnderFile> replaced = target.replaces();
    if (now.isPresent() && (replaced.isEmpty() || now.get().directory())) {
      throw exists(now.get().directory() ? "it is a directory" : "length=" + now.get().length());
    }
    if (replaced.isPresent()) {
      Optional<String> difference =
          now.map(file -> file.differenceFrom(replaced.get())).orElse(Optional.of("it is gone"));
      if (difference.isPresent()) {
        throw new UnderStoreException(
            Reason.CHANGED, place() + " is not the file to be replaced: " + difference.get());
      }
    }
    if (caller.isGone()) {
      throw new UnderStoreException(Reason.TIMEOUT, "writing " + place() + " was given up");
    }
  }

  private UnderStoreException exists(String what) {
    return new UnderStoreException(
        Reason.EXISTS, "writing " + place() + ": there is another file already, " + what);
  }

  private String place() {
    return store.place(path());
  }

  @Override
  public void close() {
    if (state == State.OPEN) {
      state = State.ENDED;
      clearUp();
    }
  }

  private void clearUp() {
    if (created) {
      store.clearUp(path(), this::release);
    } else {
      release();
    }
  }

  /** When no call uses it any more: what is not a copy goes. */
  private synchronized void release() {
    if (released) {
      return;
    }
    released = true;
    if (created) {
      store.files().clearUp(path(), this::discard);
    }
    store.mount().returnStream();
  }

  private Void discard(FileSystem fileSystem) throws IOException {
    try {
      if (stream != null && !streamClosed) {
        discardStream();
      }
    } finally {
      removeTemporary(fileSystem);
    }
    return null;
  }

  /** What cannot be removed now is a sweep's. */
  private void removeTemporary(FileSystem fileSystem) throws IOException {
    store.mount().temporaries().remove(fileSystem.makeQualified(temporary));
    if (publication.renames()) {
      fileSystem.delete(temporary, false);
    }
  }

  private void discardStream() throws IOException {
    streamClosed = true;
    if (stream.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) {
      stream.abort();
    } else {
      stream.close();
    }
  }
}
