package dev.sailfish.lineage.master.under;

import dev.sailfish.lineage.master.namespace.Below;
import dev.sailfish.lineage.master.namespace.KeptCopies.Copy;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.protocol.wire.KeptCopy;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.hadoop.UnderStores;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountedPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves copies of deleted inputs out of sight below, see {@link
 * dev.sailfish.lineage.master.namespace.KeptCopies}, and deletes them when nothing needs them any
 * more. Its callers wait. Thread-safe.
 */
final class CopyKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(CopyKeeper.class);

  private final JournaledTree tree;
  private final UnderStores stores;

  CopyKeeper(JournaledTree tree, UnderStores stores) {
    this.tree = tree;
    this.stores = stores;
  }

  /** Files of a path that have to be kept when it is removed. */
  List<Copy> needed(StorePath path) throws NamespaceException {
    return tree.look(namespace -> namespace.keptCopies().needed(path));
  }

  /**
   * Moves some out of sight. What is gone below cannot be kept, and is left out.
   *
   * @param user who removes them, and may do so below
   * @return for the change that removes them
   */
  List<KeptCopy> keep(List<Copy> needed, String user) throws IOException, NamespaceException {
    List<KeptCopy> kept = new ArrayList<>();
    Set<Mount> mounts = new HashSet<>();
    for (Copy copy : needed) {
      MountedPath from = under(copy.path());
      MountedPath to = under(copy.place());
      if (mounts.add(to.mount())) {
        try (UnderStores.Use process = stores.use(to.mount())) {
          process.store().makeSharedDirectory(to.path().parent());
        }
      }
      try (UnderStores.Use use = stores.use(from.mount(), user)) {
        move(use.store(), from, to).ifPresent(now -> kept.add(message(copy, now)));
      }
    }
    if (!kept.isEmpty()) {
      LOG.info(
          "path={} and others are removed and kept below, as lost files may be made of them: {} in"
              + " all",
          needed.get(0).path(),
          kept.size());
    }
    return kept;
  }

  private static Optional<UnderFile> move(UnderStore store, MountedPath from, MountedPath to)
      throws IOException {
    try {
      return Optional.of(store.rename(from.path(), to.path()));
    } catch (UnderStoreException e) {
      if (e.reason() != Reason.MISSING) {
        throw e;
      }
      return store.status(to.path()); // the leader before this one may have moved it
    }
  }

  /**
   * Looks which of some files that are not where they were have been moved out of sight, by a
   * leader that could not journal that any more.
   */
  List<KeptCopy> found(UnderStore store, List<Copy> missing)
      throws IOException, NamespaceException {
    List<KeptCopy> found = new ArrayList<>();
    for (Copy copy : missing) {
      if (store.status(under(copy.path()).path()).isEmpty()) {
        store.status(under(copy.place()).path()).ifPresent(now -> found.add(message(copy, now)));
      }
    }
    return found;
  }

  private static KeptCopy message(Copy copy, UnderFile now) {
    Below below =
        new Below(false, now.length(), now.modifiedMs(), now.tag(), OptionalInt.empty(), false);
    return KeptCopy.newBuilder().setFid(copy.fid()).setBelow(StoreMessages.record(below)).build();
  }

  private MountedPath under(StorePath path) throws NamespaceException {
    return tree.look(namespace -> namespace.mounted().find(path))
        .orElseThrow(() -> new IllegalStateException("unmounted meanwhile: " + path));
  }
}
