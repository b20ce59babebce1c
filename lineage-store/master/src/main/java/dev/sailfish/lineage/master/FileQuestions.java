package dev.sailfish.lineage.master;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.lineage.master.checkpoint.Checkpoints;
import dev.sailfish.lineage.master.dependency.OutputState;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.master.table.Fid;
import dev.sailfish.lineage.protocol.BlockToken.Access;
import dev.sailfish.lineage.protocol.wire.FileCondition;
import dev.sailfish.lineage.protocol.wire.ListEntriesRequest;
import dev.sailfish.lineage.protocol.wire.ListEntriesResponse;
import dev.sailfish.lineage.protocol.wire.OpenFileRequest;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.StatRequest;
import dev.sailfish.lineage.protocol.wire.StatResponse;
import java.util.List;
import java.util.Optional;

/** Answers questions about files; under the driver's lock. */
final class FileQuestions {
  private static final int LONGEST_LIST = 1000;
  private static final int LONGEST_LIST_WITH_PLACES = 200;

  private final UserAccess access;
  private final WorkerWatch watch;
  private final WorkerRacks racks;
  private final Checkpoints checkpoints;
  private final LineageRequests lineage;

  FileQuestions(
      UserAccess access,
      WorkerWatch watch,
      WorkerRacks racks,
      Checkpoints checkpoints,
      LineageRequests lineage) {
    this.access = access;
    this.watch = watch;
    this.racks = racks;
    this.checkpoints = checkpoints;
    this.lineage = lineage;
  }

  /** What is known of a file that is to be read, and where its blocks are. */
  MessageLite open(Namespace namespace, Principal who, OpenFileRequest asked) {
    OpenFileResponse.Builder response = OpenFileResponse.newBuilder();
    int wanted = asked.getBlockLimit();
    int limit = wanted <= 0 || wanted > LONGEST_LIST ? LONGEST_LIST : wanted;
    try {
      FileInfo info =
          asked.getPath().isEmpty()
              ? byId(namespace, who, asked)
              : namespace.open(
                  StorePath.of(asked.getPath()), StoreMessages.caller(asked.getUser()));
      if (!asked.getPath().isEmpty()) {
        checkpoints.read(info.fid()); // by its id one asks that has opened it before
      }
      Locator locator = new Locator(namespace);
      if (info.isBelow()) {
        response.setReadMode(UnderRequests.readMode(namespace, info.fid()));
      }
      if (info.isBelow() || info.length() == 0) { // of an empty one no worker has a block
        watch.choose(namespace.workers(), asked.getHost(), LineageMaster.WORKERS_PER_FILE).stream()
            .map(worker -> racks.address(worker, asked.getHost()))
            .forEach(response::addReaders);
      }
      locator.near(asked.getHost()).ifPresent(response::setNear);
      return response
          .addAllBlocks(locator.locate(info.fid(), asked.getFirstBlock(), limit))
          .addAllWorkers(
              locator.named().map(worker -> racks.address(worker, asked.getHost())).toList())
          .setEntry(StoreMessages.entry(info))
          .setBlockToken(access.blockToken(who, info.fid(), Access.READ))
          .build();
    } catch (NamespaceException e) {
      return response.setRefusal(StoreMessages.refusal(e)).build();
    }
  }

  private static FileInfo byId(Namespace namespace, Principal who, OpenFileRequest asked)
      throws NamespaceException {
    FileInfo info = UserAccess.byId(who, namespace, asked.getFid(), asked.getUser());
    boolean isRevived = namespace.lineage().graph().state(info.fid()) == OutputState.REVIVING;
    if (isRevived && !info.isComplete()) {
      throw new NamespaceException(
          Reason.NOT_COMPLETE,
          "fid=%s was deleted, and is being made again".formatted(Fid.text(info.fid())));
    }
    return info;
  }

  /** What is known of a file or directory. */
  MessageLite stat(Namespace namespace, Principal who, StatRequest asked) {
    StatResponse.Builder response = StatResponse.newBuilder();
    try {
      FileInfo info =
          asked.getPath().isEmpty()
              ? UserAccess.byId(who, namespace, asked.getFid(), asked.getUser())
              : namespace.stat(
                  StorePath.of(asked.getPath()), StoreMessages.caller(asked.getUser()));
      return response.setEntry(StoreMessages.entry(info)).build();
    } catch (NamespaceException e) {
      return response.setRefusal(StoreMessages.refusal(e)).build();
    }
  }

  /** Entries of a directory, and where they are. */
  MessageLite list(Namespace namespace, ListEntriesRequest asked) {
    int wanted = asked.getLimit();
    int longest = asked.getPlaces() ? LONGEST_LIST_WITH_PLACES : LONGEST_LIST;
    int limit = wanted <= 0 || wanted > longest ? longest : wanted;
    ListEntriesResponse.Builder response = ListEntriesResponse.newBuilder();
    try {
      StorePath path = StorePath.of(asked.getPath());
      Caller caller = StoreMessages.caller(asked.getUser());
      List<FileInfo> infos = namespace.list(path, asked.getAfter(), limit + 1, caller);
      infos.stream().limit(limit).map(StoreMessages::entry).forEach(response::addEntries);
      List<FileInfo> shown = infos.subList(0, response.getEntriesCount());
      if (asked.getPlaces()) {
        Locator locator = new Locator(namespace);
        for (FileInfo info : shown) {
          locator.locate(info).ifPresent(response::addFiles);
        }
        response.addAllWorkers(locator.named().map(StoreMessages::address).toList());
      }
      if (asked.getPlaces() && asked.getConditions()) {
        shown.forEach(info -> condition(namespace, info).ifPresent(response::addConditions));
      }
      boolean isFile = !namespace.stat(path, caller).isDirectory();
      return response.setFile(isFile).setMore(infos.size() > limit).build();
    } catch (NamespaceException e) {
      return response.setRefusal(StoreMessages.refusal(e)).build();
    }
  }

  /** How a file or directory is; empty where there is nothing to say. */
  private Optional<FileCondition> condition(Namespace namespace, FileInfo info) {
    FileCondition.Builder condition =
        FileCondition.newBuilder()
            .setPinned(namespace.uses().pins().isPinned(info.fid()))
            .setCopying(checkpoints.isCopied(info.fid()));
    lineage.describe(info.fid(), condition);
    boolean isUsual = condition.build().equals(FileCondition.getDefaultInstance());
    return isUsual ? Optional.empty() : Optional.of(condition.setFid(info.fid()).build());
  }
}
