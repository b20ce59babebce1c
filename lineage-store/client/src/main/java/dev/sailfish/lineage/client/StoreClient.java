package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.block.BlockAccess;
import dev.sailfish.lineage.client.block.WorkerConnections;
import dev.sailfish.lineage.protocol.wire.BeginRecompute;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.GrantWritingResponse;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.PrepareProgram;
import dev.sailfish.lineage.protocol.wire.ReadMode;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.Closeable;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client of the store: creates and opens files, and has a {@link #namespace} for all else.
 * Thread-safe; a file that it gives is for one thread, unless it says more.
 */
public final class StoreClient implements Closeable {
  private static final Duration WORKER_DEADLINE = Duration.ofSeconds(60);

  /** Longer than the end of a copy below may take, unless a mount says more. */
  private static final Duration BELOW_DEADLINE = Duration.ofMinutes(15);

  private static final int RENEWALS_PER_LEASE = 3;

  private final StoreClientConfig config;
  private final NamespaceClient namespace;
  private final FirstBlocks firstBlocks;
  private final Beginnings beginnings;
  private final BlockAccess access;
  private final Buffers buffers;
  private final String host;
  private final Background background = new Background();
  private final AtomicInteger writing = new AtomicInteger();
  private ScheduledExecutorService renewals;

  /** Does not connect yet. */
  public StoreClient(StoreClientConfig config) {
    this.config = config;
    long id = new SecureRandom().nextLong() | 1;
    namespace = new NamespaceClient(config, id);
    String caller = "store client %016x".formatted(id);
    access =
        new BlockAccess(
            new WorkerConnections(config.network(), caller, config.credentials(), WORKER_DEADLINE),
            new WorkerConnections(config.network(), caller, config.credentials(), BELOW_DEADLINE),
            config.hosts());
    firstBlocks = new FirstBlocks(access);
    beginnings = new Beginnings(namespace, firstBlocks);
    buffers = new Buffers(config.bufferBytes());
    host = config.hosts().stream().findFirst().orElse("");
  }

  /** Names, directories, permissions. */
  public NamespaceClient namespace() {
    return namespace;
  }

  /** Under stores. */
  public Mounts mounts() {
    return new Mounts(namespace);
  }

  /** How files are made, and which of them are lost. */
  public Lineage lineage() {
    return new Lineage(this, config.network());
  }

  /**
   * Begins a file, which nobody reads before it is closed.
   *
   * @param file its path, and how it is to be; its mode of writing says where its bytes go
   */
  public FileOutput create(CreateFile file) throws IOException {
    WrittenFile begun = beginnings.create(file.toBuilder().setHost(host).build());
    keepLease();
    writing.incrementAndGet();
    return output(begun);
  }

  /** Begins the file of a program, unless it is complete already. */
  ChangeResponse prepare(PrepareProgram program) throws IOException {
    PrepareProgram asked = program.toBuilder().setHost(host).build();
    return namespace.change(change -> change.setPrepareProgram(asked));
  }

  /**
   * Writes a file that a change has begun.
   *
   * @param length how many bytes are written at most
   */
  FileOutput output(ChangeResponse begun, long length) throws IOException {
    keepLease();
    writing.incrementAndGet();
    WrittenFile file = beginnings.begun(begun);
    FileBody body = body(file);
    if (body instanceof BlocksBody blocks) {
      blocks.expect(length);
    }
    return output(file, body);
  }

  /**
   * Has a second worker copy what only one has of a file.
   *
   * @param workers that may; one that has the file already is not asked
   */
  void copyOnce(FileEntry file, List<WorkerAddress> workers) throws IOException {
    new SecondCopies(namespace, access).make(file, workers);
  }

  /** Begins to write a lost file again, all but the blocks that are there still. */
  FileOutput recompute(long fid) throws IOException {
    BeginRecompute asked = BeginRecompute.newBuilder().setFid(fid).setHost(host).build();
    ChangeResponse begun = namespace.change(change -> change.setBeginRecompute(asked));
    RecomputedFile file = new RecomputedFile(namespace, begun);
    boolean isOpen = false;
    try {
      FileOutput output = open(file);
      isOpen = true;
      return output;
    } finally {
      if (!isOpen) {
        file.abandonAsync(); // else nobody else could write it while this client lives
      }
    }
  }

  private FileOutput open(RecomputedFile file) throws IOException {
    FileGrant grant = grant(file);
    BlocksBody body =
        new BlocksBody(
            access,
            file.entry(),
            grant,
            workers(file, grant),
            BlocksBody.Sealed.UNHEARD,
            file.kept());
    keepLease();
    writing.incrementAndGet();
    return new FileOutput(file, body, buffers, writing::decrementAndGet);
  }

  private static FileGrant grant(WrittenFile file) {
    ChangeResponse begun = file.begun();
    return new FileGrant(
        begun.getEntry().getFid(),
        begun.getAttempt(),
        begun.getBlockToken(),
        () -> file.goOn(Set.of()).getBlockToken());
  }

  private WritingWorkers workers(WrittenFile file, FileGrant grant) {
    return new WritingWorkers(
        file.entry().getName(),
        file.begun().getWorkersList(),
        refused -> {
          GrantWritingResponse more = file.goOn(refused);
          grant.renewed(more.getBlockToken());
          return more.getWorkersList();
        },
        config.network(),
        config.patience());
  }

  /** The same without a wait for the master: a thread may begin several files ahead. */
  public CompletableFuture<FileOutput> createAsync(CreateFile file) throws IOException {
    keepLease();
    writing.incrementAndGet();
    return beginnings
        .createAsync(file.toBuilder().setHost(host).build())
        .whenComplete(
            (created, error) -> {
              if (error != null) {
                writing.decrementAndGet();
              }
            })
        .thenApply(this::output);
  }

  private FileOutput output(WrittenFile begun) {
    return output(begun, body(begun));
  }

  private FileOutput output(WrittenFile begun, FileBody body) {
    Runnable ended = writing::decrementAndGet;
    if (body instanceof BlocksBody blocks) {
      boolean isTokenless = begun.begun().getBlockToken().isEmpty();
      blocks.with(begun.ahead());
      ended =
          () -> {
            firstBlocks.begun(isTokenless ? blocks.first() : null);
            writing.decrementAndGet();
          };
    }
    return new FileOutput(begun, body, buffers, ended);
  }

  private FileBody body(WrittenFile file) {
    FileEntry entry = file.entry();
    List<WorkerAddress> named = file.begun().getWorkersList();
    FileGrant grant = grant(file);
    WritingWorkers workers = workers(file, grant);
    return switch (file.begun().getWriteMode()) {
      case WRITE_BYPASS -> new BelowBody(access, entry, grant, named);
      case WRITE_THROUGH -> new ThroughBody(access, entry, grant, workers, named);
      default -> new BlocksBody(access, entry, grant, workers, BlocksBody.Sealed.UNHEARD);
    };
  }

  /** Opens a file that is complete, to be read as its mount says. */
  public FileInput open(String path) throws IOException {
    return open(path, ReadMode.READ_AS_MOUNTED);
  }

  /**
   * Opens a file that is complete.
   *
   * @param mode where blocks come from that no worker has, if the file is below
   */
  public FileInput open(String path, ReadMode mode) throws IOException {
    return open(path, mode, true);
  }

  /**
   * Opens a file that is complete.
   *
   * @param mode where blocks come from that no worker has, if the file is below
   * @param leavesCopies whether blocks that other hosts' workers have, and that are read as a
   *     stream, are left in the memory of the worker on this host, too; they are not where nothing
   *     is kept, with {@link ReadMode#READ_DIRECT}
   */
  public FileInput open(String path, ReadMode mode, boolean leavesCopies) throws IOException {
    return open(namespace.open(path, BlockPlaces.FIRST_BLOCKS), mode, leavesCopies);
  }

  /** Opens a file that is complete by its id, whatever its path is now; else as by its path. */
  public FileInput open(long fid, ReadMode mode, boolean leavesCopies) throws IOException {
    return open(namespace.locate(fid, 0, BlockPlaces.FIRST_BLOCKS), mode, leavesCopies);
  }

  /** The same, leaves no copies, and fails at once where no worker gives a block. */
  FileInput openAtOnce(String path) throws IOException {
    OpenFileResponse opened = namespace.open(path, BlockPlaces.FIRST_BLOCKS);
    return open(opened, ReadMode.READ_AS_MOUNTED, false, config.with(Duration.ZERO));
  }

  private FileInput open(OpenFileResponse opened, ReadMode mode, boolean leavesCopies) {
    return open(opened, mode, leavesCopies, config);
  }

  private FileInput open(
      OpenFileResponse opened, ReadMode mode, boolean leavesCopies, StoreClientConfig how) {
    ReadMode chosen = mode == ReadMode.READ_AS_MOUNTED ? opened.getReadMode() : mode;
    long fid = opened.getEntry().getFid();
    FileGrant grant =
        new FileGrant(
            fid, opened.getBlockToken(), () -> namespace.locate(fid, 0, 1).getBlockToken());
    Below below = new Below(access, opened, grant, chosen, background);
    boolean isCopied = leavesCopies && chosen != ReadMode.READ_DIRECT;
    LocalCopies copies = new LocalCopies(access, grant, isCopied, background);
    BlockPlaces places = new BlockPlaces(namespace, access, opened, grant, below, copies, how);
    return new FileInput(places, buffers, opened.getEntry());
  }

  /**
   * Loads the blocks of a file, or of all files of a directory and below it, that are below and at
   * no worker. Waits.
   */
  public TransferOutcome load(String path) throws IOException {
    return new Transfers(namespace, access).load(path);
  }

  /**
   * Copies a file below, or all complete files of a directory and below it, that is not there.
   * Waits; a copy that returned counts.
   */
  public TransferOutcome copy(String path) throws IOException {
    return new Transfers(namespace, access).copy(path);
  }

  /** Says now and then that this client lives, while it writes. */
  private synchronized void keepLease() throws IOException {
    if (renewals == null) {
      long periodMs = Math.max(1, namespace.renew() / RENEWALS_PER_LEASE);
      renewals =
          Executors.newSingleThreadScheduledExecutor(
              work -> {
                Thread thread = new Thread(work, "store-client-lease");
                thread.setDaemon(true);
                return thread;
              });
      renewals.scheduleWithFixedDelay(this::renew, periodMs, periodMs, TimeUnit.MILLISECONDS);
    }
  }

  private void renew() {
    if (writing.get() > 0) {
      try {
        namespace.renew();
      } catch (IOException e) {
        // The next change of a writer says what is wrong.
        Thread.onSpinWait();
      }
    }
  }

  /** Files that are being written are given up by the master in time. */
  @Override
  public void close() {
    synchronized (this) {
      if (renewals != null) {
        renewals.shutdownNow();
      }
    }
    background.close();
    access.close();
    namespace.close();
  }
}
