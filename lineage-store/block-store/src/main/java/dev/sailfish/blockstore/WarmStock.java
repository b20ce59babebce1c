package dev.sailfish.blockstore;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Files whose pages were made ahead, in idle times, for segments that are lent. None of them was
 * ever a segment's: they hold zeros, so that nobody sees another one's bytes. They are as long as
 * the segments that were lent of late, and as many of each length in proportion, because what is
 * too long is cut off at the seal and lost. Guarded by the directory's monitor.
 */
final class WarmStock {
  /** Shorter files are not made ahead: what they save is less than what keeping them costs. */
  private static final long SHORTEST = 64L << 10;

  /** Each of them is an open file. */
  private static final int MOST_FILES = 512;

  /** How many segments say what the next ones will be like. */
  private static final int REMEMBERED = 64;

  /** Lengths are rounded down to this part of their highest bit: what is missing is not warm. */
  private static final int STEPS_PER_DOUBLING = 4;

  /** Who claims less at the beginning knows the length; others go on from there. */
  private static final long OPEN_END = 8L << 20;

  private static final int MOST_EXTRA = 2;
  private static final int MOST_EXTRA_OF_OPEN_END = 8;

  /**
   * What a file is made for.
   *
   * @param capacity how many bytes can be mapped of it
   * @param bytes how many are warm when it is done
   */
  record Shape(long capacity, long bytes) {}

  private final long mostBytes;
  private final Deque<Shape> recent = new ArrayDeque<>(REMEMBERED);
  private final Map<BackingFile, Shape> files = new LinkedHashMap<>();

  /** Files that are done, by shape: there are hundreds of files, and few shapes. */
  private final Map<Shape, Deque<BackingFile>> done = new LinkedHashMap<>();

  private final Set<BackingFile> unfinished = new LinkedHashSet<>();
  private long bytes; // that are warm when all are done
  private boolean complete;

  /**
   * @param mostBytes how much may be warm in it
   */
  WarmStock(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /**
   * A lent segment has come back.
   *
   * @param pages its length, in bytes of whole pages
   */
  void ended(long capacity, long pages) {
    if (mostBytes == 0 || pages < SHORTEST) {
      return;
    }
    if (recent.size() == REMEMBERED) {
      recent.removeLast();
    }
    long step =
        Math.max(BlockStoreConfig.PAGE_BYTES, Long.highestOneBit(pages) / STEPS_PER_DOUBLING);
    complete = false;
    recent.addFirst(new Shape(capacity, pages / step * step));
  }

  int size() {
    return files.size();
  }

  /** Whether nothing was missing, and nothing has changed since. */
  boolean isComplete() {
    return complete;
  }

  /** Nothing is missing. */
  void complete() {
    complete = true;
  }

  void add(BackingFile file, Shape shape) {
    complete = false;
    files.put(file, shape);
    bytes += shape.bytes;
    if (file.warm < shape.bytes) {
      unfinished.add(file);
    } else {
      done.computeIfAbsent(shape, made -> new ArrayDeque<>()).add(file);
    }
  }

  /** What the file is made for. */
  Shape shape(BackingFile file) {
    return files.get(file);
  }

  /** Nothing where the file is not in it, or is null. */
  void remove(BackingFile file) {
    complete = false;
    Shape shape = files.remove(file);
    if (shape == null) {
      return;
    }
    bytes -= shape.bytes;
    if (!unfinished.remove(file)) {
      Deque<BackingFile> alike = done.get(shape);
      alike.remove(file);
      if (alike.isEmpty()) {
        done.remove(shape);
      }
    }
  }

  /** The one that was made last; null when there is none. */
  BackingFile last() {
    BackingFile last = null;
    for (BackingFile file : files.keySet()) {
      last = file;
    }
    return last;
  }

  /**
   * Takes a file of which not too much would be cut off again: one like the last that came back if
   * more may be written than is claimed, else the shortest.
   *
   * @param claimed how many bytes are wanted at once
   * @return null when there is none
   */
  BackingFile take(long capacity, long claimed) {
    boolean isOpenEnd = claimed >= OPEN_END;
    long least = isOpenEnd ? 0 : claimed / 2;
    Comparator<BackingFile> isUnlikeLast =
        Comparator.comparing(file -> isOpenEnd && !files.get(file).equals(recent.peekFirst()));
    BackingFile best =
        oneOfEachKind()
            .filter(file -> file.capacity() >= capacity && file.warm >= least)
            .filter(file -> isBounded(file, claimed))
            .min(isUnlikeLast.thenComparingLong(file -> file.warm))
            .orElse(null);
    remove(best);
    return best;
  }

  private Stream<BackingFile> oneOfEachKind() {
    return Stream.concat(done.values().stream().map(Deque::peek), unfinished.stream());
  }

  /** Whether the file has not so much more that too much would be lost. */
  static boolean isBounded(BackingFile file, long claimed) {
    return file.warm <= claimed * (claimed < OPEN_END ? MOST_EXTRA : MOST_EXTRA_OF_OPEN_END);
  }

  /** A file that is not done yet; null when there is none. */
  BackingFile unfinished() {
    return unfinished.isEmpty() ? null : unfinished.iterator().next();
  }

  /** The shape of which there is too little; null when there is enough. */
  Shape missing() {
    Map<Shape, Long> wanted = wanted();
    Map<Shape, Long> present = present();
    return wanted.keySet().stream()
        .filter(shape -> present.getOrDefault(shape, 0L) < wanted.get(shape))
        .min(
            Comparator.comparingDouble(
                shape -> present.getOrDefault(shape, 0L) / (double) wanted.get(shape)))
        .orElse(null);
  }

  /** What is in the way of a further file of this shape; null when there is room for it. */
  BackingFile surplus(Shape next) {
    if (bytes + next.bytes <= mostBytes && files.size() < MOST_FILES) {
      return null;
    }
    Map<Shape, Long> wanted = wanted();
    Map<Shape, Long> present = present();
    return oneOfEachKind()
        .filter(file -> present.get(files.get(file)) > wanted.getOrDefault(files.get(file), 0L))
        .findFirst()
        .orElse(null);
  }

  private Map<Shape, Long> wanted() {
    long total = recent.stream().mapToLong(Shape::bytes).sum();
    double times = Math.min((double) mostBytes / total, (double) MOST_FILES / recent.size());
    Map<Shape, Long> wanted = counted(recent.stream());
    wanted.replaceAll((shape, count) -> (long) (times * count));
    return wanted;
  }

  private Map<Shape, Long> present() {
    Map<Shape, Long> present = counted(unfinished.stream().map(files::get));
    done.forEach((shape, alike) -> present.merge(shape, (long) alike.size(), Long::sum));
    return present;
  }

  private static Map<Shape, Long> counted(Stream<Shape> shapes) {
    return shapes.collect(
        Collectors.groupingBy(Function.identity(), LinkedHashMap::new, Collectors.counting()));
  }

  /** The next segments will be like none before. */
  void forget() {
    complete = false;
    recent.clear();
  }
}
