package dev.sailfish.lineage.master.under;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.server.Request;
import dev.sailfish.lineage.master.namespace.Below;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.Creation;
import dev.sailfish.lineage.master.namespace.KeptCopies.Copy;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.master.under.UnderGate.Asked;
import dev.sailfish.lineage.master.under.UnderGate.Look;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DeletePath;
import dev.sailfish.lineage.protocol.wire.KeptCopy;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.RenamePath;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.hadoop.UnderStores;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountKey;
import dev.sailfish.lineage.understore.mount.MountedPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes below what a change makes in the tree, before the journal gets the change: what is deleted
 * is deleted below, what is moved is moved. When the leader is gone between the two, the tree finds
 * out when it looks below the next time, and the client asks the next leader, which finds it done.
 */
public final class UnderChanges {
  private static final Logger LOG = LoggerFactory.getLogger(UnderChanges.class);

  /** File systems that ask whether a user may do something, and not whether the process may. */
  private static final Set<String> KNOW_USERS = Set.of("hdfs", "webhdfs", "swebhdfs");

  private final UnderGate gate;
  private final JournaledTree tree;
  private final CopyKeeper keeper;

  /** Gives a change to the journal, and answers the request with what comes of it. */
  @FunctionalInterface
  public interface Submit {
    /**
     * @throws dev.sailfish.ground.server.RequestRefusedException to refuse the request
     */
    void change(ChangeRequest change) throws IOException;
  }

  public UnderChanges(UnderGate gate) {
    this.gate = gate;
    this.tree = gate.tree();
    this.keeper = gate.keeper();
  }

  /**
   * Makes a change, at once or when it is made below.
   *
   * @param refused the answer with a refusal
   */
  public void change(
      Request request, ChangeRequest change, Function<Refusal, MessageLite> refused, Submit submit)
      throws IOException {
    Asked asked = new Asked(request, change.getUser().getName(), refused);
    switch (change.getChangeCase()) {
      case CREATE_FILE -> create(asked, change, submit);
      case MAKE_DIRECTORIES -> look(asked, change.getMakeDirectories().getPath(), change, submit);
      case SET_MODE -> look(asked, change.getSetMode().getPath(), change, submit);
      case SET_OWNER -> look(asked, change.getSetOwner().getPath(), change, submit);
      case SET_MODIFIED -> look(asked, change.getSetModified().getPath(), change, submit);
      case DELETE_PATH -> delete(asked, change, submit);
      case RENAME_PATH -> rename(asked, change, submit);
      case ADD_MOUNT -> mount(asked, change, submit);
      default -> submit.change(change);
    }
  }

  private void look(Asked asked, String path, ChangeRequest change, Submit submit)
      throws IOException {
    gate.pass(List.of(new Look(path, false)), asked, null, () -> submit.change(change));
  }

  /** A file that is replaced may be one that has to be kept. */
  private void create(Asked asked, ChangeRequest change, Submit submit) throws IOException {
    CreateFile create = change.getCreateFile();
    if (!gate.hasMounts() || needed(create.getPath()).isEmpty()) {
      look(asked, create.getPath(), change, submit);
      return;
    }
    Caller caller = StoreMessages.caller(change.getUser());
    AtomicReference<ChangeRequest> made = new AtomicReference<>(change);
    Disturbed disturbed = new Disturbed();
    gate.pass(
        List.of(new Look(create.getPath(), false)),
        asked,
        disturbed.during(
            () -> {
              StorePath path = StorePath.of(create.getPath());
              tree.look(
                  namespace -> {
                    Creation creation = StoreMessages.creation(create, change.getClient());
                    namespace.writing().requireCreatable(path, creation, caller);
                    return null;
                  });
              disturbed.begin(path);
              made.set(keeping(change, path, asked.user()));
            }),
        () -> submit(made.get(), submit, disturbed));
  }

  /** What has to be kept of a file; nothing takes the place of a directory. */
  private List<Copy> needed(String text) {
    try {
      StorePath path = StorePath.of(text);
      boolean isDirectory = tree.look(namespace -> namespace.mounted().isDirectory(path));
      return isDirectory ? List.of() : keeper.needed(path);
    } catch (NamespaceException e) {
      LOG.trace("the request itself is refused: path={}", text, e);
      return List.of();
    }
  }

  /** The change, with what it removes and what was moved out of sight instead. */
  private ChangeRequest keeping(ChangeRequest change, StorePath removed, String user)
      throws IOException, NamespaceException {
    List<KeptCopy> kept = keeper.keep(keeper.needed(removed), user);
    return kept.isEmpty() ? change : change.toBuilder().addAllKept(kept).build();
  }

  private void delete(Asked asked, ChangeRequest change, Submit submit) throws IOException {
    DeletePath delete = change.getDeletePath();
    Caller caller = StoreMessages.caller(change.getUser());
    boolean isRecursive = delete.getRecursive();
    AtomicReference<ChangeRequest> made = new AtomicReference<>(change);
    Disturbed disturbed = new Disturbed();
    gate.pass(
        List.of(new Look(delete.getPath(), !isRecursive)),
        asked,
        disturbed.during(
            () -> {
              StorePath path = StorePath.of(delete.getPath());
              Below below = below(path);
              if (below != null) {
                requireRemovable(path, isRecursive, caller);
                if (isRecursive && below.isDirectory() && !isDeniedBelow(path, caller)) {
                  gate.lookAtTree(path, asked.user());
                  requireRemovable(path, true, caller);
                }
                disturbed.begin(path);
                made.set(keeping(change, path, asked.user()));
                with(
                    path,
                    asked.user(),
                    (store, at) -> store.delete(at, below.isDirectory() && isRecursive));
              }
            }),
        () -> submit(made.get(), submit, disturbed));
  }

  private void requireRemovable(StorePath path, boolean isRecursive, Caller caller)
      throws NamespaceException {
    tree.look(
        namespace -> {
          namespace.requireRemovable(path, isRecursive, caller);
          return null;
        });
  }

  /** Whether the file system below refuses by itself what a caller may not do, if anything. */
  private boolean isDeniedBelow(StorePath path, Caller caller) throws NamespaceException {
    String scheme = under(path).mount().root().getScheme();
    return caller.isSuperuser() || KNOW_USERS.contains(scheme.toLowerCase(Locale.ROOT));
  }

  private Below below(StorePath path) throws NamespaceException {
    return tree.look(namespace -> namespace.mounted().below(path)).orElse(null);
  }

  private void rename(Asked asked, ChangeRequest change, Submit submit) throws IOException {
    RenamePath rename = change.getRenamePath();
    Caller caller = StoreMessages.caller(change.getUser());
    AtomicReference<ChangeRequest> made =
        new AtomicReference<>(
            change.toBuilder().setRenamePath(rename.toBuilder().clearBelow()).build());
    Disturbed disturbed = new Disturbed();
    gate.pass(
        List.of(new Look(rename.getFrom(), false), new Look(rename.getTo(), true)),
        asked,
        disturbed.during(
            () -> {
              StorePath from = StorePath.of(rename.getFrom());
              StorePath to = StorePath.of(rename.getTo());
              Below source = below(from);
              Below target = below(to);
              boolean isSame = rename.getFrom().equals(rename.getTo());
              if (isSame || (source == null && target == null)) {
                return;
              }
              tree.look(
                  namespace -> {
                    namespace.requireRenamable(from, to, rename.getReplace(), caller);
                    return null;
                  });
              disturbed.begin(from);
              disturbed.begin(to);
              made.set(keeping(made.get(), to, asked.user()));
              UnderFile moved = move(asked.user(), from, source, to, target);
              if (moved != null && !moved.directory()) {
                made.set(withFile(made.get(), moved));
              }
            }),
        () -> submit(made.get(), submit, disturbed));
  }

  private static ChangeRequest withFile(ChangeRequest change, UnderFile moved) {
    Below now =
        new Below(
            false, moved.length(), moved.modifiedMs(), moved.tag(), OptionalInt.empty(), false);
    RenamePath rename =
        change.getRenamePath().toBuilder().setBelow(StoreMessages.record(now)).build();
    return change.toBuilder().setRenamePath(rename).build();
  }

  /**
   * Moves what is below.
   *
   * @return what is below at the new place; null when nothing was moved
   */
  private UnderFile move(String user, StorePath from, Below source, StorePath to, Below target)
      throws IOException, NamespaceException {
    boolean isMoved = source != null && !source.isReplaced();
    if (source != null && source.isReplaced()) {
      with(from, user, (store, at) -> store.delete(at, false)); // older than what is moved
    }
    if (target != null && (isMoved || target.isDirectory())) {
      with(to, user, (store, at) -> store.delete(at, false));
    }
    if (!isMoved) {
      return null;
    }
    UnderPath at = under(to).path();
    return with(from, user, (store, old) -> rename(store, old, at));
  }

  /** One that is asked for again may have been made before. */
  private static UnderFile rename(UnderStore store, UnderPath from, UnderPath to)
      throws IOException {
    try {
      if (!to.parent().isRoot()) {
        store.makeDirectories(to.parent());
      }
      return store.rename(from, to);
    } catch (UnderStoreException e) {
      if (e.reason() != Reason.MISSING) {
        throw e;
      }
      return store.status(to).orElseThrow(() -> e);
    }
  }

  private void mount(Asked asked, ChangeRequest change, Submit submit) throws IOException {
    String text = change.getAddMount().getMount();
    Caller caller = StoreMessages.caller(change.getUser());
    Mount mount;
    try {
      mount = tree.look(namespace -> namespace.mounted().requireMountable(text, caller));
    } catch (NamespaceException e) {
      asked.request().reply(asked.refused().apply(StoreMessages.refusal(e)));
      return;
    }
    gate.onThreads(
        mount, asked, () -> requireDirectory(mount, asked.user()), () -> submit.change(change));
  }

  private void requireDirectory(Mount mount, String user) throws IOException {
    try (UnderStores.Use use = gate.stores().use(mount, user)) {
      UnderStore store = use.store();
      boolean isThere = store.status(UnderPath.ROOT).isPresent();
      if (!isThere && mount.get(MountKey.READ_ONLY)) {
        throw new UnderStoreException(
            Reason.MISSING, mount + ": there is no such directory below, and it is read-only");
      }
      if (!isThere) {
        store.makeDirectories(UnderPath.ROOT);
      } else if (!store.status(UnderPath.ROOT).orElseThrow().directory()) {
        throw new UnderStoreException(Reason.INVALID, mount + ": that is a file below");
      }
    }
  }

  /** Something that is done below. */
  private interface Doing<T> {
    T with(UnderStore store, UnderPath path) throws IOException;
  }

  private <T> T with(StorePath path, String user, Doing<T> doing)
      throws IOException, NamespaceException {
    MountedPath under = under(path);
    try (UnderStores.Use use = gate.stores().use(under.mount(), user)) {
      return doing.with(use.store(), under.path());
    }
  }

  private MountedPath under(StorePath path) throws NamespaceException {
    return tree.look(namespace -> namespace.mounted().find(path))
        .orElseThrow(() -> new IllegalStateException("unmounted meanwhile: " + path));
  }

  /** Paths that a change disturbs until the journal has it. */
  private final class Disturbed {
    private final List<String> paths = new ArrayList<>(2);

    void begin(StorePath path) {
      paths.add(path.toString());
      gate.disturbances().begin(path.toString());
    }

    /** Work after which the change follows; when it fails, none does. */
    UnderGate.Work during(UnderGate.Work work) {
      return () -> {
        boolean done = false;
        try {
          work.run();
          done = true;
        } finally {
          if (!done) {
            end();
          }
        }
      };
    }

    void end() {
      paths.forEach(gate.disturbances()::end);
      paths.clear();
    }
  }

  /** What was begun below ends when the journal has the change, or when it failed. */
  private static void submit(ChangeRequest change, Submit submit, Disturbed disturbed)
      throws IOException {
    try {
      submit.change(change);
    } finally {
      disturbed.end();
    }
  }
}
