package dev.sailfish.blockstore;

import dev.sailfish.blockstore.file.PageMaker;
import dev.sailfish.blockstore.file.StoreFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Real files, of which each step can fail: once, or with all that follow, as the end of the process
 * does it. After a power cut content that was not forced is wrong, and of each directory the last
 * changes of names since they were forced are undone, some or all.
 */
final class FaultyFiles implements StoreFiles {
  /** What a store may forget to force. */
  enum Unforced {
    NOTHING,
    CONTENT,
    NAMES
  }

  private interface Undo {
    void run() throws IOException;
  }

  private final Path graves;
  private final Unforced forgotten;
  private final Set<Path> unforced = new HashSet<>();
  private final Map<Path, List<Undo>> names = new HashMap<>();
  private int deleted;
  private int left = Integer.MAX_VALUE;
  private boolean forGood;
  private boolean hit;
  private Runnable atStep = () -> {};

  /**
   * @param graves where deleted files wait, on the same file system
   */
  FaultyFiles(Path graves) throws IOException {
    this(graves, Unforced.NOTHING);
  }

  /**
   * The same for a store that is to be found out.
   *
   * @param forgotten is not forced, as if the store did not ask for it
   */
  FaultyFiles(Path graves, Unforced forgotten) throws IOException {
    this.graves = Files.createDirectories(graves);
    this.forgotten = forgotten;
  }

  /** What was done so far outlives everything; the step after {@code steps} more fails. */
  void failAfter(int steps, boolean andAllThatFollow) {
    unforced.clear();
    names.clear();
    left = steps;
    forGood = andAllThatFollow;
    hit = false;
  }

  /** The process ends here: nothing is done any more. */
  void end() {
    hit = true;
    forGood = true;
  }

  /** Runs something on the thread that does the next step, before it. */
  void beforeNextStep(Runnable action) {
    atStep =
        () -> {
          atStep = () -> {};
          action.run();
        };
  }

  /** Whether a step has failed. */
  boolean wasHit() {
    return hit;
  }

  /** After the process has ended: lets the disks have what they are sure of. */
  void cutPower(Random random) throws IOException {
    for (Path file : unforced) {
      if (Files.exists(file)) {
        byte[] wrong = new byte[random.nextInt((int) Files.size(file) + 1)];
        random.nextBytes(wrong);
        Files.write(file, wrong);
      }
    }
    for (List<Undo> changes : names.values()) {
      int kept = random.nextInt(changes.size() + 1);
      for (int i = changes.size() - 1; i >= kept; i--) {
        changes.get(i).run();
      }
    }
  }

  private void step() throws IOException {
    atStep.run();
    if (hit && forGood) {
      throw new IOException("the process has ended");
    }
    if (left-- == 0) {
      hit = true;
      throw new IOException("this step fails");
    }
  }

  private void changed(Path name, Undo undo) {
    names.computeIfAbsent(name.getParent(), directory -> new ArrayList<>()).add(undo);
  }

  @Override
  public void create(Path file) throws IOException {
    step();
    StoreFiles.super.create(file);
    changed(file, () -> Files.deleteIfExists(file));
  }

  @Override
  public void write(RandomAccessFile file, Path path, byte[] bytes, int length) throws IOException {
    unforced.add(path);
    step();
    StoreFiles.super.write(file, path, bytes, length);
  }

  @Override
  public PageMaker pages(RandomAccessFile file, Path path) throws IOException {
    PageMaker pages = StoreFiles.super.pages(file, path);
    return new PageMaker() {
      @Override
      public long make(long from, long to) throws IOException {
        unforced.add(path);
        step();
        return pages.make(from, to);
      }

      @Override
      public void makeHuge(long from, long to) {
        pages.makeHuge(from, to);
      }

      @Override
      public void close() throws IOException {
        pages.close();
      }
    };
  }

  @Override
  public void resize(RandomAccessFile file, Path path, long length) throws IOException {
    step();
    StoreFiles.super.resize(file, path, length);
  }

  @Override
  public void force(RandomAccessFile file, Path path) throws IOException {
    step();
    StoreFiles.super.force(file, path);
    if (forgotten != Unforced.CONTENT) {
      unforced.remove(path);
    }
  }

  @Override
  public void forceNames(Path directory) throws IOException {
    step();
    StoreFiles.super.forceNames(directory);
    if (forgotten != Unforced.NAMES) {
      names.remove(directory);
    }
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    step();
    StoreFiles.super.rename(from, to);
    if (unforced.remove(from)) {
      unforced.add(to);
    }
    changed(
        from,
        () -> {
          Files.move(to, from);
          if (unforced.remove(to)) {
            unforced.add(from);
          }
        });
  }

  @Override
  public void delete(Path file) throws IOException {
    step();
    if (Files.exists(file)) {
      Path grave = graves.resolve(Integer.toString(deleted++));
      Files.createLink(grave, file);
      StoreFiles.super.delete(file);
      changed(file, () -> Files.move(grave, file));
    }
  }
}
