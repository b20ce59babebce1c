package dev.sailfish.lineage.master.under;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.master.namespace.Below;
import dev.sailfish.lineage.master.namespace.MountedTree.Named;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Sighting;
import dev.sailfish.lineage.master.namespace.Sighting.Found;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.state.StoreState;
import dev.sailfish.lineage.protocol.wire.KeptCopy;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderListing;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountKey;
import dev.sailfish.lineage.understore.mount.MountedPath;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks below, and has the tree know what is there. Its threads wait; thread-safe. */
final class UnderSync {
  private static final Logger LOG = LoggerFactory.getLogger(UnderSync.class);
  private static final int ATTEMPTS = 5;
  private static final int NAMES_PER_LOOK = 1_000;
  private static final long JOURNAL_DEADLINE_S = 30;
  private static final int SMALLEST_BLOCK_LOG = 16;
  private static final int LARGEST_BLOCK_LOG = 30;

  private final JournaledTree tree;
  private final Freshness freshness;
  private final Disturbances disturbances;
  private final CopyKeeper keeper;
  private final Clock clock;

  UnderSync(
      JournaledTree tree,
      Freshness freshness,
      Disturbances disturbances,
      CopyKeeper keeper,
      Clock clock) {
    this.tree = tree;
    this.keeper = keeper;
    this.freshness = freshness;
    this.disturbances = disturbances;
    this.clock = clock;
  }

  /**
   * Looks at a path, and at what is above it as far as the tree does not know that.
   *
   * @param under where the path is below
   */
  void entry(UnderStore store, StorePath path, MountedPath under)
      throws IOException, NamespaceException {
    long sinceNs = clock.nanoTime();
    int first = path.depth() - depth(under.path()) + 1; // the mount's own directory is there
    int known = tree.look(namespace -> namespace.mounted().knownDepth(path));
    boolean isThere = true;
    for (int d = Math.max(first, Math.min(known + 1, path.depth()));
        isThere && d <= path.depth();
        d++) {
      isThere = lookAt(store, under.mount(), path.beginningPath(d));
    }
    freshness.entry(path.toString(), sinceNs);
  }

  private static int depth(UnderPath path) {
    return path.isRoot() ? 0 : (int) path.text().chars().filter(c -> c == '/').count() + 1;
  }

  /** Looks at one path, and returns whether there is a directory. */
  private boolean lookAt(UnderStore store, Mount mount, StorePath path)
      throws IOException, NamespaceException {
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      long since = disturbances.now();
      UnderPath below = tree.look(namespace -> namespace.mounted().find(path)).orElseThrow().path();
      Sighting before = tree.look(namespace -> namespace.mounted().sighting(path, null));
      UnderFile file = store.status(below).orElse(null);
      boolean isDirectory = file != null && file.directory();
      if (!isDirectory && tree.look(namespace -> namespace.mounted().hasMountsIn(path))) {
        return false; // it stays, as the way to these
      }
      Sighting now = found(before, file, mount);
      List<KeptCopy> kept = file == null ? movedAway(store, before) : List.of();
      if (!isNews(now) || submit(kept, List.of(now), path, since)) {
        return isDirectory;
      }
    }
    throw disturbed(path);
  }

  /** Deleted inputs of which a leader that is gone has moved the copies out of sight. */
  private List<KeptCopy> movedAway(UnderStore store, Sighting before)
      throws IOException, NamespaceException {
    return before.fid() == 0 ? List.of() : keeper.found(store, keeper.needed(before.path()));
  }

  private static UnderStoreException disturbed(StorePath path) {
    return new UnderStoreException(
        Reason.BUSY, path + " is being changed below again and again: try again later");
  }

  private static Sighting found(Sighting before, UnderFile file, Mount mount) {
    Found found = file == null ? null : found(file, mount);
    return new Sighting(before.path(), before.fid(), before.known(), found);
  }

  private static Found found(UnderFile file, Mount mount) {
    Below below =
        file.directory()
            ? Below.DIRECTORY
            : new Below(
                false, file.length(), file.modifiedMs(), file.tag(), OptionalInt.empty(), false);
    UnderFile.Ownership whose = file.ownership();
    return new Found(below, whose.owner(), whose.group(), whose.mode(), blockSizeLog(mount));
  }

  private static int blockSizeLog(Mount mount) {
    long bytes = mount.get(MountKey.CACHE_BLOCK);
    int log = Long.SIZE - Long.numberOfLeadingZeros(bytes - 1);
    return Math.max(SMALLEST_BLOCK_LOG, Math.min(LARGEST_BLOCK_LOG, log));
  }

  /** Whether it is something that the tree does not know. */
  private static boolean isNews(Sighting sighting) {
    Below known = sighting.known();
    if (sighting.found() == null) {
      return known != null;
    }
    Below found = sighting.found().file();
    if (known == null) {
      return sighting.fid() == 0 || found.isDirectory();
    }
    return !known.isReplaced() && !known.isSameContent(found);
  }

  /**
   * Has the tree take what was seen, and waits for that.
   *
   * @param since a moment before it was seen
   * @return false when it was disturbed meanwhile
   */
  private boolean submit(List<KeptCopy> kept, List<Sighting> seen, StorePath path, long since)
      throws IOException {
    if (seen.isEmpty()) {
      return true;
    }
    List<CompletableFuture<byte[]>> submitted = new ArrayList<>(1);
    byte[] entry = StoreState.seen(kept, seen, clock.wallMs());
    disturbances.unlessDisturbed(path.toString(), since, () -> submitted.add(tree.submit(entry)));
    if (submitted.isEmpty()) {
      return false;
    }
    try {
      submitted.get(0).get(JOURNAL_DEADLINE_S, TimeUnit.SECONDS);
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestRefusedException refused) {
        throw refused;
      }
      throw new IOException("the journal did not take what is below " + path, e.getCause());
    } catch (TimeoutException e) {
      throw new RequestRefusedException(
          Status.BUSY, "the journal did not take in time what is below " + path);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while the journal takes what is below " + path);
    }
  }

  /** Looks at all entries of a directory. */
  void entries(UnderStore store, StorePath directory, MountedPath under)
      throws IOException, NamespaceException {
    long sinceNs = clock.nanoTime();
    Names there = new Names();
    try (UnderListing listing = store.list(under.path())) {
      long since = disturbances.now();
      for (List<UnderFile> page = listing.next();
          !page.isEmpty();
          since = disturbances.now(), page = listing.next()) {
        page.forEach(file -> there.add(file.path().name()));
        take(store, page, directory, under.mount(), since);
      }
    } catch (UnderStoreException e) {
      if (e.reason() != Reason.MISSING) {
        throw e;
      }
      LOG.debug("there is no directory below path={}", directory);
    }
    lookForMissing(store, directory, under.mount(), there);
    freshness.entries(directory.toString(), sinceNs);
  }

  /**
   * Takes what is new of a page; what is there and looks different is looked at again: it may have
   * become what the tree knows after the page was made.
   *
   * @param since a moment before the page was asked for
   */
  private void take(
      UnderStore store, List<UnderFile> page, StorePath directory, Mount mount, long since)
      throws IOException, NamespaceException {
    List<Sighting> news = new ArrayList<>();
    List<StorePath> again = new ArrayList<>();
    for (UnderFile file : page) {
      StorePath path = pathOf(directory, file.path().name());
      if (path != null) {
        Sighting before = tree.look(namespace -> namespace.mounted().sighting(path, null));
        Sighting now = found(before, file, mount);
        if (isNews(now) && now.fid() == 0) {
          news.add(now);
        } else if (isNews(now)) {
          again.add(path);
        }
      }
    }
    if (!submit(List.of(), news, directory, since)) {
      news.forEach(sighting -> again.add(sighting.path()));
    }
    for (StorePath path : again) {
      lookAt(store, mount, path);
    }
  }

  /** Null for what cannot be in the store, or is the cluster's there. */
  private StorePath pathOf(StorePath directory, String name) {
    try {
      StorePath path = directory.child(name);
      boolean isOfMount = tree.look(namespace -> namespace.mounted().find(path)).isPresent();
      return isOfMount ? path : null;
    } catch (NamespaceException e) {
      LOG.warn("a file below cannot be in the store: {}", e.getMessage());
      return null;
    }
  }

  /** What the tree takes for below and was not seen, and what was not certain, is looked at. */
  private void lookForMissing(UnderStore store, StorePath directory, Mount mount, Names there)
      throws IOException, NamespaceException {
    String after = "";
    while (after != null) {
      String from = after;
      List<Named> names =
          tree.look(namespace -> namespace.mounted().namesBelow(directory, from, NAMES_PER_LOOK));
      for (Named named : names) {
        if (named.isBelow() && !there.contains(named.name())) {
          lookAt(store, mount, directory.child(named.name()));
        }
      }
      after = names.isEmpty() ? null : names.get(names.size() - 1).name();
    }
  }
}
