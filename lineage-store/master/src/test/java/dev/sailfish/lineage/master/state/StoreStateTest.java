package dev.sailfish.lineage.master.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.ground.journal.StateView;
import dev.sailfish.lineage.master.Snapshot;
import dev.sailfish.lineage.master.namespace.BlockCopies;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.protocol.wire.AbandonFile;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DeletePath;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.MakeDirectories;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerRequest;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerResponse;
import dev.sailfish.lineage.protocol.wire.RenamePath;
import dev.sailfish.lineage.protocol.wire.ReportBlocksRequest;
import dev.sailfish.lineage.protocol.wire.ReportBlocksResponse;
import dev.sailfish.lineage.protocol.wire.SetExpiry;
import dev.sailfish.lineage.protocol.wire.SetMode;
import dev.sailfish.lineage.protocol.wire.SetModified;
import dev.sailfish.lineage.protocol.wire.SetOwner;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StoreStateTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final Caller BOB = new Caller("bob", Set.of("staff"), false);
  private static final long CLIENT = 77;
  private static final int FILES = 12_000;
  private static final int COLLECTIONS = 100;

  private final List<Long> freed = new ArrayList<>();
  private final StoreState state = new StoreState(listener(freed));
  private long number;
  private long now = 1_000;

  private static StoreState.Listener listener(List<Long> freed) {
    return new StoreState.Listener() {
      @Override
      public void lead() {}

      @Override
      public void follow() {}

      @Override
      public void mounted() {}

      @Override
      public void on(long fid, int worker) {
        freed.add(fid);
      }
    };
  }

  private int newWorker(StoreState to, long id) throws IOException {
    RegisterWorkerRequest asked =
        RegisterWorkerRequest.newBuilder().setId(id).setHost("host").setPort((int) id).build();
    return RegisterWorkerResponse.parseFrom(to.apply(StoreState.newWorker(asked), ++now))
        .getNumber();
  }

  private ReportBlocksResponse report(int worker, long fid, int block, int tier)
      throws IOException {
    ReportBlocksRequest report =
        ReportBlocksRequest.newBuilder()
            .setWorker(worker)
            .addFids(fid)
            .addBlocks(block)
            .addTiers(tier)
            .build();
    return ReportBlocksResponse.parseFrom(state.apply(StoreState.report(report), ++now));
  }

  private List<BlockCopies> blocks(long fid) throws NamespaceException {
    return state.namespace().blocks(fid, 0, 10);
  }

  private static CreateFile file(String path) {
    return CreateFile.newBuilder()
        .setPath(path)
        .setMode(0640)
        .setMakeParents(true)
        .setParentMode(0750)
        .setBlockSizeLog(20)
        .build();
  }

  private ChangeRequest.Builder next() {
    return ChangeRequest.newBuilder()
        .setClient(CLIENT)
        .setNumber(++number)
        .setAnsweredBelow(number);
  }

  private ChangeResponse apply(ChangeRequest.Builder change, Caller caller) {
    return apply(state, change.build(), caller);
  }

  private ChangeResponse apply(StoreState to, ChangeRequest change, Caller caller) {
    now++;
    return parse(to.apply(StoreState.change(as(change, caller), wallMs()), now));
  }

  /** A clock that has nothing to do with that of the journal. */
  private long wallMs() {
    return 1_800_000_000_000L - 10 * now;
  }

  private static ChangeRequest as(ChangeRequest change, Caller caller) {
    StoreUser user =
        StoreUser.newBuilder()
            .setName(caller.user())
            .addAllGroups(caller.groups())
            .setSuperuser(caller.isSuperuser())
            .build();
    return change.toBuilder().setUser(user).build();
  }

  private static ChangeResponse parse(byte[] reply) {
    try {
      return ChangeResponse.parseFrom(reply);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aFileWithoutContentIsOneChange() throws NamespaceException {
    CreateFile empty = file("/d/empty").toBuilder().setComplete(true).build();
    ChangeRequest made = next().setCreateFile(empty).build();
    FileEntry entry = apply(state, made, ROOT).getEntry();
    assertThat(entry.getComplete()).isTrue();
    assertThat(entry.getLength()).isZero();
    assertThat(apply(state, made, ROOT).getEntry()).isEqualTo(entry);
    assertThat(state.namespace().writing().size()).isZero();
    assertThat(state.namespace().open(StorePath.of("/d/empty"), ROOT).fid())
        .isEqualTo(entry.getFid());
    assertThat(apply(next().setCreateFile(empty), ROOT).getRefusal().getReason())
        .isEqualTo(Refusal.Reason.EXISTS);
    FileEntry other =
        apply(next().setCreateFile(empty.toBuilder().setReplace(true)), ROOT).getEntry();
    assertThat(other.getComplete()).isTrue();
    assertThat(other.getFid()).isNotEqualTo(entry.getFid());
    assertThat(apply(next().setCreateFile(empty.toBuilder().setPath("/d/bobs")), BOB).hasRefusal())
        .isTrue();
  }

  private FileEntry create(String path) {
    return apply(next().setCreateFile(file(path)), ROOT).getEntry();
  }

  private static boolean isThere(StoreState state, String path) {
    try {
      state.namespace().stat(StorePath.of(path), ROOT);
      return true;
    } catch (NamespaceException e) {
      return false;
    }
  }

  @Test
  void makesEachKindOfChange() throws NamespaceException, IOException {
    FileEntry file = create("/a/file");
    CompleteFile complete =
        CompleteFile.newBuilder()
            .setFid(file.getFid())
            .setLength(9)
            .addPlaces(Place.of(newWorker(state, 1), 0))
            .build();
    FileEntry done = apply(next().setCompleteFile(complete), ROOT).getEntry();
    assertThat(done)
        .isEqualTo(
            FileEntry.newBuilder()
                .setFid(file.getFid())
                .setName("file")
                .setComplete(true)
                .setLength(9)
                .setBlockSize(1 << 20)
                .setModifiedMs(wallMs())
                .setOwner("root")
                .setGroup("sailfish")
                .setMode(0640)
                .build());
    MakeDirectories make = MakeDirectories.newBuilder().setPath("/b/c").setMode(0700).build();
    assertThat(apply(next().setMakeDirectories(make), ROOT).getEntry().getDirectory()).isTrue();
    RenamePath rename = RenamePath.newBuilder().setFrom("/a/file").setTo("/b/c/file").build();
    apply(next().setRenamePath(rename), ROOT);
    apply(next().setSetMode(SetMode.newBuilder().setPath("/b").setMode(0711)), ROOT);
    SetOwner owner = SetOwner.newBuilder().setPath("/b").setOwner("bob").setGroup("staff").build();
    apply(next().setSetOwner(owner), ROOT);
    apply(next().setSetModified(SetModified.newBuilder().setPath("/b").setModifiedMs(5)), BOB);
    assertThat(state.namespace().stat(StorePath.of("/b"), ROOT))
        .matches(b -> b.mode() == 0711 && b.owner().equals("bob") && b.group().equals("staff"))
        .matches(b -> b.modifiedMs() == 5);
    assertThat(isThere(state, "/b/c/file")).isTrue();
    FileEntry other = create("/b/other");
    apply(next().setAbandonFile(AbandonFile.newBuilder().setFid(other.getFid())), ROOT);
    assertThat(isThere(state, "/b/other")).isFalse();
    apply(next().setDeletePath(DeletePath.newBuilder().setPath("/b").setRecursive(true)), ROOT);
    assertThat(isThere(state, "/b")).isFalse();
    assertThat(freed).containsExactly(file.getFid());
    assertThat(state.namespace().isKnown(other.getFid())).isFalse();
  }

  @Test
  void aRefusalSaysWhyAndWhat() {
    ChangeResponse response = apply(next().setCreateFile(file("/a")), BOB);
    assertThat(response.getRefusal().getReason()).isEqualTo(Refusal.Reason.DENIED);
    assertThat(response.getRefusal().getMessage())
        .isEqualTo("bob may not write in /: owner=sailfish group=sailfish mode=rwxr-xr-x");
    assertThat(apply(next().setCreateFile(file("a")), ROOT).getRefusal().getReason())
        .isEqualTo(Refusal.Reason.INVALID);
  }

  /** As after a connection broke, with the same answer whatever has happened since. */
  @Test
  void aChangeThatComesAgainIsMadeOnce() {
    ChangeRequest create = next().setCreateFile(file("/a")).build();
    ChangeResponse first = apply(state, create, ROOT);
    DeletePath delete = DeletePath.newBuilder().setPath("/a").build();
    ChangeRequest gone =
        ChangeRequest.newBuilder().setClient(1).setNumber(1).setDeletePath(delete).build();
    assertThat(apply(state, gone, ROOT).hasRefusal()).isFalse();
    assertThat(apply(state, create, ROOT)).isEqualTo(first);
    assertThat(isThere(state, "/a")).isFalse();
    assertThat(apply(state, gone, ROOT).hasRefusal()).isFalse();

    create("/b"); // and with it: the answer of the first is here
    assertThat(apply(state, create, ROOT).getRefusal().getReason())
        .isEqualTo(Refusal.Reason.ANSWERED);
    assertThat(isThere(state, "/a")).isFalse();
  }

  @Test
  void aClientWaitsForSoManyChanges() {
    for (int i = 1; i <= Answers.MOST_PER_CLIENT; i++) {
      ChangeRequest change = unanswered(i);
      assertThat(apply(state, change, ROOT).hasRefusal()).isFalse();
    }
    assertThat(apply(state, unanswered(Answers.MOST_PER_CLIENT + 1), ROOT).getRefusal().getReason())
        .isEqualTo(Refusal.Reason.FULL);
    assertThat(apply(state, unanswered(1), ROOT).hasRefusal()).isFalse();
  }

  private static ChangeRequest unanswered(long number) {
    return ChangeRequest.newBuilder()
        .setClient(CLIENT)
        .setNumber(number)
        .setMakeDirectories(MakeDirectories.newBuilder().setPath("/d").setMode(0700))
        .build();
  }

  @Test
  void whatAGoneClientWroteGoes() {
    create("/open");
    state.apply(StoreState.expiry(CLIENT + 1, 5), ++now);
    assertThat(isThere(state, "/open")).isTrue();
    state.apply(StoreState.expiry(CLIENT, 6), ++now);
    assertThat(isThere(state, "/open")).isFalse();
    assertThat(state.namespace().size()).isOne();
  }

  @Test
  void filesAreModifiedByTheWallClock() throws NamespaceException {
    create("/d/open");
    assertThat(modifiedMs("/")).isEqualTo(wallMs());
    assertThat(modifiedMs("/d")).isEqualTo(wallMs());
    state.apply(StoreState.expiry(CLIENT, 6), ++now);
    assertThat(modifiedMs("/d")).isEqualTo(6);
    for (long beyond : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      create("/d/at" + beyond);
      state.apply(StoreState.expiry(CLIENT, beyond), ++now);
      assertThat(modifiedMs("/d")).isEqualTo(beyond < 0 ? 0 : InodeTable.LAST_MS);
    }
  }

  private long modifiedMs(String path) throws NamespaceException {
    return state.namespace().stat(StorePath.of(path), ROOT).modifiedMs();
  }

  @Test
  void entriesWithoutAChangeFreeWhatWasDeleted() {
    for (int i = 0; i < FILES; i++) {
      create("/tree/" + i);
    }
    apply(next().setDeletePath(DeletePath.newBuilder().setPath("/tree").setRecursive(true)), ROOT);
    assertThat(state.namespace().size()).isBetween(FILES - 1_000, FILES);
    int entries = 0;
    for (; state.hasGarbage(); entries++) {
      state.apply(state.firstEntry(), ++now);
    }
    assertThat(state.namespace().size()).isOne();
    assertThat(entries).isEqualTo(3);
  }

  @Test
  void continuesFromASnapshotAsOthersDo() throws IOException {
    ChangeRequest create = next().setCreateFile(file("/a/file")).build();
    ChangeResponse first = apply(state, create, ROOT);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    long then = now;
    try (StateView view = state.freeze()) {
      while (view.write(bytes)) {
        create("/meanwhile" + number);
      }
    }
    StoreState other = new StoreState(listener(new ArrayList<>()));
    assertThat(other.load(new ByteArrayInputStream(bytes.toByteArray()))).isEqualTo(then);
    assertThat(isThere(other, "/a/file")).isTrue();
    assertThat(isThere(other, "/meanwhile1")).isFalse();
    assertThat(apply(other, create, ROOT)).isEqualTo(first);
    ChangeRequest next = ChangeRequest.newBuilder().setClient(CLIENT).setNumber(2).build();
    FileEntry created =
        apply(other, next.toBuilder().setCreateFile(file("/meanwhile1")).build(), ROOT).getEntry();
    assertThat(created.getFid()).isEqualTo(0x1_0000_0003L);
  }

  /** A master that gets another one's snapshot has memory for one state, not for two. */
  @Test
  void whatThereWasIsLetGoBeforeASnapshotIsRead() throws IOException {
    create("/a");
    byte[] snapshot = Snapshot.of(state.freeze());
    WeakReference<Namespace> before = new WeakReference<>(state.namespace());
    InputStream in =
        new ByteArrayInputStream(snapshot) {
          @Override
          public int read(byte[] to, int from, int most) {
            for (int i = 0; i < COLLECTIONS && !before.refersTo(null); i++) {
              System.gc();
            }
            assertThat(before.refersTo(null)).as("the state before is let go").isTrue();
            return super.read(to, from, most);
          }
        };
    assertThat(state.load(in)).isEqualTo(now);
    assertThat(isThere(state, "/a")).isTrue();
  }

  @Test
  void aFileIsCompleteWhenEachOfItsBlocksIsWithAWorker() throws IOException, NamespaceException {
    int first = newWorker(state, 1);
    int second = newWorker(state, 2);
    long fid = create("/a").getFid();
    CompleteFile complete =
        CompleteFile.newBuilder()
            .setFid(fid)
            .setLength((1 << 20) + 1)
            .addPlaces(Place.of(first, 0))
            .addPlaces(Place.of(second, 1))
            .build();
    state.apply(StoreState.goneWorker(second), ++now);
    assertThat(apply(next().setCompleteFile(complete), ROOT).getRefusal())
        .matches(refusal -> refusal.getReason() == Refusal.Reason.LOST)
        .matches(refusal -> refusal.getMessage().startsWith("block 1 of fid="));
    assertThat(blocks(fid)).isEmpty();

    // The second comes back before the file is complete, and says what it has.
    int again = newWorker(state, 2);
    assertThat(again).isEqualTo(3);
    report(again, fid, 1, 2);
    assertThat(apply(next().setCompleteFile(complete), ROOT).hasRefusal()).isFalse();
    assertThat(blocks(fid)).map(BlockCopies::block).containsExactly(0, 1);
    assertThat(blocks(fid).get(0).places()).containsExactly(Place.of(first, 0));
    assertThat(blocks(fid).get(1).places()).containsExactly(Place.of(again, 2));
  }

  @Test
  void whatAWorkerSaysOfItsBlocksCounts() throws IOException, NamespaceException {
    int worker = newWorker(state, 1);
    int other = newWorker(state, 2);
    long fid = create("/a").getFid();
    report(worker, fid, 0, 2);
    report(other, fid, 0, 1);
    report(worker, fid, 0, 0);
    assertThat(blocks(fid).get(0).places())
        .containsExactly(Place.of(worker, 0), Place.of(other, 1));
    report(worker, fid, 0, 3);
    assertThat(blocks(fid).get(0).places()).containsExactly(Place.of(other, 1));
    assertThat(report(worker, fid + 1, 0, 0).getUnneededList()).containsExactly(0);
    newWorker(state, 2);
    assertThat(blocks(fid)).isEmpty();
    assertThat(report(other, fid, 0, 0).getUnknown()).isTrue();
    while (state.hasGarbage()) {
      state.apply(state.firstEntry(), ++now);
    }
    assertThat(state.namespace().copies()).isZero();
  }

  @Test
  void anEntryThatCannotBeUnderstoodEndsTheProcess() {
    assertThatIllegalArgumentException().isThrownBy(() -> state.apply(new byte[] {1}, now));
    assertThatIllegalArgumentException().isThrownBy(() -> apply(next(), ROOT));
  }

  /** All masters have the same files go, by the journal's clock, and from a snapshot too. */
  @Test
  void aFileGoesByTheJournalsClock() throws Exception {
    long fid = apply(next().setCreateFile(file("/d/file")), ROOT).getEntry().getFid();
    SetExpiry expiry = SetExpiry.newBuilder().setPath("/d/file").setAfterMs(1_000).build();
    assertThat(apply(next().setSetExpiry(expiry), ROOT).hasRefusal()).isFalse();
    long dueMs = now + 1_000;
    byte[] snapshot = Snapshot.of(state.freeze());
    StoreState other = new StoreState(listener(new ArrayList<>()));
    other.load(new ByteArrayInputStream(snapshot));
    for (StoreState each : List.of(state, other)) {
      each.apply(StoreState.expireFiles(wallMs()), dueMs - 1);
      assertThat(each.namespace().path(fid)).isEqualTo("/d/file");
      assertThat(each.namespace().uses().expiries().isDue(dueMs)).isTrue();
      each.apply(StoreState.expireFiles(wallMs()), dueMs);
      assertThat(each.namespace().isKnown(fid)).isFalse();
      assertThat(each.namespace().writing().size()).isZero();
    }
  }
}
