package dev.sailfish.lineage.client;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sailfish.ground.wire.LeaderCalls;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.AbandonFile;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DeletePath;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.GrantWritingRequest;
import dev.sailfish.lineage.protocol.wire.GrantWritingResponse;
import dev.sailfish.lineage.protocol.wire.ListEntriesRequest;
import dev.sailfish.lineage.protocol.wire.ListEntriesResponse;
import dev.sailfish.lineage.protocol.wire.MakeDirectories;
import dev.sailfish.lineage.protocol.wire.OpenFileRequest;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.RenamePath;
import dev.sailfish.lineage.protocol.wire.RenewClientRequest;
import dev.sailfish.lineage.protocol.wire.RenewClientResponse;
import dev.sailfish.lineage.protocol.wire.SetExpiry;
import dev.sailfish.lineage.protocol.wire.SetMode;
import dev.sailfish.lineage.protocol.wire.SetModified;
import dev.sailfish.lineage.protocol.wire.SetOwner;
import dev.sailfish.lineage.protocol.wire.SetPin;
import dev.sailfish.lineage.protocol.wire.SetQuota;
import dev.sailfish.lineage.protocol.wire.StatRequest;
import dev.sailfish.lineage.protocol.wire.StatResponse;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.UseRequest;
import dev.sailfish.lineage.protocol.wire.UseResponse;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * Changes and reads the namespace, at whichever master leads. What fails because a connection broke
 * or the leader is gone is asked again for some time, and yet made once. Thread-safe; all threads
 * share one connection, on which each has its requests on their way at the same time.
 *
 * <p>All methods throw a {@link StoreRefusedException} when the master refuses, and another
 * IOException when no master answers in time: then a change may have been made or not.
 *
 * <p>Methods that end with Async return at once, and their results fail with the same exceptions.
 * Changes that are on their way together may be made in any order. Results complete on a thread
 * that works for all requests: what is done there must be short, and must not call methods that
 * wait.
 */
public final class NamespaceClient implements Closeable {
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final LeaderCalls leader;
  private final ChangeNumbers numbers = new ChangeNumbers();
  private final Duration patience;
  private final StoreUser user;
  private final String host;
  private final long id;

  /**
   * Does not connect yet.
   *
   * @param id names this client among all of any time: a random number that is not 0
   */
  public NamespaceClient(StoreClientConfig config, long id) {
    if (id == 0) {
      throw new IllegalArgumentException("a client is not 0");
    }
    String caller = "store client %016x".formatted(id);
    this.leader =
        new LeaderCalls(config.network(), config.masters(), caller, config.credentials(), DEADLINE);
    this.patience = config.patience();
    this.user = config.user();
    this.host = config.hosts().stream().findFirst().orElse("");
    this.id = id;
  }

  /** For whom it asks. */
  StoreUser user() {
    return user;
  }

  /**
   * Begins a file, which this client has to complete.
   *
   * @return what is known of it, and workers that may take its blocks
   */
  public ChangeResponse create(CreateFile file) throws IOException {
    return change(change -> change.setCreateFile(file));
  }

  /** The same, without a wait. */
  public CompletableFuture<ChangeResponse> createAsync(CreateFile file) {
    return changeAsync(change -> change.setCreateFile(file));
  }

  /**
   * Begins a file without a change: one that completes it makes it, too.
   *
   * @param file with an id that the masters keep for this client
   * @throws StoreRefusedException also because a change has to begin it: NOT_ANNOUNCED
   */
  ChangeResponse announce(CreateFile file) throws IOException {
    ChangeResponse response =
        call(LineageService.ANNOUNCE, announcement(file), ChangeResponse.parser());
    require(response.hasRefusal(), response.getRefusal());
    return response;
  }

  /** The same, without a wait. */
  CompletableFuture<ChangeResponse> announceAsync(CreateFile file) {
    return response(submit(LineageService.ANNOUNCE, announcement(file)));
  }

  private ChangeRequest announcement(CreateFile file) {
    return ChangeRequest.newBuilder().setClient(id).setUser(user).setCreateFile(file).build();
  }

  /**
   * Makes a file without content, which is complete at once. Refused where files are written below:
   * such a file is begun and closed.
   */
  public FileEntry createEmpty(CreateFile file) throws IOException {
    CreateFile asked = file.toBuilder().setComplete(true).build();
    return change(change -> change.setCreateFile(asked)).getEntry();
  }

  /** The same, without a wait. */
  public CompletableFuture<FileEntry> createEmptyAsync(CreateFile file) {
    CreateFile asked = file.toBuilder().setComplete(true).build();
    return changeAsync(change -> change.setCreateFile(asked)).thenApply(ChangeResponse::getEntry);
  }

  /**
   * Completes a file of this client: from now on it is read.
   *
   * @param places where each of its blocks is, as workers have said
   */
  public FileEntry complete(long fid, long length, List<Integer> places) throws IOException {
    CompleteFile asked = completion(fid, length, places);
    return change(change -> change.setCompleteFile(asked)).getEntry();
  }

  /** The same, without a wait. */
  public CompletableFuture<FileEntry> completeAsync(long fid, long length, List<Integer> places) {
    CompleteFile asked = completion(fid, length, places);
    return changeAsync(change -> change.setCompleteFile(asked)).thenApply(ChangeResponse::getEntry);
  }

  private static CompleteFile completion(long fid, long length, List<Integer> places) {
    return CompleteFile.newBuilder().setFid(fid).setLength(length).addAllPlaces(places).build();
  }

  /** Removes a file of this client that is not complete. */
  public void abandon(long fid) throws IOException {
    change(change -> change.setAbandonFile(AbandonFile.newBuilder().setFid(fid)));
  }

  /** The same, without a wait. */
  public CompletableFuture<Void> abandonAsync(long fid) {
    AbandonFile asked = AbandonFile.newBuilder().setFid(fid).build();
    return changeAsync(change -> change.setAbandonFile(asked)).thenAccept(made -> {});
  }

  /** Makes a directory, and those above it; one that is there stays as it is. */
  public FileEntry makeDirectories(String path, int mode) throws IOException {
    MakeDirectories asked = MakeDirectories.newBuilder().setPath(path).setMode(mode).build();
    return change(change -> change.setMakeDirectories(asked)).getEntry();
  }

  /** Removes a file or directory; one with entries only if that is recursive. */
  public void delete(String path, boolean recursive) throws IOException {
    DeletePath asked = DeletePath.newBuilder().setPath(path).setRecursive(recursive).build();
    change(change -> change.setDeletePath(asked));
  }

  /** Moves a file or directory; with {@code replace} onto a file or an empty directory, too. */
  public void rename(String from, String to, boolean replace) throws IOException {
    RenamePath asked = RenamePath.newBuilder().setFrom(from).setTo(to).setReplace(replace).build();
    change(change -> change.setRenamePath(asked));
  }

  /** Sets the twelve bits of permissions. */
  public void setMode(String path, int mode) throws IOException {
    change(change -> change.setSetMode(SetMode.newBuilder().setPath(path).setMode(mode)));
  }

  /** Sets owner and group; an empty one stays as it is. */
  public void setOwner(String path, String owner, String group) throws IOException {
    SetOwner asked = SetOwner.newBuilder().setPath(path).setOwner(owner).setGroup(group).build();
    change(change -> change.setSetOwner(asked));
  }

  /** Sets when it was modified, in milliseconds since 1970. */
  public void setModified(String path, long modifiedMs) throws IOException {
    SetModified asked = SetModified.newBuilder().setPath(path).setModifiedMs(modifiedMs).build();
    change(change -> change.setSetModified(asked));
  }

  /** Has the blocks of a file, or of all files below a directory, stay in memory, or ends that. */
  public void setPin(String path, boolean pinned) throws IOException {
    change(change -> change.setSetPin(SetPin.newBuilder().setPath(path).setPinned(pinned)));
  }

  /**
   * Has a file go after some time, in milliseconds; 0: it stays.
   *
   * @param free whether it leaves the workers only, in place of being deleted
   */
  public void setExpiry(String path, long afterMs, boolean free) throws IOException {
    SetExpiry asked =
        SetExpiry.newBuilder().setPath(path).setAfterMs(afterMs).setFree(free).build();
    change(change -> change.setSetExpiry(asked));
  }

  /**
   * Limits what may be in a directory; 0: there is no limit.
   *
   * @param names how many files and directories, with the directory itself
   * @param bytes how long its files may be together
   */
  public void setQuota(String path, long names, long bytes) throws IOException {
    SetQuota asked = SetQuota.newBuilder().setPath(path).setNames(names).setBytes(bytes).build();
    change(change -> change.setSetQuota(asked));
  }

  /** The quota of a directory and what is in it, how long a file has to live, what is pinned. */
  public UseResponse use(String path) throws IOException {
    UseRequest asked = UseRequest.newBuilder().setUser(user).setPath(path).build();
    UseResponse response = call(LineageService.USE, asked, UseResponse.parser());
    require(response.hasRefusal(), response.getRefusal());
    return response;
  }

  /** What is known of a file or directory. */
  public FileEntry stat(String path) throws IOException {
    return stat(StatRequest.newBuilder().setUser(user).setPath(path).build());
  }

  /** The same, without a wait. */
  public CompletableFuture<FileEntry> statAsync(String path) {
    StatRequest asked = StatRequest.newBuilder().setUser(user).setPath(path).build();
    return leader
        .attend(submit(LineageService.STAT, asked))
        .thenApply(
            reply -> {
              StatResponse response = parsed(StatResponse.parser(), reply);
              refuse(response.hasRefusal(), response.getRefusal());
              return response.getEntry();
            });
  }

  /** The same by its id, wherever it is. */
  public FileEntry stat(long fid) throws IOException {
    return stat(StatRequest.newBuilder().setUser(user).setFid(fid).build());
  }

  private FileEntry stat(StatRequest asked) throws IOException {
    StatResponse response = call(LineageService.STAT, asked, StatResponse.parser());
    require(response.hasRefusal(), response.getRefusal());
    return response.getEntry();
  }

  /**
   * What is known of a file that is to be read, and where its first blocks are.
   *
   * @param blocks how many, at most; 0: as many as the master names in one answer
   */
  public OpenFileResponse open(String path, int blocks) throws IOException {
    return open(path, 0, blocks);
  }

  /**
   * What is known of a file that is to be read, and where some of its blocks are.
   *
   * @param firstBlock from 0
   * @param blocks how many, at most; 0: as many as the master names in one answer
   */
  public OpenFileResponse open(String path, int firstBlock, int blocks) throws IOException {
    return open(
        OpenFileRequest.newBuilder().setPath(path).setFirstBlock(firstBlock).setBlockLimit(blocks));
  }

  /** Where further blocks of a file are that was opened. */
  public OpenFileResponse locate(long fid, int firstBlock, int blocks) throws IOException {
    return open(
        OpenFileRequest.newBuilder().setFid(fid).setFirstBlock(firstBlock).setBlockLimit(blocks));
  }

  private OpenFileResponse open(OpenFileRequest.Builder asked) throws IOException {
    OpenFileRequest request = asked.setUser(user).setHost(host).build();
    OpenFileResponse response = call(LineageService.OPEN, request, OpenFileResponse.parser());
    require(response.hasRefusal(), response.getRefusal());
    return response;
  }

  /**
   * Gives all entries of a directory, in the order of their names' bytes; of a file, itself. What
   * is added or removed meanwhile may be given or not.
   */
  public void list(String path, Consumer<FileEntry> entries) throws IOException {
    String after = "";
    boolean more = true;
    while (more) {
      ListEntriesResponse page = list(path, after, 0);
      page.getEntriesList().forEach(entries);
      more = page.getMore();
      after = more ? page.getEntries(page.getEntriesCount() - 1).getName() : "";
    }
  }

  /**
   * Gives some entries of a directory, in the order of their names' bytes; of a file, itself.
   *
   * @param after the last name that the caller has already; empty to begin with
   * @param limit how many, at most; 0: as many as the master gives in one answer
   * @return the entries, whether more follow, and whether the path is a file
   */
  public ListEntriesResponse list(String path, String after, int limit) throws IOException {
    return list(ListEntriesRequest.newBuilder().setPath(path).setAfter(after).setLimit(limit));
  }

  /**
   * The same, with where files are; those that have many blocks are to be asked for themselves.
   *
   * @param after the last name that the caller has already; empty to begin with
   */
  public ListEntriesResponse listPlaces(String path, String after) throws IOException {
    return list(ListEntriesRequest.newBuilder().setPath(path).setAfter(after).setPlaces(true));
  }

  /**
   * The same, with what is done with entries now.
   *
   * @param after the last name that the caller has already; empty to begin with
   */
  public ListEntriesResponse listConditions(String path, String after) throws IOException {
    return list(
        ListEntriesRequest.newBuilder()
            .setPath(path)
            .setAfter(after)
            .setPlaces(true)
            .setConditions(true));
  }

  private ListEntriesResponse list(ListEntriesRequest.Builder asked) throws IOException {
    ListEntriesResponse response =
        call(LineageService.LIST, asked.setUser(user).build(), ListEntriesResponse.parser());
    require(response.hasRefusal(), response.getRefusal());
    return response;
  }

  /**
   * What the writer of a file of this client needs to go on.
   *
   * @param refused numbers of workers that are not to be named
   * @return a new block token, empty if none is needed; and workers that may take further blocks,
   *     the best first
   */
  public GrantWritingResponse grantWriting(long fid, Collection<Integer> refused)
      throws IOException {
    GrantWritingRequest asked =
        GrantWritingRequest.newBuilder()
            .setClient(id)
            .setFid(fid)
            .setHost(host)
            .addAllRefused(refused)
            .build();
    GrantWritingResponse response =
        call(LineageService.GRANT_WRITING, asked, GrantWritingResponse.parser());
    require(response.hasRefusal(), response.getRefusal());
    return response;
  }

  /**
   * Says that this client lives.
   *
   * @return how long it may be silent, in milliseconds, before what it has not completed goes
   */
  public long renew() throws IOException {
    RenewClientRequest asked = RenewClientRequest.newBuilder().setClient(id).build();
    return call(LineageService.RENEW, asked, RenewClientResponse.parser()).getLeaseMs();
  }

  <Q extends MessageLite, A extends MessageLite> A call(
      Operation<Q, A> operation, Q request, Parser<A> parser) throws IOException {
    return parser.parseFrom(leader.await(submit(operation, request)));
  }

  private <Q extends MessageLite> CompletableFuture<byte[]> submit(
      Operation<Q, ?> operation, Q request) {
    return leader.submit(operation, request.toByteArray(), patience);
  }

  ChangeResponse change(Consumer<ChangeRequest.Builder> what) throws IOException {
    ChangeResponse response = ChangeResponse.parseFrom(leader.await(begin(what)));
    require(response.hasRefusal(), response.getRefusal());
    return response;
  }

  CompletableFuture<ChangeResponse> changeAsync(Consumer<ChangeRequest.Builder> what) {
    return response(begin(what));
  }

  private CompletableFuture<ChangeResponse> response(CompletableFuture<byte[]> answer) {
    return leader
        .attend(answer)
        .thenApply(
            reply -> {
              ChangeResponse response = parsed(ChangeResponse.parser(), reply);
              refuse(response.hasRefusal(), response.getRefusal());
              return response;
            });
  }

  /** Has a change sent under the next number, which is free again when there is an answer. */
  private CompletableFuture<byte[]> begin(Consumer<ChangeRequest.Builder> what) {
    CompletableFuture<byte[]> result = new CompletableFuture<>();
    numbers.begin(
        (number, answeredBelow) -> {
          ChangeRequest.Builder change =
              ChangeRequest.newBuilder()
                  .setClient(id)
                  .setNumber(number)
                  .setAnsweredBelow(answeredBelow)
                  .setUser(user);
          what.accept(change);
          submit(LineageService.CHANGE, change.build())
              .whenComplete(
                  (reply, error) -> {
                    numbers.ended(number);
                    if (error == null) {
                      result.complete(reply);
                    } else {
                      result.completeExceptionally(error);
                    }
                  });
        });
    return result;
  }

  private static <A> A parsed(Parser<A> parser, byte[] reply) {
    try {
      return parser.parseFrom(reply);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private static void refuse(boolean isRefused, Refusal refusal) {
    if (isRefused) {
      throw new CompletionException(new StoreRefusedException(refusal));
    }
  }

  static void require(boolean isRefused, Refusal refusal) throws StoreRefusedException {
    if (isRefused) {
      throw new StoreRefusedException(refusal);
    }
  }

  @Override
  public void close() {
    leader.close();
  }
}
