package dev.sailfish.lineage.client.block;

import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.lineage.protocol.FileChecksum;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.BeginBlockRequest;
import dev.sailfish.lineage.protocol.wire.BeginBlockResponse;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.CopyFileRequest;
import dev.sailfish.lineage.protocol.wire.LoadBlockRequest;
import dev.sailfish.lineage.protocol.wire.LoadBlockResponse;
import dev.sailfish.lineage.protocol.wire.ShareBlockRequest;
import dev.sailfish.lineage.protocol.wire.ShareBlockResponse;
import dev.sailfish.lineage.protocol.wire.SuspectBlockRequest;
import dev.sailfish.lineage.protocol.wire.SuspectBlockResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Opens blocks at workers. One on the client's own host is read and written in its files; where
 * these may not be opened, because the client runs as another user or in another container, over
 * the network as all others. Thread-safe.
 */
public final class BlockAccess implements Closeable {
  private final WorkerConnections connections;
  private final WorkerConnections patient;
  private final Set<String> hosts;

  /** Workers on this host whose files may not be opened. */
  private final Set<Integer> closedToUs = ConcurrentHashMap.newKeySet();

  /**
   * @param connections closed with this object
   * @param patient for what waits for an under store; closed with this object
   * @param hosts what workers on the client's host are called; empty: all are elsewhere
   */
  public BlockAccess(WorkerConnections connections, WorkerConnections patient, Set<String> hosts) {
    this.connections = connections;
    this.patient = patient;
    this.hosts = Set.copyOf(hosts);
  }

  /** Whether the worker's files can be opened, as far as is known. */
  public boolean isLocal(WorkerAddress worker) {
    return isOnHost(worker) && !closedToUs.contains(worker.getNumber());
  }

  /** Whether the worker is on the client's host. */
  public boolean isOnHost(WorkerAddress worker) {
    return hosts.contains(worker.getHost());
  }

  /** How far a worker is: 0 on the client's host, 1 in its rack, 2 elsewhere. */
  public int distance(WorkerAddress worker) {
    if (isOnHost(worker)) {
      return 0;
    }
    return worker.getSameRack() ? 1 : 2;
  }

  /**
   * Begins a block.
   *
   * @param capacity how many bytes it can have
   * @param room for how many there must be room at once
   * @param sum of the file, gets the block's
   * @throws RemoteException when the worker refuses, NO_SPACE when it is full
   */
  public BlockWriter begin(
      WorkerAddress worker, BlockName name, long capacity, long room, FileChecksum sum)
      throws IOException {
    WorkerCall call = new WorkerCall(connections, worker);
    boolean begun = false;
    try {
      BlockWriter writer = isLocal(worker) ? beginLocal(call, name, capacity, room, sum) : null;
      if (writer == null) {
        begin(call, name, capacity, capacity, false);
        writer = new RemoteBlockWriter(call, name, sum);
      }
      begun = true;
      return writer;
    } finally {
      if (!begun) {
        call.close();
      }
    }
  }

  private BlockWriter beginLocal(
      WorkerCall call, BlockName name, long capacity, long room, FileChecksum sum)
      throws IOException {
    Path path = Path.of(begin(call, name, capacity, room, true).getPath());
    try {
      return new LocalBlockWriter(call, name, path, capacity, room, sum);
    } catch (FileSystemException e) {
      notOpened(call.worker(), e);
      return null;
    }
  }

  /**
   * A file of a worker on this host was not opened. If the worker's directory is there, the file
   * may have gone or moved to another tier at this moment; and this process may have too many files
   * open: the next one is tried again. Else its files are not for this process.
   */
  private void notOpened(WorkerAddress worker, FileSystemException failure) {
    boolean isGone =
        failure instanceof NoSuchFileException
            && Files.isDirectory(Path.of(failure.getFile()).toAbsolutePath().getParent());
    boolean isOneTooMany = String.valueOf(failure.getReason()).contains("Too many open files");
    if (!isGone && !isOneTooMany) {
      closedToUs.add(worker.getNumber());
    }
  }

  private static BeginBlockResponse begin(
      WorkerCall call, BlockName name, long capacity, long room, boolean local) throws IOException {
    BeginBlockRequest request = request(name, capacity, room, local);
    return call.ask(WorkerService.BEGIN, request, BeginBlockResponse.parser());
  }

  private static BeginBlockRequest request(
      BlockName name, long capacity, long room, boolean local) {
    return BeginBlockRequest.newBuilder()
        .setName(name)
        .setCapacity(capacity)
        .setRoom(room)
        .setLocal(local)
        .build();
  }

  /**
   * Asks a worker on this host to begin a block, and does not wait for its answer.
   *
   * @return null when its files may not be opened, or it is not to be reached
   */
  public BlockAhead beginAhead(WorkerAddress worker, BlockName name, long capacity, long room) {
    if (!isLocal(worker)) {
      return null;
    }
    WorkerCall call = null;
    try {
      call = new WorkerCall(connections, worker);
      return new BlockAhead(call, request(name, capacity, room, true));
    } catch (IOException e) {
      if (call != null) {
        call.close();
      }
      return null;
    }
  }

  /**
   * The writer of a block that was asked for ahead; null when another one has to be begun.
   *
   * @param sum of the file, gets the block's
   */
  public BlockWriter begin(BlockAhead ahead, FileChecksum sum) {
    try {
      return ahead.writer(sum);
    } catch (IOException e) {
      if (e instanceof FileSystemException failure) {
        notOpened(ahead.worker(), failure);
      }
      ahead.close();
      return null;
    }
  }

  /**
   * Opens a block.
   *
   * @param length of the block, as the master says
   * @throws IOException when the worker does not have it so long, or is not to be reached
   */
  public BlockReader open(WorkerAddress worker, BlockName name, long length) throws IOException {
    BlockReader reader = isLocal(worker) ? openLocal(worker, name) : null;
    if (reader == null) {
      reader = RemoteBlockReader.stored(new WorkerCall(connections, worker), name, length);
    }
    if (reader.length() != length) {
      reader.close();
      throw new IOException(
          "fid=%016x block=%d has %d bytes on worker %s, not %d"
              .formatted(
                  name.getFid(), name.getBlock(), reader.length(), worker.getHost(), length));
    }
    return reader;
  }

  private BlockReader openLocal(WorkerAddress worker, BlockName name) throws IOException {
    try (WorkerCall call = new WorkerCall(connections, worker)) {
      ShareBlockRequest request = ShareBlockRequest.newBuilder().setName(name).build();
      ShareBlockResponse shared =
          call.ask(WorkerService.SHARE, request, ShareBlockResponse.parser());
      return new LocalBlockReader(
          name,
          Path.of(shared.getPath()),
          shared.getFileLength(),
          Backing.of(shared),
          SpareProcessors.OF_PROCESS);
    } catch (FileSystemException e) {
      notOpened(worker, e);
      return null;
    }
  }

  /** Tells a worker that bytes of a block were not what was written. */
  public void suspect(WorkerAddress worker, BlockName name) throws IOException {
    try (WorkerCall call = new WorkerCall(connections, worker)) {
      SuspectBlockRequest request = SuspectBlockRequest.newBuilder().setName(name).build();
      call.ask(WorkerService.SUSPECT, request, SuspectBlockResponse.parser());
    }
  }

  // ---- below

  /**
   * Begins the copy of a file below, which a worker writes.
   *
   * @param name of any block of the file
   * @throws RemoteException when the worker refuses
   */
  public CopyWriter copy(WorkerAddress worker, BlockName name) throws IOException {
    WorkerCall call = new WorkerCall(patient, worker);
    boolean begun = false;
    try {
      CopyWriter writer = new CopyWriter(call, name);
      begun = true;
      return writer;
    } finally {
      if (!begun) {
        call.close();
      }
    }
  }

  /**
   * Has a worker copy a complete file below; returns when the master has recorded the copy.
   *
   * @param name of any block of the file
   */
  public void copyFile(WorkerAddress worker, BlockName name) throws IOException {
    try (WorkerCall call = new WorkerCall(patient, worker)) {
      CopyFileRequest request =
          CopyFileRequest.newBuilder().setFid(name.getFid()).setToken(name.getToken()).build();
      call.ask(WorkerService.COPY_FILE, request, null);
    }
  }

  /**
   * Has a worker load a block from below.
   *
   * @return where it is now
   * @throws RemoteException NO_SPACE when the worker is full; CONFLICT when the file below is not
   *     the one that the master knows
   */
  public int load(WorkerAddress worker, BlockName name) throws IOException {
    return load(worker, LoadBlockRequest.newBuilder().setName(name).build());
  }

  /**
   * Has a worker copy a block from another one that has it.
   *
   * @return where the copy is
   * @throws RemoteException NO_SPACE when the worker has no room for copies, BUSY when it has too
   *     many to make, NOT_HELD when no other worker gives the block
   */
  public int copyBlock(WorkerAddress worker, BlockName name) throws IOException {
    return load(worker, LoadBlockRequest.newBuilder().setName(name).setFromWorker(true).build());
  }

  private int load(WorkerAddress worker, LoadBlockRequest request) throws IOException {
    try (WorkerCall call = new WorkerCall(patient, worker)) {
      return call.ask(WorkerService.LOAD, request, LoadBlockResponse.parser()).getPlace();
    }
  }

  /**
   * Opens a block that is below, for a worker to read it there.
   *
   * @param length of the block
   * @param start of the block in its file
   */
  public BlockReader openBelow(WorkerAddress worker, BlockName name, long length, long start)
      throws IOException {
    return RemoteBlockReader.below(new WorkerCall(patient, worker), name, length, start);
  }

  @Override
  public void close() {
    connections.close();
    patient.close();
  }
}
