package dev.sailfish.lineage.master.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sailfish.lineage.master.namespace.Below;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Quota;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.namespace.Usage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * What holds of the master's state after each step of {@link UseScheduleTest}:
 *
 * <ul>
 *   <li>QUOTA_IS_KEPT: no directory gets more than its quota, but by what is found below.
 *   <li>USE_IS_COUNTED: what a quota says is used is what a walk counts.
 *   <li>EXPIRED_GO: a file whose time is over is gone, unless it is below: then it is only freed.
 *   <li>CLOSED_IS_KEPT: a closed file goes only when it is deleted, replaced, expired, or gone
 *       below; until then no worker hears that its blocks are unneeded.
 *   <li>DATA_IS_SOMEWHERE: each block of a closed file is with a worker, or below, unless workers
 *       have lost it, or somebody else has changed what is below.
 *   <li>BELOW_IS_WHOLE: what is recorded as a file's copy has all its bytes.
 *   <li>PIN_IS_KNOWN: a file is pinned if it is, or a directory that it is in.
 *   <li>ONE_NAME: no two files have one name, and no file two.
 *   <li>WHOLE_OR_ERROR: a reader gets the bytes that the file was closed with, or an error.
 *   <li>NOTHING_STAYS: in the end workers have blocks of files that are there, and no others.
 * </ul>
 */
final class UseChecks {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final int BLOCK_LOG = 16;

  record Block(long fid, int number) {}

  /** What a file was closed with. */
  record Closed(long data, long length) {}

  private record Ending(long atMs, boolean isFreed) {}

  /** A worker as it really is. */
  static final class Holder {
    final long id;

    /** What it has, and what is in it. */
    final Map<Block, Long> blocks = new LinkedHashMap<>();

    /** Files that it takes to be below. */
    final Set<Long> below = new HashSet<>();

    int number;

    Holder(long id) {
      this.id = id;
    }

    void clear() {
      blocks.clear();
      below.clear();
      number = 0;
    }
  }

  private final BelowWorld world;
  private final List<Holder> holders;
  private final Map<Long, Closed> closed = new HashMap<>();
  private final Map<Long, Ending> endings = new HashMap<>();
  private final Set<Long> pins = new HashSet<>();
  private final Set<Block> lost = new HashSet<>();

  /** What others have put below, or taken away. */
  private final Set<Long> touched = new HashSet<>();

  // As the last walk has found it.
  private Map<Long, String> paths = new HashMap<>();
  private Map<Long, Usage> usages = new HashMap<>();
  private Map<Long, Quota> quotas = new HashMap<>();

  // Of this step.
  private final List<String> maybeGone = new ArrayList<>();
  private final Set<Long> expired = new HashSet<>();
  private boolean isSeen;

  UseChecks(BelowWorld world, List<Holder> holders) {
    this.world = world;
    this.holders = holders;
  }

  // ---- what a step says

  void begin() {
    maybeGone.clear();
    expired.clear();
    isSeen = false;
  }

  /** What is at a path or below it may go with this step. */
  void mayGo(String path) {
    maybeGone.add(path);
  }

  /** Something is taken into the tree that was found below. */
  void isSeen() {
    isSeen = true;
  }

  boolean isClosed(long fid) {
    return closed.containsKey(fid);
  }

  void closed(long fid, Closed file) {
    closed.put(fid, file);
  }

  /**
   * @param atMs when the time of a file is over; 0: never
   */
  void ends(long fid, long atMs, boolean isFreed) {
    endings.remove(fid);
    if (atMs != 0) {
      endings.put(fid, new Ending(atMs, isFreed));
    }
  }

  void pinned(long fid, boolean isPinned) {
    pins.remove(fid);
    if (isPinned) {
      pins.add(fid);
    }
  }

  /** Files go whose time is over. */
  void expire(Namespace namespace, long nowMs) {
    endings.forEach(
        (fid, ending) -> {
          if (ending.atMs <= nowMs && !ending.isFreed && !namespace.isBelow(fid)) {
            expired.add(fid);
          }
        });
    endings.values().removeIf(ending -> ending.atMs <= nowMs);
  }

  /** Somebody else changes what is at a path or below it. */
  void touched(String path) {
    paths.forEach(
        (fid, name) -> {
          if (BelowWorld.isWithin(name, path)) {
            touched.add(fid);
          }
        });
  }

  /** A worker loses all that it has. */
  void lost(Holder holder) {
    lost.addAll(holder.blocks.keySet());
  }

  /** A worker is told that nobody needs blocks of these files. */
  void unneeded(Set<Long> fids) {
    for (long fid : fids) {
      assertThat(paths.containsKey(fid) && closed.containsKey(fid) && !isExplained(fid))
          .as("CLOSED_IS_KEPT")
          .isFalse();
    }
  }

  private boolean isExplained(long fid) {
    String path = paths.get(fid);
    return expired.contains(fid)
        || maybeGone.stream().anyMatch(gone -> BelowWorld.isWithin(path, gone));
  }

  // ---- what must hold

  void check(Namespace namespace) throws NamespaceException {
    Map<Long, String> before = paths;
    Map<Long, Usage> usedBefore = usages;
    Map<Long, Quota> quotasBefore = quotas;
    Map<Long, String> found = new HashMap<>();
    usages = new HashMap<>();
    quotas = new HashMap<>();
    walk(namespace, new Found("", false, found));
    for (long fid : closed.keySet()) {
      if (before.containsKey(fid) && !found.containsKey(fid)) {
        assertThat(isExplained(fid)).as("CLOSED_IS_KEPT %s", before.get(fid)).isTrue();
      }
    }
    expired.forEach(fid -> assertThat(found).as("EXPIRED_GO").doesNotContainKey(fid));
    paths = found;
    closed.keySet().retainAll(found.keySet());
    quotas.forEach(
        (fid, quota) -> {
          boolean isNew = isSeen || !quotasBefore.containsKey(fid);
          checkQuota(quota, isNew ? quota.used() : usedBefore.get(fid));
        });
    for (Map.Entry<Long, Closed> each : closed.entrySet()) {
      checkData(namespace, each.getKey(), each.getValue());
    }
  }

  private static void checkQuota(Quota quota, Usage before) {
    if (quota.names() != Quota.NO_LIMIT) {
      assertThat(quota.used().names())
          .as("QUOTA_IS_KEPT")
          .isLessThanOrEqualTo(Math.max(quota.names(), before.names()));
    }
    if (quota.bytes() != Quota.NO_LIMIT) {
      assertThat(quota.used().bytes())
          .as("QUOTA_IS_KEPT")
          .isLessThanOrEqualTo(Math.max(quota.bytes(), before.bytes()));
    }
  }

  /** Where a walk is, and what it has found. */
  private record Found(String path, boolean isPinned, Map<Long, String> files) {}

  private Usage walk(Namespace namespace, Found at) throws NamespaceException {
    StorePath path = StorePath.of(at.path.isEmpty() ? "/" : at.path);
    long directory = namespace.stat(path, ROOT).fid();
    boolean isPinned = at.isPinned || pins.contains(directory);
    long files = 0;
    long directories = 1;
    long bytes = 0;
    String last = "";
    for (FileInfo info : namespace.list(path, "", 1_000, ROOT)) {
      assertThat(info.name()).as("ONE_NAME").isGreaterThan(last);
      last = info.name();
      String name = at.path + "/" + info.name();
      assertThat(at.files.put(info.fid(), name)).as("ONE_NAME").isNull();
      if (info.isDirectory()) {
        Usage below = walk(namespace, new Found(name, isPinned, at.files));
        files += below.files();
        directories += below.directories();
        bytes += below.bytes();
      } else {
        files++;
        bytes += info.length();
        assertThat(namespace.uses().pins().isPinned(info.fid()))
            .as("PIN_IS_KNOWN %s", name)
            .isEqualTo(isPinned || pins.contains(info.fid()));
        appear(namespace, info, name);
      }
    }
    Usage usage = new Usage(files, directories, bytes);
    Optional<Quota> quota = namespace.uses().quotas().of(path, ROOT);
    quota.ifPresent(has -> assertThat(has.used()).as("USE_IS_COUNTED").isEqualTo(usage));
    quota.ifPresent(has -> quotas.put(directory, has));
    usages.put(directory, usage);
    return usage;
  }

  /** A file that nobody has closed was found below; what was seen may have changed since. */
  private void appear(Namespace namespace, FileInfo info, String path) throws NamespaceException {
    if (info.isComplete() && !closed.containsKey(info.fid())) {
      Below recorded = namespace.mountedFile(info.fid()).below();
      assertThat(recorded).isNotNull();
      closed.put(info.fid(), new Closed(world.data(recorded), info.length()));
      if (!world.isAsRecorded(path, recorded)) {
        touched.add(info.fid());
      }
    }
  }

  private void checkData(Namespace namespace, long fid, Closed file) throws NamespaceException {
    String path = paths.get(fid);
    if (namespace.isBelow(fid)) {
      Below recorded = namespace.mountedFile(fid).below();
      assertThat(recorded.length()).as("BELOW_IS_WHOLE %s", path).isEqualTo(file.length);
      assertThat(world.data(recorded)).as("BELOW_IS_WHOLE %s", path).isEqualTo(file.data);
      assertThat(touched.contains(fid) || world.isAsRecorded(path, recorded))
          .as("DATA_IS_SOMEWHERE %s", path)
          .isTrue();
      return;
    }
    for (int number = 0; number < file.length >> BLOCK_LOG; number++) {
      Block block = new Block(fid, number);
      boolean isHeld = holders.stream().anyMatch(holder -> holder.blocks.containsKey(block));
      assertThat(isHeld || lost.contains(block))
          .as("DATA_IS_SOMEWHERE %s block %d", path, number)
          .isTrue();
    }
  }

  /** Reads as a client does: from workers, else from below if that is what is recorded. */
  void read(Namespace namespace, String path, Random random) throws NamespaceException {
    FileInfo info;
    try {
      info = namespace.open(StorePath.of(path), ROOT);
    } catch (NamespaceException e) {
      return;
    }
    for (int number = 0; number < info.length() >> BLOCK_LOG; number++) {
      Block block = new Block(info.fid(), number);
      List<Holder> having =
          holders.stream().filter(holder -> holder.blocks.containsKey(block)).toList();
      Long data = null;
      if (!having.isEmpty()) {
        data = having.get(random.nextInt(having.size())).blocks.get(block);
      } else if (info.isBelow()
          && world.isAsRecorded(path, namespace.mountedFile(info.fid()).below())) {
        data = world.at(path).data();
      }
      if (data != null) {
        assertThat(data).as("WHOLE_OR_ERROR").isEqualTo(closed.get(info.fid()).data);
      }
    }
  }

  /** In the end. */
  void settled(Namespace namespace) {
    for (Holder holder : holders) {
      for (Block block : holder.blocks.keySet()) {
        if (!closed.containsKey(block.fid)) {
          fail("NOTHING_STAYS: %s", block);
        }
      }
    }
    int copies = holders.stream().mapToInt(holder -> holder.blocks.size()).sum();
    assertThat(namespace.copies()).as("NOTHING_STAYS").isEqualTo(copies);
  }
}
