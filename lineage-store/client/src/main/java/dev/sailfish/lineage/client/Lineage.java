package dev.sailfish.lineage.client;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.CheckpointEntry;
import dev.sailfish.lineage.protocol.wire.CheckpointPathRequest;
import dev.sailfish.lineage.protocol.wire.CheckpointPathResponse;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.GetDependencyRequest;
import dev.sailfish.lineage.protocol.wire.GetDependencyResponse;
import dev.sailfish.lineage.protocol.wire.GiveUpFile;
import dev.sailfish.lineage.protocol.wire.ListCheckpointsRequest;
import dev.sailfish.lineage.protocol.wire.ListCheckpointsResponse;
import dev.sailfish.lineage.protocol.wire.ListDependenciesRequest;
import dev.sailfish.lineage.protocol.wire.ListDependenciesResponse;
import dev.sailfish.lineage.protocol.wire.ListLostFilesRequest;
import dev.sailfish.lineage.protocol.wire.ListLostFilesResponse;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.ReportRecomputeRequest;
import dev.sailfish.lineage.protocol.wire.ReportRecomputeResponse;
import dev.sailfish.lineage.protocol.wire.SealDependency;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.WantFileRequest;
import dev.sailfish.lineage.protocol.wire.WantFileResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Lineage records: how files are made, and which of them are lost (Tachyon, table 2). Thread-safe.
 * All methods throw a {@link StoreRefusedException} when the master refuses, and another
 * IOException when no master answers in time.
 */
public final class Lineage {
  private final StoreClient client;
  private final NamespaceClient namespace;
  private final StoredPrograms programs;

  Lineage(StoreClient client, Clock clock) {
    this.client = client;
    this.namespace = client.namespace();
    this.programs = new StoredPrograms(client, clock);
  }

  // ---- records

  /**
   * Records how files are made. They are the caller's and are in the store, complete or not; the
   * caller may read the inputs; the programs were {@link #upload uploaded}. A record that is
   * growing gets more outputs as these are {@linkplain CreateFile#getDependency() created}, until
   * it is {@linkplain #seal sealed}.
   *
   * @return the record's id; if the caller has one of that name already, that one's, and nothing
   *     else is recorded
   */
  public long create(CreateDependency dependency) throws IOException {
    return namespace.change(change -> change.setCreateDependency(dependency)).getDependency();
  }

  /**
   * No output is added to a record any more; for who has made it, and superusers. A repetition does
   * no harm.
   */
  public void seal(long id) throws IOException {
    SealDependency asked = SealDependency.newBuilder().setId(id).build();
    namespace.change(change -> change.setSealDependency(asked));
  }

  /** A record; for who has made it, and superusers. */
  public DependencyRecord get(long id) throws IOException {
    return get(GetDependencyRequest.newBuilder().setId(id));
  }

  /** The record of how a file is made. */
  public DependencyRecord of(long fid) throws IOException {
    return get(GetDependencyRequest.newBuilder().setFid(fid));
  }

  /** The caller's record of this name, if there is one. */
  public Optional<DependencyRecord> find(String name) throws IOException {
    return find(GetDependencyRequest.newBuilder().setName(name));
  }

  /** A user's record of this name, if there is one; for superusers. */
  public Optional<DependencyRecord> find(String owner, String name) throws IOException {
    StoreUser user = namespace.user().toBuilder().setName(owner).build();
    return find(GetDependencyRequest.newBuilder().setName(name), user);
  }

  /**
   * The same without inputs, outputs, programs and configuration: the answer is short, however many
   * outputs the record has.
   */
  public Optional<DependencyRecord> findBrief(String name) throws IOException {
    return find(GetDependencyRequest.newBuilder().setName(name).setBrief(true));
  }

  private Optional<DependencyRecord> find(GetDependencyRequest.Builder asked) throws IOException {
    return find(asked, namespace.user());
  }

  private Optional<DependencyRecord> find(GetDependencyRequest.Builder asked, StoreUser user)
      throws IOException {
    try {
      return Optional.of(get(asked, user));
    } catch (StoreRefusedException e) {
      if (e.reason() == Refusal.Reason.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private DependencyRecord get(GetDependencyRequest.Builder asked) throws IOException {
    return get(asked, namespace.user());
  }

  private DependencyRecord get(GetDependencyRequest.Builder asked, StoreUser user)
      throws IOException {
    GetDependencyResponse response =
        namespace.call(
            LineageService.GET_DEPENDENCY,
            asked.setUser(user).build(),
            GetDependencyResponse.parser());
    NamespaceClient.require(response.hasRefusal(), response.getRefusal());
    return response.getDependency();
  }

  /** Gives all records of the caller, of a superuser all there are, without configurations. */
  public void list(Consumer<DependencyRecord> records) throws IOException {
    list(ListDependenciesRequest.newBuilder(), records);
  }

  /**
   * Gives all records of the caller that are growing, of a superuser all there are, without inputs,
   * outputs, programs and configuration.
   */
  public void growing(Consumer<DependencyRecord> records) throws IOException {
    list(ListDependenciesRequest.newBuilder().setGrowing(true), records);
  }

  /** Gives the records that have a file as an input, in the order of their ids. */
  public void readersOf(long fid, Consumer<DependencyRecord> records) throws IOException {
    list(ListDependenciesRequest.newBuilder().setInput(fid), records);
  }

  private void list(ListDependenciesRequest.Builder asked, Consumer<DependencyRecord> records)
      throws IOException {
    long after = 0;
    boolean more = true;
    while (more) {
      ListDependenciesResponse page = list(asked.setAfter(after));
      page.getDependenciesList().forEach(records);
      more = page.getMore();
      after = page.getNextAfter();
    }
  }

  /**
   * Gives some records of the caller, of a superuser of all, without configurations.
   *
   * @param after the last id that the caller has already; 0 to begin with
   */
  public ListDependenciesResponse after(long after) throws IOException {
    return list(ListDependenciesRequest.newBuilder().setAfter(after));
  }

  private ListDependenciesResponse list(ListDependenciesRequest.Builder asked) throws IOException {
    ListDependenciesResponse page =
        namespace.call(
            LineageService.LIST_DEPENDENCIES,
            asked.setUser(namespace.user()).build(),
            ListDependenciesResponse.parser());
    NamespaceClient.require(page.hasRefusal(), page.getRefusal());
    return page;
  }

  // ---- lost files

  /** Gives the files that are lost and can be recomputed, in the order of their ids. */
  public void lost(Consumer<LostFile> files) throws IOException {
    long after = 0;
    boolean more = true;
    while (more) {
      ListLostFilesResponse page = lost(after, 0);
      page.getFilesList().forEach(files);
      more = page.getMore();
      after = page.getNextAfter();
    }
  }

  /**
   * Gives some of them.
   *
   * @param after the last id that the caller has already; 0 to begin with
   * @param limit how many, at most; 0: as many as the master gives in one answer
   */
  public ListLostFilesResponse lost(long after, int limit) throws IOException {
    ListLostFilesResponse page =
        namespace.call(
            LineageService.LIST_LOST_FILES,
            ListLostFilesRequest.newBuilder()
                .setUser(namespace.user())
                .setAfter(after)
                .setLimit(limit)
                .build(),
            ListLostFilesResponse.parser());
    NamespaceClient.require(page.hasRefusal(), page.getRefusal());
    return page;
  }

  /**
   * Writes a lost file again, from its first byte, under the id that it has. Closing it fails when
   * length or checksum are not those that it had: then it stays lost, and its record says that the
   * program does not give the same bytes again.
   *
   * <p>One that was deleted can be written again, too, if something that is lost is made of it, be
   * it by way of others that were deleted. It is out of sight then, and the caller reads it by its
   * id; it goes when nothing that is lost needs it any more.
   */
  public FileOutput recompute(long fid) throws IOException {
    return client.recompute(fid);
  }

  // ---- checkpoints

  /**
   * Has a file copied below, or all complete files below a directory, before all others; to be
   * called again until nothing is left. The copies are made in the background.
   *
   * @return how many files there are and are left, and what failed so far
   */
  public CheckpointPathResponse checkpoint(String path) throws IOException {
    CheckpointPathResponse response =
        namespace.call(
            LineageService.CHECKPOINT_PATH,
            CheckpointPathRequest.newBuilder().setUser(namespace.user()).setPath(path).build(),
            CheckpointPathResponse.parser());
    NamespaceClient.require(response.hasRefusal(), response.getRefusal());
    return response;
  }

  /**
   * Gives files that wait to be copied below, about in the order in which they will be: those of
   * the caller, of a superuser all there are.
   *
   * @param most how many, at most
   */
  public void checkpoints(int most, Consumer<CheckpointEntry> files) throws IOException {
    int left = most;
    int skip = 0;
    boolean more = true;
    while (more && left > 0) {
      ListCheckpointsResponse page =
          namespace.call(
              LineageService.LIST_CHECKPOINTS,
              ListCheckpointsRequest.newBuilder()
                  .setUser(namespace.user())
                  .setSkip(skip)
                  .setLimit(left)
                  .build(),
              ListCheckpointsResponse.parser());
      NamespaceClient.require(page.hasRefusal(), page.getRefusal());
      page.getFilesList().forEach(files);
      left -= page.getFilesCount();
      more = page.getMore();
      skip = page.getNextSkip();
    }
  }

  // ---- readers that wait

  /**
   * Says that a reader waits for a lost file, and asks how it is; for those who may read it. To be
   * called about once a second: who does not ask any more does not wait any more.
   *
   * @param application of YARN, in a container of which the reader is; empty: in none
   * @return the file's state, and what is being done while it is lost
   * @throws StoreRefusedException NOT_FOUND when no record says how it is made, LOST when it was
   *     given up, with the cause
   */
  public WantFileResponse want(long fid, String application) throws IOException {
    return want(namespace, fid, application);
  }

  private static WantFileResponse want(NamespaceClient namespace, long fid, String application)
      throws IOException {
    WantFileRequest asked =
        WantFileRequest.newBuilder()
            .setUser(namespace.user())
            .setFid(fid)
            .setApplication(application)
            .build();
    WantFileResponse response =
        namespace.call(LineageService.WANT_FILE, asked, WantFileResponse.parser());
    NamespaceClient.require(response.hasRefusal(), response.getRefusal());
    return response;
  }

  /** The same; null when no record says how the file is made, or the master is of before that. */
  static WantFileResponse wantRecorded(NamespaceClient namespace, long fid, String application)
      throws IOException {
    try {
      return want(namespace, fid, application);
    } catch (StoreRefusedException e) {
      if (e.reason() == Refusal.Reason.NOT_FOUND) {
        return null;
      }
      throw e;
    } catch (RemoteException e) {
      if (e.status() == Status.BAD_REQUEST) {
        return null;
      }
      throw e;
    }
  }

  /**
   * Says how far the recompute of a record's outputs is; for its owner, and superusers. To be said
   * again within 30 s as long as it is so.
   *
   * @param progress for people; what is above {@link LineageService#LONGEST_SENTENCE} is left out
   */
  public void report(long dependency, String progress) throws IOException {
    ReportRecomputeRequest asked =
        ReportRecomputeRequest.newBuilder()
            .setUser(namespace.user())
            .setDependency(dependency)
            .setProgress(cut(progress))
            .build();
    ReportRecomputeResponse response =
        namespace.call(LineageService.REPORT_RECOMPUTE, asked, ReportRecomputeResponse.parser());
    NamespaceClient.require(response.hasRefusal(), response.getRefusal());
  }

  /**
   * A lost file cannot be recomputed: who reads it is told so at once. For the owner of its record,
   * and superusers. It is tried again when {@link #recompute} is called for it.
   *
   * @param cause a sentence; what is above {@link LineageService#LONGEST_SENTENCE} is left out.
   *     Empty: it is to be tried again
   */
  public void giveUp(long fid, String cause) throws IOException {
    GiveUpFile asked = GiveUpFile.newBuilder().setFid(fid).setCause(cut(cause)).build();
    namespace.change(change -> change.setGiveUpFile(asked));
  }

  private static String cut(String sentence) {
    return sentence.substring(0, Math.min(sentence.length(), LineageService.LONGEST_SENTENCE));
  }

  // ---- programs

  /**
   * Uploads a program, or a file that it needs, unless the store has it already; and has a second
   * worker copy it, if there is one with room. A large one is compared with those of its length
   * that the caller has uploaded of late, which takes an eighth of the time that hashing it takes
   * where the JVM has no processor's instructions for that.
   *
   * @return how a record names it, by the file's own name
   */
  public ProgramFile upload(Path file) throws IOException {
    return programs.upload(file);
  }

  /**
   * Reads a program; for its owner and superusers.
   *
   * @param owner of the record that names it
   * @throws IOException also when its bytes are not those of its name; then what was written to
   *     {@code to} is not to be used
   */
  public void fetch(String owner, ProgramFile program, OutputStream to) throws IOException {
    programs.fetch(owner, program, to);
  }
}
