package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.journal.StateView;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Random changes of a tree, beside a map of paths that makes them the simplest way; and snapshots
 * at any moment, written while changes go on, out of which another peer continues.
 */
@Seeded
class NamespaceModelTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final int CHANGES = 3_000;
  private static final int MODE = 0755;

  /** What is at each path: the length of a file, or that it is a directory. */
  private final TreeMap<String, Long> expected = new TreeMap<>();

  private static final long DIRECTORY = -1;
  private static final long WRITING = -2;

  private List<Namespace> peers = new ArrayList<>(List.of(Namespace.empty()));
  private Random random;
  private long now = 1;
  private int worker;

  /** Files that have a block with the worker. */
  private final Set<Long> held = new HashSet<>();

  /** A change, made at one peer; null when it does nothing that the model would have to follow. */
  private interface Change {
    FileInfo at(Namespace namespace) throws NamespaceException;
  }

  @RepeatedTest(20)
  void allPeersAreTheMap(Seed seed) throws IOException {
    random = seed.random();
    registerWorker();
    for (int i = 0; i < CHANGES; i++) {
      change();
      if (random.nextInt(300) == 0) {
        addPeer();
      }
    }
    finishSweeps();
    for (Namespace peer : peers) {
      TreeMap<String, Long> seen = new TreeMap<>();
      collect(peer, "/", seen);
      assertThat(seen).isEqualTo(expected);
      assertThat(peer.size()).isEqualTo(expected.size() + 1);
      held.removeIf(fid -> !peer.isKnown(fid));
      assertThat(peer.copies()).isEqualTo(held.size());
    }
  }

  /** As the same process does that starts again: what it had is gone. */
  private void registerWorker() {
    List<Integer> numbers = new ArrayList<>();
    for (Namespace peer : peers) {
      try {
        numbers.add(peer.addWorker(1, "localhost", 1).number());
      } catch (NamespaceException e) {
        throw new AssertionError(e);
      }
    }
    assertThat(numbers).containsOnly(numbers.get(0));
    worker = numbers.get(0);
    held.clear();
  }

  private String path() {
    StringBuilder path = new StringBuilder();
    for (int depth = 1 + random.nextInt(4); depth > 0; depth--) {
      path.append('/').append((char) ('a' + random.nextInt(depth == 1 ? 12 : 3)));
    }
    return path.toString();
  }

  private void change() {
    String path = path();
    now++;
    switch (random.nextInt(8)) {
      case 0, 1 -> create(path);
      case 2 -> writeAtOnce(path);
      case 3 -> makeDirectory(path);
      case 4, 5 -> rename(path, path());
      default -> delete(path, random.nextInt(3) > 0);
    }
    int limit = random.nextInt(3);
    List<List<Long>> freed = new ArrayList<>();
    for (Namespace peer : peers) {
      List<Long> fids = new ArrayList<>();
      peer.sweep(
          limit,
          (fid, number) -> {
            assertThat(number).isEqualTo(worker);
            fids.add(fid);
          });
      freed.add(fids);
    }
    assertThat(held).containsAll(freed.get(0));
    freed.get(0).forEach(held::remove);
    if (random.nextInt(500) == 0) {
      registerWorker();
    }
    assertThat(freed).containsOnly(freed.get(0));
  }

  /** Makes a change at all peers, which must do the same. */
  private FileInfo all(Change change) {
    List<Object> results = new ArrayList<>();
    for (Namespace peer : peers) {
      try {
        results.add(change.at(peer));
      } catch (NamespaceException e) {
        results.add(e.reason() + " " + e.getMessage());
      }
    }
    for (Object result : results) {
      assertThat(result).isEqualTo(results.get(0));
    }
    return results.get(0) instanceof FileInfo info ? info : null;
  }

  private boolean isBelowAFile(String path) {
    for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
      Long above = expected.get(path.substring(0, slash));
      if (above != null && above != DIRECTORY) {
        return true;
      }
    }
    return false;
  }

  private void addParents(String path) {
    for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
      expected.put(path.substring(0, slash), DIRECTORY);
    }
  }

  private static String parent(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  private boolean isDirectory(String path) {
    return path.isEmpty() || expected.getOrDefault(path, 0L) == DIRECTORY;
  }

  private boolean hasEntries(String path) {
    return !below(path).isEmpty();
  }

  private NavigableMap<String, Long> below(String path) {
    return expected.subMap(path + "/", true, path + "0", false); // '0' follows '/'
  }

  private void create(String path) {
    boolean replace = random.nextBoolean();
    boolean parents = random.nextBoolean();
    long writer = random.nextLong();
    Creation creation = new Creation(MODE, parents ? MODE : -1, 20, replace, writer);
    FileInfo made = all(peer -> peer.writing().create(StorePath.of(path), creation, ROOT, now));
    Long there = expected.get(path);
    boolean fits = !isBelowAFile(path) && (parents || isDirectory(parent(path)));
    boolean isFree = there == null || there != DIRECTORY && replace;
    assertThat(made != null).as(path).isEqualTo(fits && isFree);
    if (made == null) {
      return;
    }
    addParents(path);
    expected.put(path, WRITING);
    if (random.nextInt(5) == 0) {
      all(peer -> give(peer, made.fid(), writer));
      expected.remove(path);
    } else if (random.nextInt(5) > 0) {
      long length = random.nextInt(1_000);
      int[] places = length == 0 ? new int[0] : new int[] {Place.of(worker, random.nextInt(3))};
      all(peer -> peer.writing().complete(made.fid(), writer, Content.of(length, places), now));
      expected.put(path, length);
      if (length > 0) {
        held.add(made.fid());
      }
    }
  }

  /** Under an id that is kept for its writer, in one change. */
  private void writeAtOnce(String path) {
    long writer = random.nextLong();
    boolean replace = random.nextBoolean();
    Creation creation = new Creation(MODE, MODE, 20, replace, writer);
    long length = 1 + random.nextInt(1_000);
    int[] places = {Place.of(worker, random.nextInt(3))};
    FileInfo made =
        all(
            peer -> {
              long fid = peer.writing().reserve(writer, 2, ROOT).get(1);
              StorePath at = StorePath.of(path);
              return peer.writing().write(at, creation, fid, Content.of(length, places), ROOT, now);
            });
    for (Namespace peer : peers) {
      peer.writing().abandonAll(writer, now);
    }
    Long there = expected.get(path);
    boolean isFree = there == null || there != DIRECTORY && replace;
    assertThat(made != null).as(path).isEqualTo(!isBelowAFile(path) && isFree);
    if (made != null) {
      addParents(path);
      expected.put(path, length);
      held.add(made.fid());
    }
  }

  private FileInfo give(Namespace peer, long fid, long writer) throws NamespaceException {
    FileInfo info = peer.stat(fid);
    peer.writing().abandon(fid, writer, now);
    return info;
  }

  private void makeDirectory(String path) {
    FileInfo made = all(peer -> peer.makeDirectories(StorePath.of(path), MODE, ROOT, now));
    boolean fits = !isBelowAFile(path) && expected.getOrDefault(path, DIRECTORY) == DIRECTORY;
    assertThat(made != null).as(path).isEqualTo(fits);
    if (fits) {
      addParents(path + "/");
    }
  }

  private void delete(String path, boolean recursive) {
    FileInfo gone =
        all(
            peer -> {
              FileInfo info = peer.stat(StorePath.of(path), ROOT);
              peer.delete(StorePath.of(path), recursive, ROOT, now);
              return info;
            });
    boolean fits = expected.containsKey(path) && (recursive || !hasEntries(path));
    assertThat(gone != null).as(path).isEqualTo(fits);
    if (fits) {
      below(path).clear();
      expected.remove(path);
    }
  }

  private void rename(String from, String to) {
    boolean replace = random.nextBoolean();
    FileInfo moved =
        all(
            peer -> {
              peer.rename(StorePath.of(from), StorePath.of(to), replace, ROOT, now);
              return peer.stat(StorePath.of(to), ROOT);
            });
    boolean isThere = expected.containsKey(to);
    boolean isSameKind = isDirectory(from) == isDirectory(to);
    boolean fits =
        expected.containsKey(from)
            && isDirectory(parent(to))
            && !to.startsWith(from + "/")
            && (from.equals(to) || !isThere || replace && isSameKind && !hasEntries(to));
    assertThat(moved != null).as("%s to %s", from, to).isEqualTo(fits);
    if (fits && !from.equals(to)) {
      TreeMap<String, Long> tree = new TreeMap<>(below(from));
      below(from).clear();
      tree.forEach((path, what) -> expected.put(to + path.substring(from.length()), what));
      expected.put(to, expected.remove(from));
    }
  }

  private void addPeer() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Namespace source = peers.get(random.nextInt(peers.size()));
    List<Change> meanwhile = new ArrayList<>();
    try (StateView view = source.freeze()) {
      while (view.write(bytes)) {
        // Only the source: what the snapshot holds must be what was there when it began.
        String path = "/" + random.nextInt(100);
        long time = ++now;
        meanwhile.add(peer -> peer.makeDirectories(StorePath.of(path), MODE, ROOT, time));
        run(meanwhile.get(meanwhile.size() - 1), source);
        expected.put(path, DIRECTORY);
      }
    }
    Namespace added = Namespace.read(new ByteArrayInputStream(bytes.toByteArray()));
    peers.add(added);
    for (Namespace peer : peers) {
      if (peer != source) {
        meanwhile.forEach(change -> run(change, peer));
      }
    }
    if (peers.size() > 3) {
      peers = new ArrayList<>(peers.subList(peers.size() - 3, peers.size()));
    }
  }

  private static void run(Change change, Namespace peer) {
    try {
      change.at(peer);
    } catch (NamespaceException e) {
      throw new AssertionError(e);
    }
  }

  private void finishSweeps() {
    for (Namespace peer : peers) {
      boolean more = true;
      while (more) {
        more = peer.sweep(7, (fid, number) -> {});
      }
    }
  }

  private static void collect(Namespace peer, String path, TreeMap<String, Long> into) {
    try {
      for (FileInfo entry : peer.list(StorePath.of(path), "", Integer.MAX_VALUE, ROOT)) {
        String name = (path.equals("/") ? "" : path) + "/" + entry.name();
        into.put(
            name, entry.isDirectory() ? DIRECTORY : entry.isComplete() ? entry.length() : WRITING);
        assertThat(peer.path(entry.fid())).isEqualTo(name);
        if (entry.isDirectory()) {
          collect(peer, name, into);
        }
      }
    } catch (NamespaceException e) {
      throw new AssertionError(e);
    }
  }
}
