package dev.sailfish.lineage.master.state;

import dev.sailfish.lineage.master.namespace.Below;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.Creation;
import dev.sailfish.lineage.master.namespace.Expiry;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.FileWriting;
import dev.sailfish.lineage.master.namespace.Lineage;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DeletePath;
import dev.sailfish.lineage.protocol.wire.KeptCopy;
import dev.sailfish.lineage.protocol.wire.MakeDirectories;
import dev.sailfish.lineage.protocol.wire.RecordCopy;
import dev.sailfish.lineage.protocol.wire.RemoveMount;
import dev.sailfish.lineage.protocol.wire.RenamePath;
import dev.sailfish.lineage.protocol.wire.SetExpiry;
import dev.sailfish.lineage.protocol.wire.SetMode;
import dev.sailfish.lineage.protocol.wire.SetModified;
import dev.sailfish.lineage.protocol.wire.SetOwner;
import dev.sailfish.lineage.protocol.wire.SetPin;
import dev.sailfish.lineage.protocol.wire.SetQuota;

/** Makes the change of a message in a namespace. */
final class ChangeApplier {
  private ChangeApplier() {}

  /**
   * Makes a change, and returns what the caller is to know of the file, or null.
   *
   * @throws IllegalArgumentException when it is one of another version
   */
  static FileInfo apply(Namespace namespace, ChangeRequest change, long nowMs)
      throws NamespaceException {
    Caller caller = StoreMessages.caller(change.getUser());
    boolean isKept = change.getKeptCount() > 0 && keep(namespace, change, caller, nowMs);
    return switch (change.getChangeCase()) {
      case CREATE_FILE ->
          create(namespace, change.getCreateFile(), change.getClient(), caller, nowMs);
      case COMPLETE_FILE -> {
        CompleteFile asked = change.getCompleteFile();
        yield namespace
            .writing()
            .complete(asked.getFid(), change.getClient(), StoreMessages.content(asked), nowMs);
      }
      case ABANDON_FILE -> {
        namespace.writing().abandon(change.getAbandonFile().getFid(), change.getClient(), nowMs);
        yield null;
      }
      case MAKE_DIRECTORIES -> {
        MakeDirectories asked = change.getMakeDirectories();
        yield namespace.makeDirectories(
            StorePath.of(asked.getPath()), asked.getMode(), caller, nowMs);
      }
      case DELETE_PATH -> {
        DeletePath asked = change.getDeletePath();
        if (!isKept) {
          namespace.delete(StorePath.of(asked.getPath()), asked.getRecursive(), caller, nowMs);
        }
        yield null;
      }
      case RENAME_PATH -> {
        rename(namespace, change.getRenamePath(), caller, nowMs);
        yield null;
      }
      case SET_MODE, SET_OWNER, SET_MODIFIED, SET_PIN, SET_EXPIRY, SET_QUOTA -> {
        setAttribute(namespace, change, caller);
        yield null;
      }
      case ADD_MOUNT -> namespace.mount(change.getAddMount().getMount(), caller, nowMs);
      case REMOVE_MOUNT, RECORD_COPY -> {
        changeBelow(namespace, change, caller, nowMs);
        yield null;
      }
      case CREATE_DEPENDENCY,
          PREPARE_PROGRAM,
          BEGIN_RECOMPUTE,
          COMPLETE_RECOMPUTE,
          ABANDON_RECOMPUTE,
          REWRITE_BLOCK,
          SEAL_DEPENDENCY,
          GIVE_UP_FILE,
          SET_SYNCHRONOUS ->
          throw new IllegalArgumentException("for LineageChanges: " + change.getChangeCase());
      case CHANGE_NOT_SET ->
          throw new IllegalArgumentException("a change that this version does not know");
    };
  }

  private static void rename(Namespace namespace, RenamePath asked, Caller caller, long nowMs)
      throws NamespaceException {
    StorePath from = StorePath.of(asked.getFrom());
    StorePath to = StorePath.of(asked.getTo());
    namespace.rename(from, to, asked.getReplace(), caller, nowMs);
    if (asked.hasBelow()) {
      namespace.mounted().movedBelow(to, StoreMessages.below(asked.getBelow()));
    }
  }

  /**
   * Moves what is kept below out of sight, if the change is one that can be made.
   *
   * @return whether the change removes a file, and that is kept
   */
  private static boolean keep(Namespace namespace, ChangeRequest change, Caller caller, long nowMs)
      throws NamespaceException {
    StorePath removed = requirePossible(namespace, change, caller);
    long fid = namespace.mounted().sighting(removed, null).fid();
    for (KeptCopy kept : change.getKeptList()) {
      namespace.keptCopies().keep(kept.getFid(), StoreMessages.below(kept.getBelow()), nowMs);
    }
    return namespace.mounted().sighting(removed, null).fid() != fid;
  }

  /** Throws unless the change can be made; returns what it removes. */
  private static StorePath requirePossible(Namespace namespace, ChangeRequest change, Caller caller)
      throws NamespaceException {
    switch (change.getChangeCase()) {
      case DELETE_PATH -> {
        StorePath path = StorePath.of(change.getDeletePath().getPath());
        namespace.requireRemovable(path, change.getDeletePath().getRecursive(), caller);
        return path;
      }
      case RENAME_PATH -> {
        RenamePath asked = change.getRenamePath();
        StorePath to = StorePath.of(asked.getTo());
        namespace.requireRenamable(StorePath.of(asked.getFrom()), to, asked.getReplace(), caller);
        return to;
      }
      case CREATE_FILE -> {
        CreateFile asked = change.getCreateFile();
        StorePath path = StorePath.of(asked.getPath());
        Creation creation = StoreMessages.creation(asked, change.getClient());
        namespace.writing().requireCreatable(path, creation, caller);
        return path;
      }
      default -> throw new IllegalArgumentException("removes no file: " + change.getChangeCase());
    }
  }

  private static void changeBelow(
      Namespace namespace, ChangeRequest change, Caller caller, long nowMs)
      throws NamespaceException {
    if (change.hasRemoveMount()) {
      RemoveMount asked = change.getRemoveMount();
      StorePath path = StorePath.of(asked.getPath());
      namespace.mounted().remove(path, asked.getForce(), caller, nowMs);
    } else {
      RecordCopy asked = change.getRecordCopy();
      Below copy = StoreMessages.below(asked.getFile());
      namespace.mounted().record(asked.getFid(), StorePath.of(asked.getPath()), copy);
    }
  }

  private static void setAttribute(Namespace namespace, ChangeRequest change, Caller caller)
      throws NamespaceException {
    if (change.hasSetMode()) {
      SetMode asked = change.getSetMode();
      namespace.setMode(StorePath.of(asked.getPath()), asked.getMode(), caller);
    } else if (change.hasSetOwner()) {
      SetOwner asked = change.getSetOwner();
      namespace.setOwner(StorePath.of(asked.getPath()), asked.getOwner(), asked.getGroup(), caller);
    } else if (change.hasSetModified()) {
      SetModified asked = change.getSetModified();
      namespace.setModified(StorePath.of(asked.getPath()), asked.getModifiedMs(), caller);
    } else {
      setUse(namespace, change, caller);
    }
  }

  /** What memory and how much room a path may use, and for how long. */
  private static void setUse(Namespace namespace, ChangeRequest change, Caller caller)
      throws NamespaceException {
    if (change.hasSetPin()) {
      SetPin asked = change.getSetPin();
      namespace.uses().pins().set(StorePath.of(asked.getPath()), asked.getPinned(), caller);
    } else if (change.hasSetExpiry()) {
      SetExpiry asked = change.getSetExpiry();
      Expiry.Action action = asked.getFree() ? Expiry.Action.FREE : Expiry.Action.DELETE;
      namespace
          .uses()
          .expiries()
          .set(StorePath.of(asked.getPath()), asked.getAfterMs(), action, caller);
    } else {
      SetQuota asked = change.getSetQuota();
      namespace
          .uses()
          .quotas()
          .set(StorePath.of(asked.getPath()), asked.getNames(), asked.getBytes(), caller);
    }
  }

  private static FileInfo create(
      Namespace namespace, CreateFile asked, long client, Caller caller, long nowMs)
      throws NamespaceException {
    Lineage lineage = namespace.lineage();
    long dependency = asked.getDependency();
    long fid = asked.getFid();
    FileWriting writing = namespace.writing();
    // One that was begun under this id is an output since then.
    boolean grows = dependency != 0 && !lineage.graph().isOutput(fid);
    if (grows) {
      lineage.requireGrowing(dependency, caller);
      writing.requireOpen(fid, client);
    }
    StorePath path = StorePath.of(asked.getPath());
    Creation creation = StoreMessages.creation(asked, client);
    FileInfo made =
        asked.getComplete()
            ? writing.write(path, creation, fid, StoreMessages.content(asked), caller, nowMs)
            : writing.create(path, creation, fid, caller, nowMs);
    if (grows) {
      lineage.grow(dependency, made.fid(), DependencyMessages.part(asked.getOutput()));
    }
    return made;
  }
}
