package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.dependency.OutputState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Files and how they were made, the simplest way: all is found out anew each time. */
final class LineageModel {
  private final TreeMap<Long, File> files = new TreeMap<>();
  private final TreeMap<Long, Made> made = new TreeMap<>();

  /** Outputs that were complete and were deleted. */
  private final TreeMap<Long, File> deleted = new TreeMap<>();

  /** A dependency. */
  private static final class Made {
    final String name;
    final List<Long> inputs;
    final List<Long> outputs;
    boolean isGrowing;
    long grewMs;

    Made(String name, List<Long> inputs, List<Long> outputs) {
      this.name = name;
      this.inputs = List.copyOf(inputs);
      this.outputs = new ArrayList<>(outputs);
    }
  }

  /** A worker, and of which files it has the block: the right bytes or others. */
  static final class Holder {
    final long id;
    final Map<Long, Boolean> blocks = new HashMap<>();
    int number;

    Holder(long id) {
      this.id = id;
    }
  }

  /** A file of one block. */
  static final class File {
    final long fid;
    final long writer;
    final Set<Holder> holders = new LinkedHashSet<>();

    /** Where attempts may have left blocks. */
    final Set<Holder> doubted = new HashSet<>();

    String path;
    boolean isComplete;
    boolean isBelow;
    boolean isInterrupted;
    boolean isGivenUp;
    boolean isDeleted;

    /** It was deleted, and somebody has begun to make it again; and has ended that well. */
    boolean isRevived;

    boolean isWhole;

    /** Who writes it again; 0: nobody does. */
    long attempt;

    Holder at;

    File(long fid, String path, long writer) {
      this.fid = fid;
      this.path = path;
      this.writer = writer;
    }

    boolean isMounted() {
      return path.startsWith("/m/");
    }
  }

  File add(long fid, String path, long writer) {
    File file = new File(fid, path, writer);
    files.put(fid, file);
    return file;
  }

  void removeAt(String path) {
    for (File file : List.copyOf(files.values())) {
      if (file.path.equals(path)) {
        files.remove(file.fid);
        delete(file);
      }
    }
  }

  private void delete(File file) {
    file.isDeleted = true;
    forget(file);
    if (file.isComplete && isOutput(file.fid)) {
      deleted.put(file.fid, file);
    }
  }

  private static void forget(File file) {
    file.isRevived = false;
    file.isWhole = false;
    file.attempt = 0;
    file.at = null;
    file.holders.clear();
  }

  /** Deleted files that are made again. */
  List<File> revived() {
    return deleted.values().stream().filter(file -> file.isRevived).toList();
  }

  /** One that was deleted, most times one that is needed, or null. */
  File anyDeleted(Random random) {
    List<File> needed = deleted.values().stream().filter(file -> isNeeded(file.fid)).toList();
    boolean isAny = needed.isEmpty() || random.nextInt(5) == 0;
    List<File> all = isAny ? List.copyOf(deleted.values()) : needed;
    return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
  }

  /**
   * Whether something that is lost and not given up is made of a file, be it by way of others that
   * are away.
   */
  boolean isNeeded(long fid) {
    return made.values().stream()
        .filter(one -> one.inputs.contains(fid))
        .flatMap(one -> one.outputs.stream())
        .anyMatch(output -> isWanted(output) || isAway(output) && isNeeded(output));
  }

  private boolean isWanted(long fid) {
    return state(fid).isLost() && !files.get(fid).isGivenUp;
  }

  private boolean isAway(long fid) {
    return !files.containsKey(fid) && state(fid) != OutputState.REVIVED;
  }

  /** Whether it may be begun to write a file again. */
  boolean isFree(File file) {
    return file.attempt == 0 && (!file.isDeleted || !file.isWhole && isNeeded(file.fid));
  }

  Collection<File> files() {
    return files.values();
  }

  /** One of them, or null. */
  File any(Random random, Predicate<File> which) {
    List<File> all = files.values().stream().filter(which).toList();
    return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
  }

  /** A worker is another one now, of which nothing is known. */
  void forget(Holder holder) {
    files.values().forEach(file -> file.holders.remove(holder));
    deleted.values().forEach(file -> file.holders.remove(holder));
  }

  boolean isOutput(long fid) {
    return made.values().stream().anyMatch(one -> one.outputs.contains(fid));
  }

  /** Whether a dependency may be recorded. */
  boolean fits(List<Long> inputs, List<Long> outputs) {
    boolean isNew = outputs.stream().noneMatch(this::isOutput);
    boolean isOnce = new HashSet<>(outputs).size() == outputs.size();
    return isNew && isOnce && !isCycle(inputs, outputs);
  }

  private boolean isCycle(List<Long> inputs, List<Long> outputs) {
    for (long input : inputs) {
      boolean isAbove =
          made.values().stream()
              .anyMatch(one -> one.outputs.contains(input) && isCycle(one.inputs, outputs));
      if (isAbove || outputs.contains(input)) {
        return true;
      }
    }
    return false;
  }

  void record(long id, String name, List<Long> inputs, List<Long> outputs) {
    made.put(id, new Made(name, inputs, outputs));
  }

  /** The dependency of this name, or null. */
  Long named(String name) {
    for (Map.Entry<Long, Made> entry : made.entrySet()) {
      if (!name.isEmpty() && entry.getValue().name.equals(name)) {
        return entry.getKey();
      }
    }
    return null;
  }

  /** Dependencies to which outputs may be added. */
  List<Long> growing() {
    return made.keySet().stream().filter(id -> made.get(id).isGrowing).toList();
  }

  void grows(long id, long nowMs) {
    made.get(id).isGrowing = true;
    made.get(id).grewMs = nowMs;
  }

  void grow(long id, long fid, long nowMs) {
    made.get(id).outputs.add(fid);
    made.get(id).grewMs = nowMs;
  }

  void seal(long id) {
    made.get(id).isGrowing = false;
  }

  void sealIdle(long sinceMs) {
    made.values().stream()
        .filter(one -> one.grewMs < sinceMs)
        .forEach(one -> one.isGrowing = false);
  }

  List<Long> outputs(long id) {
    return made.get(id).outputs;
  }

  OutputState state(long fid) {
    File file = files.get(fid);
    if (file == null) {
      File gone = deleted.get(fid);
      boolean isRevived = gone != null && gone.isRevived;
      OutputState revived = isRevived && gone.isWhole ? OutputState.REVIVED : OutputState.REVIVING;
      return isRevived ? revived : OutputState.DELETED;
    } else if (!file.isComplete) {
      return OutputState.PENDING;
    } else if (file.isBelow) {
      return OutputState.BELOW;
    } else if (file.attempt != 0) {
      return OutputState.RECOMPUTING;
    } else if (file.isInterrupted) {
      return OutputState.INTERRUPTED;
    }
    return file.holders.isEmpty() ? OutputState.LOST : OutputState.STORED;
  }

  /** A worker says that it has a block. */
  void said(Holder holder, long fid) {
    File file = files.getOrDefault(fid, deleted.get(fid));
    boolean isThere = file != null && (!file.isDeleted || file.isRevived);
    boolean isDoubtful = isThere && isOutput(fid) && isDoubtful(file);
    if (isThere && !isDoubtful && !file.doubted.contains(holder)) {
      file.holders.add(holder);
    }
  }

  private boolean isDoubtful(File file) {
    OutputState state = state(file.fid);
    return state.isDoubtful();
  }

  /** The outputs that are lost. */
  List<Long> lost() {
    List<Long> lost = new ArrayList<>();
    for (Made one : made.values()) {
      one.outputs.stream().filter(fid -> state(fid).isLost()).forEach(lost::add);
    }
    return lost;
  }

  List<Long> dependencies() {
    return List.copyOf(made.keySet());
  }

  /** Removes all that nobody can need. */
  void collect() {
    boolean more = true;
    while (more) {
      List<Long> kept = made.keySet().stream().filter(id -> isKept(made.get(id))).toList();
      more = made.keySet().retainAll(kept);
    }
    deleted.keySet().removeIf(fid -> !isOutput(fid));
    files.values().forEach(file -> file.isGivenUp &= state(file.fid) == OutputState.LOST);
    deleted.values().forEach(file -> file.isWhole &= !file.holders.isEmpty());
    revived().stream().filter(file -> !isNeeded(file.fid)).forEach(LineageModel::forget);
  }

  private boolean isKept(Made one) {
    boolean isOpen = one.isGrowing || one.outputs.stream().anyMatch(fid -> !state(fid).isSettled());
    boolean isNeeded =
        made.values().stream()
            .filter(
                reader ->
                    reader.isGrowing
                        || reader.outputs.stream().anyMatch(fid -> state(fid) != OutputState.BELOW))
            .anyMatch(reader -> reader.inputs.stream().anyMatch(one.outputs::contains));
    return isOpen || isNeeded;
  }
}
