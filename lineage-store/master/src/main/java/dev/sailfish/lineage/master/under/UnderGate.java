package dev.sailfish.lineage.master.under;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.guard.BoundedPool;
import dev.sailfish.ground.server.guard.ErrorGuard;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.master.namespace.KeptCopies.Copy;
import dev.sailfish.lineage.master.namespace.MountedTree.Named;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.hadoop.UnderStores;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountKey;
import dev.sailfish.lineage.understore.mount.MountedPath;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What requests pass that name paths: those under a mount are looked at below first, unless that
 * was done of late. Each mount has threads of its own, so that one that hangs holds up its own
 * requests, for as long as its deadline is, and no others. Thread-safe.
 */
public final class UnderGate implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(UnderGate.class);

  private static final Duration SWEEP_PERIOD = Duration.ofDays(1);
  private static final Duration SWEPT_AGE = Duration.ofDays(2);
  private static final int RELEASED_AT_ONCE = 100;
  private static final int NAMES_PER_LOOK = 1_000;

  private final JournaledTree tree;
  private final Clock clock;
  private final UnderStores stores;
  private final Freshness freshness = new Freshness();
  private final Disturbances disturbances = new Disturbances();
  private final CopyKeeper keeper;
  private final UnderSync sync;
  private final Map<Mount, BoundedPool> pools = new HashMap<>();
  private final Map<Mount, Long> sweptNs = new HashMap<>();
  private final Set<Mount> releasing = ConcurrentHashMap.newKeySet();
  private volatile boolean hasMounts;

  /**
   * A path that is looked at.
   *
   * @param entries whether the entries of the directory are to be looked at, too
   */
  public record Look(String path, boolean entries) {}

  /** What is done once the tree is as it is below; for one request. */
  @FunctionalInterface
  public interface Then {
    /**
     * @throws RequestRefusedException to refuse the request
     */
    void run() throws IOException;
  }

  /** What waits for an under store. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException, NamespaceException;
  }

  /** A request, and how it is told that something is refused. */
  record Asked(Request request, String user, Function<Refusal, MessageLite> refused) {}

  public UnderGate(JournaledTree tree, Clock clock) {
    this.tree = tree;
    this.clock = clock;
    stores = new UnderStores(clock);
    keeper = new CopyKeeper(tree, stores);
    sync = new UnderSync(tree, freshness, disturbances, keeper, clock);
  }

  /**
   * Has what dead writers left below removed, of mounts where that was not done by this master for
   * a day. Does not wait.
   */
  public void sweep(List<Mount> mounts) {
    long nowNs = clock.nanoTime();
    sweptNs.keySet().retainAll(mounts);
    for (Mount mount : mounts) {
      Long since = sweptNs.get(mount);
      boolean isDue = since == null || nowNs - since > SWEEP_PERIOD.toNanos();
      if (isDue && !mount.get(MountKey.READ_ONLY)) {
        sweptNs.put(mount, nowNs);
        sweep(mount);
      }
    }
  }

  private void sweep(Mount mount) {
    try {
      pool(mount).execute(() -> sweepNow(mount));
    } catch (RejectedExecutionException e) {
      LOG.debug("mount={} is not swept now, many requests wait", mount, e);
    }
  }

  private void sweepNow(Mount mount) {
    try (UnderStores.Use use = stores.use(mount)) {
      int removed = use.store().sweep(UnderPath.ROOT, SWEPT_AGE);
      LOG.info("mount={} is swept: removed={} of dead writers", mount, removed);
    } catch (IOException e) {
      LOG.warn("mount={} cannot be swept: {}", mount, e.toString());
    }
  }

  /**
   * Has copies of deleted inputs removed that were kept below and that nothing needs any more. Does
   * not wait; what cannot be removed now is tried again with the next call.
   */
  public void release() {
    if (!hasMounts) {
      return;
    }
    try {
      for (Copy copy : tree.look(namespace -> namespace.keptCopies().spare(RELEASED_AT_ONCE))) {
        MountedPath under =
            tree.look(namespace -> namespace.mounted().find(copy.place())).orElse(null);
        if (under != null && releasing.add(under.mount())) {
          release(under.mount());
        }
      }
    } catch (NamespaceException e) {
      LOG.warn("copies of deleted inputs that nothing needs are not removed: {}", e.getMessage());
    }
  }

  private void release(Mount mount) {
    try {
      pool(mount).execute(() -> releaseNow(mount));
    } catch (RejectedExecutionException e) {
      releasing.remove(mount);
      LOG.debug("mount={} keeps copies that nothing needs, many requests wait", mount, e);
    }
  }

  private void releaseNow(Mount mount) {
    try (UnderStores.Use use = stores.use(mount)) {
      int removed = 0;
      for (Copy copy : tree.look(namespace -> namespace.keptCopies().spare(RELEASED_AT_ONCE))) {
        MountedPath under =
            tree.look(namespace -> namespace.mounted().find(copy.place())).orElse(null);
        if (under != null && under.mount().equals(mount)) {
          use.store().delete(under.path(), false);
          sync.entry(use.store(), copy.place(), under);
          removed++;
        }
      }
      LOG.info("mount={} keeps fewer deleted inputs: removed={}", mount, removed);
    } catch (IOException | NamespaceException e) {
      LOG.warn("mount={} keeps copies that nothing needs: {}", mount, e.toString());
    } finally {
      releasing.remove(mount);
    }
  }

  /** This master begins to lead: nothing was looked at. */
  public void lead() {
    freshness.clear();
  }

  /** What is mounted has changed; called under the lock of the journal's driver. */
  public void mounted(List<Mount> mounts) {
    hasMounts = !mounts.isEmpty();
    freshness.clear();
    stores.keep(mounts);
    synchronized (pools) {
      pools.keySet().retainAll(mounts);
    }
  }

  UnderStores stores() {
    return stores;
  }

  CopyKeeper keeper() {
    return keeper;
  }

  /** Whether anything is mounted. */
  boolean hasMounts() {
    return hasMounts;
  }

  Disturbances disturbances() {
    return disturbances;
  }

  JournaledTree tree() {
    return tree;
  }

  /** The file below a path is not what was seen: it is to be looked at again. */
  public void forget(String path) {
    freshness.forget(path);
  }

  /**
   * Answers a request once the tree is as fresh as the mounts of its paths ask for: at once on the
   * caller's thread, or later on another one.
   *
   * @param user in whose name it is looked below
   * @param refused the answer with a refusal
   * @param then answers the request
   */
  public void whenFresh(
      List<Look> looks,
      String user,
      Request request,
      Function<Refusal, MessageLite> refused,
      Then then)
      throws IOException {
    pass(looks, new Asked(request, user, refused), null, then);
  }

  /**
   * The same, with some work below.
   *
   * @param work null: none
   */
  void pass(List<Look> looks, Asked asked, Work work, Then then) throws IOException {
    Mount at = hasMounts ? mountOf(looks) : null;
    List<Stale> stale = at == null ? List.of() : stale(looks);
    if (at == null || (stale.isEmpty() && work == null)) {
      then.run();
      return;
    }
    onThreads(
        at,
        asked,
        () -> {
          for (Stale one : stale) {
            look(one, asked.user);
          }
          if (work != null) {
            work.run();
          }
        },
        then);
  }

  /** A path that has to be looked at. */
  private record Stale(StorePath path, MountedPath under, boolean entry, boolean entries) {}

  private List<Stale> stale(List<Look> looks) {
    List<Stale> stale = new ArrayList<>();
    for (Look look : looks) {
      try {
        StorePath path = StorePath.of(look.path);
        MountedPath under = tree.look(namespace -> namespace.mounted().find(path)).orElse(null);
        if (under != null) {
          long nowNs = clock.nanoTime();
          long periodNs = under.mount().get(MountKey.SYNC).toNanos();
          boolean isEntryStale = !freshness.isEntryFresh(look.path, nowNs, periodNs);
          boolean isListStale =
              look.entries && !freshness.areEntriesFresh(look.path, nowNs, periodNs);
          if (isEntryStale || isListStale) {
            stale.add(new Stale(path, under, isEntryStale, isListStale));
          }
        }
      } catch (NamespaceException e) {
        LOG.trace("the request itself is refused: path={}", look.path, e);
      }
    }
    return stale;
  }

  private Mount mountOf(List<Look> looks) {
    try {
      for (Look look : looks) {
        StorePath path = StorePath.of(look.path);
        MountedPath under = tree.look(namespace -> namespace.mounted().find(path)).orElse(null);
        if (under != null) {
          return under.mount();
        }
      }
    } catch (NamespaceException e) {
      LOG.trace("the request itself is refused", e);
    }
    return null;
  }

  private void look(Stale stale, String user) throws IOException, NamespaceException {
    try (UnderStores.Use use = stores.use(stale.under.mount(), user)) {
      if (stale.entry) {
        sync.entry(use.store(), stale.path, stale.under);
      }
      boolean isDirectory =
          stale.entries && tree.look(namespace -> namespace.mounted().isDirectory(stale.path));
      if (isDirectory) {
        sync.entries(use.store(), stale.path, stale.under);
      }
    }
  }

  /**
   * Looks at a directory and at all directories in it, at any depth, however late that was done
   * before; called on a thread of its mount.
   *
   * @param user in whose name it is looked below
   */
  void lookAtTree(StorePath root, String user) throws IOException, NamespaceException {
    Deque<StorePath> open = new ArrayDeque<>(List.of(root));
    while (!open.isEmpty()) {
      StorePath directory = open.pop();
      MountedPath under = tree.look(namespace -> namespace.mounted().find(directory)).orElse(null);
      if (under != null) {
        look(new Stale(directory, under, false, true), user);
        addDirectories(directory, open);
      }
    }
  }

  private void addDirectories(StorePath directory, Deque<StorePath> to) throws NamespaceException {
    String after = "";
    while (after != null) {
      String from = after;
      List<Named> names =
          tree.look(namespace -> namespace.mounted().namesBelow(directory, from, NAMES_PER_LOOK));
      for (Named named : names) {
        StorePath path = directory.child(named.name());
        if (named.isBelow() && tree.look(namespace -> namespace.mounted().isDirectory(path))) {
          to.push(path);
        }
      }
      after = names.isEmpty() ? null : names.get(names.size() - 1).name();
    }
  }

  /** Does work on a mount's threads, and then what follows; or answers why not. */
  void onThreads(Mount mount, Asked asked, Work work, Then then) {
    try {
      pool(mount).execute(() -> answer(mount, asked, work, then));
    } catch (RejectedExecutionException e) {
      asked.request.reply(
          asked.refused.apply(
              refusal(
                  Refusal.Reason.UNDER_STORE,
                  "too many requests wait for mount " + mount + ", which may hang: try again")));
    }
  }

  private BoundedPool pool(Mount mount) {
    synchronized (pools) {
      return pools.computeIfAbsent(
          mount,
          at ->
              new BoundedPool(
                  "lineage-master-under", at.get(MountKey.THREADS), at.get(MountKey.WAITING)));
    }
  }

  private static void answer(Mount mount, Asked asked, Work work, Then then) {
    Request request = asked.request;
    try {
      Refusal why = refusal(mount, work);
      if (why == null) {
        then.run();
      } else {
        request.reply(asked.refused.apply(why));
      }
    } catch (RequestRefusedException e) {
      request.fail(e.status(), e.getMessage());
    } catch (IOException | RuntimeException e) {
      LOG.error("operation={} caller={} failed", request.operation(), request.caller(), e);
      request.fail(Status.INTERNAL, e.toString());
    } catch (Error e) {
      ErrorGuard.check(e);
      throw e;
    }
  }

  /**
   * What the caller is refused; null: nothing.
   *
   * @throws RequestRefusedException when it is not the mount's fault: the caller asks again
   */
  private static Refusal refusal(Mount mount, Work work) throws RequestRefusedException {
    try {
      work.run();
      return null;
    } catch (RequestRefusedException e) {
      throw e;
    } catch (NamespaceException e) {
      return StoreMessages.refusal(e);
    } catch (UnderStoreException e) {
      Refusal.Reason reason =
          switch (e.reason()) {
            case MISSING -> Refusal.Reason.NOT_FOUND;
            case EXISTS -> Refusal.Reason.EXISTS;
            case DENIED, READ_ONLY -> Refusal.Reason.DENIED;
            case INVALID -> Refusal.Reason.INVALID;
            case CHANGED, DAMAGED, BUSY, TIMEOUT, FAILED -> Refusal.Reason.UNDER_STORE;
          };
      return refusal(reason, e.getMessage());
    } catch (IOException e) {
      LOG.warn("mount={}", mount, e);
      return refusal(Refusal.Reason.UNDER_STORE, "mount " + mount + ": " + e.getMessage());
    }
  }

  private static Refusal refusal(Refusal.Reason reason, String message) {
    return Refusal.newBuilder().setReason(reason).setMessage(message).build();
  }

  /** Calls below that hang go on until they come back. */
  @Override
  public void close() {
    synchronized (pools) {
      pools.values().forEach(BoundedPool::shutdownNow);
      pools.clear();
    }
    stores.close();
  }
}
