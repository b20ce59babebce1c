package dev.sailfish.lineage.client;

import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.AddMount;
import dev.sailfish.lineage.protocol.wire.FreeFilesRequest;
import dev.sailfish.lineage.protocol.wire.FreeFilesResponse;
import dev.sailfish.lineage.protocol.wire.ListMountsRequest;
import dev.sailfish.lineage.protocol.wire.ListMountsResponse;
import dev.sailfish.lineage.protocol.wire.MountEntry;
import dev.sailfish.lineage.protocol.wire.RemoveMount;
import dev.sailfish.lineage.protocol.wire.SetSynchronous;
import java.io.IOException;
import java.util.List;

/** Mounts under stores. Thread-safe; throws what {@link NamespaceClient} does. */
public final class Mounts {
  private final NamespaceClient namespace;

  Mounts(NamespaceClient namespace) {
    this.namespace = namespace;
  }

  /**
   * Mounts an under store; for superusers. The master looks whether it is there.
   *
   * @param mount {@code path URI name=value ...}
   */
  public void add(String mount) throws IOException {
    namespace.change(change -> change.setAddMount(AddMount.newBuilder().setMount(mount)));
  }

  /**
   * Takes a mount away; for superusers. What is under its path goes out of the store, and stays
   * below.
   *
   * @param force whether files may go that are not below
   */
  public void remove(String path, boolean force) throws IOException {
    RemoveMount asked = RemoveMount.newBuilder().setPath(path).setForce(force).build();
    namespace.change(change -> change.setRemoveMount(asked));
  }

  /**
   * Has new files written through wherever a file system is mounted, whatever their writers ask for
   * (bypass alone stays), or ends that; for superusers.
   */
  public void setSynchronous(boolean on) throws IOException {
    SetSynchronous asked = SetSynchronous.newBuilder().setOn(on).build();
    namespace.change(change -> change.setSetSynchronous(asked));
  }

  /** What is mounted, in the order of the paths; superusers see the options, too. */
  public List<MountEntry> list() throws IOException {
    ListMountsRequest asked = ListMountsRequest.newBuilder().setUser(namespace.user()).build();
    ListMountsResponse response =
        namespace.call(LineageService.LIST_MOUNTS, asked, ListMountsResponse.parser());
    NamespaceClient.require(response.hasRefusal(), response.getRefusal());
    return response.getMountsList();
  }

  /**
   * Lets the blocks of a file go, or of all files of a directory, that have a copy below. Workers
   * hear it within their next heartbeats. What is pinned in the directory stays.
   *
   * @return how many files that are, and how many others there are
   * @throws StoreRefusedException also when the file or directory itself is pinned, be it by one
   *     above it
   */
  public FreeFilesResponse free(String path) throws IOException {
    FreeFilesRequest asked =
        FreeFilesRequest.newBuilder().setUser(namespace.user()).setPath(path).build();
    FreeFilesResponse response =
        namespace.call(LineageService.FREE, asked, FreeFilesResponse.parser());
    NamespaceClient.require(response.hasRefusal(), response.getRefusal());
    return response;
  }
}
