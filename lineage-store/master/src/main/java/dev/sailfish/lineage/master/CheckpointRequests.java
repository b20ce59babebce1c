package dev.sailfish.lineage.master;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.replica.Replica;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.Routes;
import dev.sailfish.lineage.master.checkpoint.CheckpointNumbers;
import dev.sailfish.lineage.master.checkpoint.Checkpoints;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.FileWriting;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.master.state.StoreState;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.CheckpointPathRequest;
import dev.sailfish.lineage.protocol.wire.CheckpointPathResponse;
import dev.sailfish.lineage.protocol.wire.CheckpointReport;
import dev.sailfish.lineage.protocol.wire.ListCheckpointsRequest;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** What users and operators ask of checkpoints. Under the state's lock. */
final class CheckpointRequests {
  private static final int LONGEST_LIST = 1000;
  private static final int MOST_FILES = 20_000;
  private static final int MOST_FAILED = 20;

  private final Replica replica;
  private final StoreState state;
  private final StoreUsers users;
  private final Announcements announcements;
  private final Checkpoints checkpoints;

  CheckpointRequests(
      Replica replica,
      StoreState state,
      StoreUsers users,
      Announcements announcements,
      Checkpoints checkpoints) {
    this.replica = replica;
    this.state = state;
    this.users = users;
    this.announcements = announcements;
    this.checkpoints = checkpoints;
  }

  /** Adds the operations. */
  Routes on(Routes routes) {
    return routes
        .on(LineageService.CHECKPOINT_PATH, CheckpointPathRequest.parser(), this::checkpoint)
        .on(LineageService.LIST_CHECKPOINTS, ListCheckpointsRequest.parser(), this::list);
  }

  private void list(Request request, ListCheckpointsRequest asked) throws IOException {
    Caller caller = StoreMessages.caller(users.user(request.principal(), asked.getUser()));
    int wanted = asked.getLimit();
    int limit = wanted <= 0 || wanted > LONGEST_LIST ? LONGEST_LIST : wanted;
    replica.read(request, () -> checkpoints.page(caller, asked.getSkip(), limit));
  }

  private void checkpoint(Request request, CheckpointPathRequest asked) throws IOException {
    Caller caller = StoreMessages.caller(users.user(request.principal(), asked.getUser()));
    replica.after(
        request,
        announcements.settle(asked.getPath(), FileWriting.NEW_ID),
        () -> replica.read(request, () -> checkpoint(asked.getPath(), caller)));
  }

  private MessageLite checkpoint(String text, Caller caller) {
    CheckpointPathResponse.Builder response = CheckpointPathResponse.newBuilder();
    try {
      StorePath path = StorePath.of(text);
      state.namespace().mounted().requireWritable(path);
      for (FileInfo file : files(path, caller)) {
        add(file, caller, response);
      }
      return response.build();
    } catch (NamespaceException e) {
      return CheckpointPathResponse.newBuilder().setRefusal(StoreMessages.refusal(e)).build();
    }
  }

  /** A file, or all files below a directory, that the caller may read. */
  private List<FileInfo> files(StorePath path, Caller caller) throws NamespaceException {
    Namespace namespace = state.namespace();
    List<FileInfo> files = new ArrayList<>();
    FileInfo first = namespace.stat(path, caller);
    if (!first.isDirectory()) {
      return List.of(namespace.open(path, caller));
    }
    Deque<StorePath> open = new ArrayDeque<>(List.of(path));
    while (!open.isEmpty()) {
      StorePath directory = open.pop();
      for (FileInfo entry : namespace.list(directory, "", MOST_FILES + 1, caller)) {
        String name = (directory.depth() == 0 ? "" : directory) + "/" + entry.name();
        if (entry.isDirectory()) {
          open.add(StorePath.of(name));
        } else {
          files.add(entry.isComplete() ? namespace.open(StorePath.of(name), caller) : entry);
        }
        if (files.size() + open.size() > MOST_FILES) {
          throw new NamespaceException(
              Reason.INVALID,
              path + " has more than " + MOST_FILES + " files: name its directories one by one");
        }
      }
    }
    return files;
  }

  private void add(FileInfo file, Caller caller, CheckpointPathResponse.Builder response) {
    if (!file.isComplete()) {
      response.setWriting(response.getWriting() + 1);
      return;
    }
    response.setFiles(response.getFiles() + 1);
    if (file.isBelow()) {
      return;
    }
    response.setLeft(response.getLeft() + 1).setLeftBytes(response.getLeftBytes() + file.length());
    checkpoints.ask(file.fid());
    if (response.getFailedCount() < MOST_FAILED) {
      checkpoints
          .entry(file.fid(), caller)
          .filter(entry -> entry.getFailures() > 0)
          .ifPresent(response::addFailed);
    }
  }

  /** How far checkpoints are, for a report of the store. */
  static CheckpointReport report(Checkpoints checkpoints) {
    CheckpointNumbers numbers = checkpoints.numbers();
    return CheckpointReport.newBuilder()
        .setFiles(numbers.files())
        .setBytes(numbers.bytes())
        .setCopying(numbers.copying())
        .setOldestMs(numbers.oldestMs())
        .setCheckpointedFiles(numbers.copiedFiles())
        .setCheckpointedBytes(numbers.copiedBytes())
        .setSparedBytes(numbers.sparedBytes())
        .setEdgeMs(numbers.edgeMs())
        .setLooked(checkpoints.isTold())
        .build();
  }
}
