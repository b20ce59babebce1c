package dev.sailfish.lineage.master;

import com.google.protobuf.MessageLite;
import dev.sailfish.lineage.master.namespace.BlockCopies;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.MountedFile;
import dev.sailfish.lineage.master.namespace.MountedTree.Freeable;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Pins;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.master.under.UnderGate;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FreeFilesRequest;
import dev.sailfish.lineage.protocol.wire.FreeFilesResponse;
import dev.sailfish.lineage.protocol.wire.ListMountsRequest;
import dev.sailfish.lineage.protocol.wire.ListMountsResponse;
import dev.sailfish.lineage.protocol.wire.MountEntry;
import dev.sailfish.lineage.protocol.wire.ReadMode;
import dev.sailfish.lineage.protocol.wire.UnderFileRequest;
import dev.sailfish.lineage.protocol.wire.UnderFileResponse;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountKey;
import dev.sailfish.lineage.understore.mount.MountedPath;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What the leader is asked of mounts and of files below; under the driver's lock. */
final class UnderRequests {
  private static final int ALL_BLOCKS = 1 << 20;

  private final UnderGate gate;
  private final WorkerWatch watch;

  UnderRequests(UnderGate gate, WorkerWatch watch) {
    this.gate = gate;
    this.watch = watch;
  }

  MessageLite mounts(Namespace namespace, ListMountsRequest asked) {
    ListMountsResponse.Builder response = ListMountsResponse.newBuilder();
    for (Mount mount : namespace.mounted().mounts()) {
      MountEntry.Builder entry =
          MountEntry.newBuilder().setPath(mount.path()).setRoot(mount.root().toString());
      if (asked.getUser().getSuperuser()) {
        entry.setMount(mount.text());
      }
      response.addMounts(entry);
    }
    return response.build();
  }

  /** What a worker has to know to read or write a file below. */
  MessageLite underFile(Namespace namespace, UnderFileRequest asked) {
    UnderFileResponse.Builder response = UnderFileResponse.newBuilder();
    try {
      MountedFile file = namespace.mountedFile(asked.getFid());
      if (asked.getChanged()) {
        gate.forget(file.path());
      }
      if (file.below() != null) {
        response.setFile(StoreMessages.record(file.below()));
      }
      if (asked.getWorker() != 0) {
        namespace.workers().stream()
            .filter(worker -> worker.number() == asked.getWorker())
            .map(StoreMessages::address)
            .forEach(response::setWorker);
      }
      return response
          .setMount(file.under().mount().text())
          .setPath(file.path())
          .setUnderPath(file.under().path().text())
          .setOwner(file.info().owner())
          .setEntry(StoreMessages.entry(file.info()))
          .build();
    } catch (NamespaceException e) {
      return response.setRefusal(StoreMessages.refusal(e)).build();
    }
  }

  /** Has workers let go of blocks that are below, with their next heartbeat. */
  MessageLite free(Namespace namespace, FreeFilesRequest asked) {
    FreeFilesResponse.Builder response = FreeFilesResponse.newBuilder();
    try {
      StorePath path = StorePath.of(asked.getPath());
      Caller caller = StoreMessages.caller(asked.getUser());
      Pins pins = namespace.uses().pins();
      pins.requireUnpinned(path, namespace.stat(path, caller));
      Freeable freeable = namespace.mounted().freeable(path, caller);
      List<Long> going = freeable.fids().stream().filter(fid -> !pins.isPinned(fid)).toList();
      for (long fid : going) {
        Set<Integer> holders = new TreeSet<>();
        for (BlockCopies block : namespace.blocks(fid, 0, ALL_BLOCKS)) {
          for (int place : block.places()) {
            holders.add(Place.worker(place));
          }
        }
        holders.forEach(worker -> watch.freed(fid, worker));
      }
      return response
          .setFreed(going.size())
          .setKept(freeable.kept())
          .setPinned(freeable.fids().size() - going.size())
          .build();
    } catch (NamespaceException e) {
      return response.setRefusal(StoreMessages.refusal(e)).build();
    }
  }

  /**
   * Where the bytes of a file go that is to be created.
   *
   * @throws NamespaceException DENIED: the mount is read-only; INVALID: nothing is mounted there
   */
  static WriteMode writeMode(Namespace namespace, CreateFile asked) throws NamespaceException {
    StorePath path = StorePath.of(asked.getPath());
    Optional<Mount> mount = namespace.mounted().find(path).map(MountedPath::mount);
    boolean isWritable = mount.isPresent() && !mount.get().get(MountKey.READ_ONLY);
    WriteMode mode = writeMode(mount, asked.getWriteMode());
    if (mode == WriteMode.WRITE_MEMORY && isWritable && isThrough(namespace, asked)) {
      mode = WriteMode.WRITE_THROUGH;
    }
    if (mode != WriteMode.WRITE_MEMORY) {
      namespace.mounted().requireWritable(path);
    }
    return mode;
  }

  private static WriteMode writeMode(Optional<Mount> mount, WriteMode asked) {
    return switch (asked) {
      case WRITE_AS_MOUNTED, WRITE_THROUGH_IF_MOUNTED ->
          switch (mount.map(at -> at.get(MountKey.WRITE)).orElse("memory")) {
            case "bypass" -> WriteMode.WRITE_BYPASS;
            case "through" -> WriteMode.WRITE_THROUGH;
            default -> WriteMode.WRITE_MEMORY;
          };
      default -> asked;
    };
  }

  /** Whether a file that would be in memory alone is written through where that can be. */
  private static boolean isThrough(Namespace namespace, CreateFile asked) {
    return asked.getWriteMode() == WriteMode.WRITE_THROUGH_IF_MOUNTED
        || namespace.writing().isSynchronous()
        || namespace.lineage().graph().isNondeterministic(asked.getDependency());
  }

  /** How a file that is below is read if its reader does not say. */
  static ReadMode readMode(Namespace namespace, long fid) throws NamespaceException {
    return switch (namespace.mountedFile(fid).under().mount().get(MountKey.READ)) {
      case "memory" -> ReadMode.READ_MEMORY;
      case "direct" -> ReadMode.READ_DIRECT;
      default -> ReadMode.READ_MIXED;
    };
  }
}
