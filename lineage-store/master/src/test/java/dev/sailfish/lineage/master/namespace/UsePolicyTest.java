package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.master.Snapshot;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Quotas, times to live and pins: what they permit, and that they outlive a snapshot. */
@Seeded
class UsePolicyTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final Caller ALICE = new Caller("alice", Set.of(), false);
  private static final long WRITER = 7;
  private static final int BLOCK_LOG = 16;

  private Namespace namespace = Namespace.empty();
  private int worker;

  @BeforeEach
  void giveAliceAHome() throws NamespaceException {
    worker = namespace.addWorker(1, "localhost", 1).number();
    directory("/home/alice");
    namespace.setOwner(path("/home/alice"), "alice", "", ROOT);
  }

  private static StorePath path(String text) throws NamespaceException {
    return StorePath.of(text);
  }

  private void directory(String path) throws NamespaceException {
    namespace.makeDirectories(path(path), 0755, ROOT, 1);
  }

  private long create(String path) throws NamespaceException {
    return namespace
        .writing()
        .create(path(path), new Creation(0644, 0755, BLOCK_LOG, true, WRITER), ROOT, 1)
        .fid();
  }

  private long file(String path, long length) throws NamespaceException {
    long fid = create(path);
    complete(fid, length);
    return fid;
  }

  private void complete(long fid, long length) throws NamespaceException {
    int[] places = new int[Limits.blocks(length, BLOCK_LOG)];
    Arrays.fill(places, Place.of(worker, 0));
    namespace.writing().complete(fid, WRITER, Content.of(length, places), 1);
  }

  private void quota(String path, long names, long bytes) throws NamespaceException {
    namespace.uses().quotas().set(path(path), names, bytes, ROOT);
  }

  private Usage used(String path) throws NamespaceException {
    return namespace.uses().quotas().of(path(path), ROOT).orElseThrow().used();
  }

  private void rename(String from, String to) throws NamespaceException {
    namespace.rename(path(from), path(to), false, ROOT, 1);
  }

  private void assertRefused(Reason reason, String message, ThrowingCallable what)
      throws IOException {
    byte[] before = snapshot();
    assertThatThrownBy(what)
        .isInstanceOfSatisfying(
            NamespaceException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(message);
    assertThat(snapshot()).isEqualTo(before);
  }

  private byte[] snapshot() throws IOException {
    return Snapshot.of(namespace.freeze());
  }

  private void takeOver() throws IOException {
    namespace = Namespace.read(new ByteArrayInputStream(snapshot()));
  }

  // ---- quotas

  @Test
  void aQuotaCountsWhatIsThereAndWhatComes() throws Exception {
    file("/home/alice/a/one", 10);
    quota("/home/alice", 6, 100);
    assertThat(used("/home/alice")).isEqualTo(new Usage(1, 2, 10));
    file("/home/alice/b/two", 20);
    assertThat(used("/home/alice")).isEqualTo(new Usage(2, 3, 30));
    assertRefused(
        Reason.QUOTA,
        "the quota of /home/alice does not permit it: of 6 files and directories it uses 5, and"
            + " this takes 2 more",
        () -> create("/home/alice/c/three"));
    assertRefused(Reason.QUOTA, "takes 2 more", () -> directory("/home/alice/c/d"));
    directory("/home/alice/c");
    namespace.delete(path("/home/alice/b"), true, ROOT, 1);
    assertThat(used("/home/alice")).isEqualTo(new Usage(1, 3, 10));
    file("/home/alice/a/one", 30); // in place of the other one
    assertThat(used("/home/alice")).isEqualTo(new Usage(1, 3, 30));
  }

  @Test
  void bytesAreLimitedWhenAFileIsComplete() throws Exception {
    quota("/home/alice", 0, 100);
    long fid = create("/home/alice/one");
    assertRefused(
        Reason.QUOTA, "of 100 bytes it uses 0, and this takes 101 more", () -> complete(fid, 101));
    complete(fid, 100);
    assertRefused(Reason.QUOTA, "of 100 bytes it uses 100", () -> create("/home/alice/two"));
    namespace.delete(path("/home/alice/one"), false, ROOT, 1);
    long two = create("/home/alice/two");
    namespace.writing().abandon(two, WRITER, 1);
    assertThat(used("/home/alice")).isEqualTo(new Usage(0, 1, 0));
  }

  @Test
  void aRenameAcrossQuotasMovesUse() throws Exception {
    file("/home/bob/tree/one", 10);
    file("/home/bob/tree/two", 10);
    quota("/home", 100, 1000);
    quota("/home/alice", 5, 15);
    assertRefused(Reason.QUOTA, "of 15 bytes", () -> rename("/home/bob/tree", "/home/alice/tree"));
    quota("/home/alice", 3, 100);
    assertRefused(Reason.QUOTA, "of 3 files", () -> rename("/home/bob/tree", "/home/alice/tree"));
    quota("/home/alice", 4, 100);
    Usage all = used("/home");
    rename("/home/bob/tree", "/home/alice/tree");
    assertThat(used("/home/alice")).isEqualTo(new Usage(2, 2, 20));
    assertThat(used("/home")).isEqualTo(all);
    rename("/home/alice/tree", "/home/alice/wood");
    assertThat(used("/home/alice")).isEqualTo(new Usage(2, 2, 20));
    rename("/home/alice", "/alice");
    assertThat(used("/home")).isEqualTo(all.minus(new Usage(2, 2, 20)));
    assertThat(used("/alice")).isEqualTo(new Usage(2, 2, 20));
  }

  @Test
  void onlyASuperuserSetsAQuotaAndOnlyOfADirectory() throws Exception {
    file("/home/alice/file", 1);
    assertRefused(
        Reason.DENIED,
        "alice may not set a quota",
        () -> namespace.uses().quotas().set(path("/home/alice"), 1, 1, ALICE));
    assertRefused(Reason.NOT_A_DIRECTORY, "is a file", () -> quota("/home/alice/file", 1, 1));
    assertRefused(Reason.INVALID, "a quota is from 0", () -> quota("/home/alice", -1, 1));
    quota("/home/alice", 1, 1);
    quota("/home/alice", 0, 0);
    assertThat(namespace.uses().quotas().size()).isZero();
    quota("/home/alice", 1, 1);
    namespace.delete(path("/home/alice"), true, ROOT, 1);
    namespace.sweep(100, (fid, holder) -> {});
    assertThat(namespace.uses().quotas().size()).isZero();
  }

  @Test
  void useIsWhatAWalkCounts(Seed seed) throws Exception {
    Random random = seed.random();
    List<String> directories = List.of("/", "/a", "/a/b", "/a/b/c", "/d", "/d/e");
    for (int step = 0; step < 3_000; step++) {
      String at = directories.get(random.nextInt(directories.size()));
      String inside = (at.equals("/") ? "" : at) + "/" + random.nextInt(4);
      String to = directories.get(random.nextInt(directories.size()));
      try {
        switch (random.nextInt(8)) {
          case 0, 1 -> file(inside, random.nextInt(100));
          case 2 -> create(inside);
          case 3 -> directory(at);
          case 4 -> namespace.delete(path(random.nextBoolean() ? inside : at), true, ROOT, 1);
          case 5 -> rename(at, to.equals("/") ? "/x" : to);
          case 6 -> quota(at, random.nextInt(30), random.nextInt(2_000));
          default -> namespace.writing().abandonAll(WRITER, 1);
        }
      } catch (NamespaceException e) {
        assertThat(e.reason()).isNotEqualTo(Reason.FULL);
      }
      if (step % 500 == 0) {
        takeOver();
      }
      for (String each : directories) {
        checkUse(each);
      }
      namespace.sweep(1, (fid, holder) -> {});
    }
  }

  private void checkUse(String path) throws NamespaceException {
    try {
      if (namespace.uses().quotas().of(path(path), ROOT).isPresent()) {
        assertThat(used(path)).as(path).isEqualTo(walk(path));
      }
    } catch (NamespaceException e) {
      assertThat(e.reason()).isIn(Reason.NOT_FOUND, Reason.NOT_A_DIRECTORY);
    }
  }

  private Usage walk(String path) throws NamespaceException {
    Usage usage = Usage.directories(1);
    for (FileInfo entry : namespace.list(path(path), "", 1_000, ROOT)) {
      String below = (path.equals("/") ? "" : path) + "/" + entry.name();
      usage = usage.plus(entry.isDirectory() ? walk(below) : Usage.file(entry.length()));
    }
    return usage;
  }

  // ---- times to live

  private void expiry(String path, long afterMs) throws NamespaceException {
    namespace.uses().expiries().set(path(path), afterMs, Expiry.Action.DELETE, ROOT);
  }

  private List<String> expire(long nowMs) throws NamespaceException {
    namespace.uses().expiries().at(nowMs);
    namespace.expire(100, 1, (fid, holder) -> {});
    return namespace.list(path("/home/alice"), "", 100, ROOT).stream().map(FileInfo::name).toList();
  }

  @Test
  void filesGoWhenTheirTimeIsOver() throws Exception {
    quota("/home/alice", 100, 100);
    for (String name : List.of("a", "b", "c", "d")) {
      file("/home/alice/" + name, 1);
    }
    namespace.uses().expiries().at(1_000);
    expiry("/home/alice/a", 100);
    expiry("/home/alice/b", 50);
    expiry("/home/alice/c", 50);
    expiry("/home/alice/c", 0);
    assertThat(namespace.uses().expiries().isDue(1_049)).isFalse();
    assertThat(expire(1_049)).containsExactly("a", "b", "c", "d");
    takeOver();
    assertThat(namespace.uses().expiries().isDue(1_050)).isTrue();
    assertThat(expire(1_050)).containsExactly("a", "c", "d");
    rename("/home/alice/a", "/home/alice/e");
    file("/home/alice/a", 1); // another file
    assertThat(expire(2_000)).containsExactly("a", "c", "d");
    assertThat(namespace.uses().expiries().size()).isZero();
    assertThat(used("/home/alice")).isEqualTo(new Usage(3, 1, 3));
  }

  @Test
  void aFileThatIsGoneHasNoTime() throws Exception {
    file("/home/alice/a", 1);
    expiry("/home/alice/a", 100);
    namespace.delete(path("/home/alice"), true, ROOT, 1);
    directory("/home/alice");
    assertThat(expire(200)).isEmpty();
    namespace.sweep(100, (fid, holder) -> {});
    assertThat(namespace.uses().expiries().size()).isZero();
  }

  @Test
  void timesAreForFilesThatTheCallerMayDelete() throws Exception {
    file("/home/alice/a", 1);
    directory("/home/alice/d");
    assertRefused(Reason.IS_A_DIRECTORY, "is a directory", () -> expiry("/home/alice/d", 1));
    assertRefused(Reason.INVALID, "a time to live", () -> expiry("/home/alice/a", Long.MAX_VALUE));
    Caller eve = new Caller("eve", Set.of(), false);
    assertRefused(
        Reason.DENIED,
        "eve may not write in",
        () -> namespace.uses().expiries().set(path("/home/alice/a"), 1, Expiry.Action.DELETE, eve));
    assertRefused(
        Reason.INVALID,
        "has no copy below",
        () -> namespace.uses().expiries().set(path("/home/alice/a"), 1, Expiry.Action.FREE, ALICE));
  }

  // ---- what is mounted

  private static Below below(long length) {
    return new Below(false, length, 1, "v", OptionalInt.empty(), false);
  }

  private void see(String path, long length) throws NamespaceException {
    Sighting.Found found = new Sighting.Found(below(length), "alice", "staff", 0644, BLOCK_LOG);
    namespace.mounted().take(namespace.mounted().sighting(path(path), found), 1);
  }

  @Test
  void whatIsFoundBelowCountsAndCanBeFreed() throws Exception {
    namespace.mount("/m file:///below", ROOT, 1);
    quota("/m", 2, 10);
    see("/m/file", 30);
    assertThat(used("/m")).isEqualTo(new Usage(1, 1, 30));
    assertRefused(Reason.INVALID, "is mounted", () -> expiry("/m/file", 100));
    long fid = namespace.stat(path("/m/file"), ROOT).fid();
    namespace.hold(fid, 0, Place.of(worker, 0));
    namespace.uses().expiries().set(path("/m/file"), 100, Expiry.Action.FREE, ROOT);
    takeOver();
    namespace.uses().expiries().at(100);
    List<String> freed = new ArrayList<>();
    namespace.expire(100, 1, (file, holder) -> freed.add(file + " at " + holder));
    assertThat(freed).containsExactly(fid + " at " + worker);
    assertThat(namespace.stat(path("/m/file"), ROOT).length()).isEqualTo(30);
    assertThat(namespace.uses().expiries().size()).isZero();
  }

  @Test
  void aFileThatIsBelowWhenItsTimeIsOverIsFreed() throws Exception {
    long fid = file("/home/alice/a", 1);
    file("/home/alice/b", 1);
    expiry("/home/alice/a", 100);
    expiry("/home/alice/b", 100);
    namespace.mount("/home/alice file:///below", ROOT, 1);
    namespace.mounted().record(fid, path("/home/alice/a"), below(1));
    namespace.uses().expiries().at(100);
    List<String> freed = new ArrayList<>();
    namespace.expire(100, 1, (file, holder) -> freed.add(file + " at " + holder));
    assertThat(freed).containsExactly(fid + " at " + worker);
    assertThat(namespace.list(path("/home/alice"), "", 100, ROOT))
        .extracting(FileInfo::name)
        .containsExactly("a");
  }

  // ---- pins

  @Test
  void whatIsInAPinnedDirectoryIsPinned() throws Exception {
    long fid = file("/home/alice/a/file", 1);
    long other = file("/home/bob/file", 1);
    namespace.uses().pins().set(path("/home/alice"), true, ALICE);
    namespace.uses().pins().set(path("/home/alice"), true, ALICE);
    assertThat(namespace.uses().pins().size()).isOne();
    assertThat(namespace.uses().pins().isPinned(fid)).isTrue();
    assertThat(namespace.uses().pins().isPinned(other)).isFalse();
    rename("/home/bob/file", "/home/alice/other");
    assertThat(namespace.uses().pins().isPinned(other)).isTrue();
    takeOver();
    assertThat(namespace.uses().pins().isPinned(fid)).isTrue();
    assertThat(namespace.uses().pins().size()).isOne();
    namespace.uses().pins().set(path("/home/alice"), false, ROOT);
    assertThat(namespace.uses().pins().isPinned(fid)).isFalse();
  }

  @Test
  void aPinGoesWithItsFile() throws Exception {
    long fid = file("/home/alice/file", 1);
    namespace.uses().pins().set(path("/home/alice/file"), true, ROOT);
    assertRefused(
        Reason.DENIED,
        "alice may not pin or unpin /home/alice/file",
        () -> namespace.uses().pins().set(path("/home/alice/file"), false, ALICE));
    namespace.delete(path("/home/alice/file"), false, ROOT, 1);
    namespace.sweep(100, (freed, holder) -> {});
    assertThat(namespace.uses().pins().size()).isZero();
    assertThat(namespace.uses().pins().isPinned(fid)).isFalse();
    assertThat(namespace.uses().pins().isPinned(file("/home/alice/file", 1))).isFalse();
  }

  // ---- who holds what

  @Test
  void holdersAreFoundAndDrained() throws Exception {
    int other = namespace.addWorker(2, "elsewhere", 2).number();
    long fid = file("/home/alice/file", (1 << BLOCK_LOG) + 1);
    namespace.hold(fid, 1, Place.of(other, 2));
    List<HeldFile> files = new ArrayList<>();
    assertThat(namespace.uses().holders().scan(0, 100, files::add)).isZero();
    HeldFile held = files.get(0);
    assertThat(held.lengthOf(0)).isEqualTo(1 << BLOCK_LOG);
    assertThat(held.lengthOf(1)).isOne();
    assertThat(held.blocks().get(0).isWith(other)).isFalse();
    assertThat(held.blocks().get(1).isWith(other)).isTrue();
    assertThat(namespace.uses().holders().has(other, fid, 0)).isFalse();
    assertThat(namespace.uses().holders().has(other, fid, 1)).isTrue();
    namespace.uses().holders().drain(other, true);
    takeOver();
    assertThat(namespace.uses().holders().isReturning(other)).isTrue();
    namespace.uses().holders().drain(other, false);
    assertThat(namespace.uses().holders().isReturning(other)).isFalse();
    assertThat(namespace.uses().holders().isDraining(other)).isTrue();
    assertThat(namespace.uses().holders().isDraining(worker)).isFalse();
    int again = namespace.addWorker(2, "elsewhere", 2).number();
    assertThat(namespace.uses().holders().isDraining(again)).isFalse();
    assertThat(namespace.uses().holders().isDraining(other)).isFalse();
    assertThat(namespace.uses().holders().has(other, fid, 1)).isFalse();
  }
}
