package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.block.BlockAccess;
import dev.sailfish.lineage.protocol.wire.BlockLocation;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.ListEntriesResponse;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** Loads and copies files and trees. Waits; thread-safe. */
final class Transfers {
  private static final int TIER_BITS = 2;

  /** Files that are loaded or copied at once. */
  private static final int THREADS = 4;

  private static final int WAITING = 100;

  private final NamespaceClient namespace;
  private final BlockAccess access;

  Transfers(NamespaceClient namespace, BlockAccess access) {
    this.namespace = namespace;
    this.access = access;
  }

  /** Loads the blocks of a file, or of all files of a tree, that are below and at no worker. */
  TransferOutcome load(String path) throws IOException {
    return walk(path, this::load);
  }

  /** Copies a file, or all complete files of a tree, below that are not there. */
  TransferOutcome copy(String path) throws IOException {
    return walk(path, this::copy);
  }

  /** What is done with one file; returns how many bytes that were. */
  private interface Work {
    long with(String path, FileEntry entry) throws IOException;
  }

  private TransferOutcome walk(String path, Work work) throws IOException {
    Tally tally = new Tally(work);
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            new ThreadPoolExecutor.CallerRunsPolicy());
    try {
      Deque<String> directories = new ArrayDeque<>();
      directories.push(path);
      while (!directories.isEmpty()) {
        String directory = directories.pop();
        forEach(
            directory,
            (name, entry) -> {
              if (entry.getDirectory()) {
                directories.push(name);
              } else {
                threads.execute(() -> tally.file(name, entry));
              }
            });
      }
    } finally {
      threads.shutdown();
    }
    try {
      // Each file's calls have deadlines of their own.
      if (!threads.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS)) {
        throw new IOException("not all files of " + path + " were looked at");
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted: " + path).initCause(e);
    }
    return tally.outcome();
  }

  private void forEach(String directory, BiConsumer<String, FileEntry> entries) throws IOException {
    String after = "";
    boolean more = true;
    while (more) {
      ListEntriesResponse page = namespace.list(directory, after, 0);
      for (FileEntry entry : page.getEntriesList()) {
        String name = page.getFile() ? directory : child(directory, entry.getName());
        entries.accept(name, entry);
      }
      more = page.getMore();
      after = more ? page.getEntries(page.getEntriesCount() - 1).getName() : "";
    }
  }

  private static String child(String directory, String name) {
    return directory.endsWith("/") ? directory + name : directory + "/" + name;
  }

  /** Counts. */
  private static final class Tally {
    private final Work work;
    private final Map<String, IOException> failures = new HashMap<>();
    private long files;
    private long done;
    private long bytes;
    private long failed;

    Tally(Work work) {
      this.work = work;
    }

    void file(String path, FileEntry entry) {
      try {
        count(work.with(path, entry));
      } catch (IOException e) {
        fail(path, e);
      }
    }

    private synchronized void count(long count) {
      files++;
      done += count >= 0 ? 1 : 0;
      bytes += Math.max(0, count);
    }

    private synchronized void fail(String path, IOException failure) {
      files++;
      failed++;
      if (failures.size() < TransferOutcome.MOST_FAILURES) {
        failures.put(path, failure);
      }
    }

    synchronized TransferOutcome outcome() {
      return new TransferOutcome(files, done, bytes, failed, Map.copyOf(failures));
    }
  }

  private long load(String path, FileEntry listed) throws IOException {
    if (!listed.getBelow() || listed.getLength() == 0) {
      return -1;
    }
    OpenFileResponse opened = namespace.open(path, 0);
    FileEntry entry = opened.getEntry();
    int blocks = blocks(entry);
    Set<Integer> there = new HashSet<>();
    int known = 0;
    while (known < blocks) {
      OpenFileResponse told = known == 0 ? opened : namespace.open(path, known, 0);
      int last = known;
      for (BlockLocation block : told.getBlocksList()) {
        there.add(block.getBlock());
        last = block.getBlock() + 1;
      }
      known = last > known ? last : blocks;
    }
    FileGrant grant = grant(path, opened);
    long bytes = 0;
    for (int block = 0; block < blocks; block++) {
      if (!there.contains(block)) {
        loadBlock(opened.getReadersList(), entry, grant, block);
        bytes += Math.min(entry.getBlockSize(), entry.getLength() - block * entry.getBlockSize());
      }
    }
    return bytes == 0 ? -1 : bytes;
  }

  private static int blocks(FileEntry entry) {
    return (int) ((entry.getLength() + entry.getBlockSize() - 1) / entry.getBlockSize());
  }

  private FileGrant grant(String path, OpenFileResponse opened) {
    return new FileGrant(
        opened.getEntry().getFid(),
        opened.getBlockToken(),
        () -> namespace.open(path, 1).getBlockToken());
  }

  private void loadBlock(List<WorkerAddress> readers, FileEntry entry, FileGrant grant, int block)
      throws IOException {
    IOException last = new IOException("no worker may read " + entry.getName() + " below");
    for (WorkerAddress worker : readers) {
      try {
        grant.with(() -> access.load(worker, grant.name(block)));
        return;
      } catch (IOException e) {
        e.addSuppressed(last);
        last = e;
      }
    }
    throw last;
  }

  private long copy(String path, FileEntry listed) throws IOException {
    if (listed.getBelow() || !listed.getComplete()) {
      return -1;
    }
    OpenFileResponse opened = namespace.open(path, 0);
    access.copyFile(copier(opened), grant(path, opened).name(0));
    return opened.getEntry().getLength();
  }

  /** The worker that has the first block, or one that may read and write below. */
  private static WorkerAddress copier(OpenFileResponse opened) throws IOException {
    Set<Integer> first =
        opened.getBlocksList().stream()
            .limit(1)
            .flatMap(block -> block.getPlacesList().stream())
            .map(place -> place >>> TIER_BITS)
            .collect(Collectors.toSet());
    for (WorkerAddress worker : opened.getWorkersList()) {
      if (first.contains(worker.getNumber())) {
        return worker;
      }
    }
    if (opened.getReadersCount() == 0) {
      throw new IOException("no worker copies " + opened.getEntry().getName() + ": do any run?");
    }
    return opened.getReaders(0);
  }
}
