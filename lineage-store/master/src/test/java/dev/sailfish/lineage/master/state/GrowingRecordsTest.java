package dev.sailfish.lineage.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sailfish.lineage.master.Snapshot;
import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.OutputState;
import dev.sailfish.lineage.master.dependency.Part;
import dev.sailfish.lineage.protocol.wire.AbandonFile;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DeletePath;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.PrepareProgram;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.Refusal.Reason;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerRequest;
import dev.sailfish.lineage.protocol.wire.RenamePath;
import dev.sailfish.lineage.protocol.wire.SealDependency;
import dev.sailfish.lineage.protocol.wire.SetMode;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lineage records that get their outputs as these are created, by entries of the journal. */
class GrowingRecordsTest {
  private static final long CLIENT = 7;
  private static final int SUM = 0x1234;
  private static final int LENGTH = 1_000;
  private static final int PLACE = 1 << 2; // of the first worker, in memory
  private static final ByteString HASH = ByteString.copyFrom(new byte[32]);
  private static final StoreUser ROOT =
      StoreUser.newBuilder().setName("root").setSuperuser(true).build();
  private static final StoreUser ALICE = StoreUser.newBuilder().setName("alice").build();
  private static final StoreUser BOB = StoreUser.newBuilder().setName("bob").build();

  private StoreState state = empty();
  private StoreUser user = ALICE;
  private long client = CLIENT;
  private long number;
  private long now = 1_000;
  private long record;

  private static StoreState empty() {
    return new StoreState(
        new StoreState.Listener() {
          @Override
          public void lead() {}

          @Override
          public void follow() {}

          @Override
          public void mounted() {}

          @Override
          public void on(long fid, int worker) {}
        });
  }

  private ChangeResponse apply(ChangeRequest.Builder change) {
    ChangeRequest asked =
        change.setClient(client).setNumber(++number).setAnsweredBelow(number).setUser(user).build();
    try {
      return ChangeResponse.parseFrom(state.apply(StoreState.change(asked, now), ++now));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private ChangeResponse made(ChangeRequest.Builder change) {
    ChangeResponse response = apply(change);
    assertThat(response.hasRefusal()).as(response.getRefusal().getMessage()).isFalse();
    return response;
  }

  private void assertRefused(Reason reason, String message, ChangeRequest.Builder change) {
    Refusal refusal = apply(change).getRefusal();
    assertThat(refusal.getReason()).isEqualTo(reason);
    assertThat(refusal.getMessage()).contains(message);
  }

  private static ChangeRequest.Builder change() {
    return ChangeRequest.newBuilder();
  }

  private static CreateDependency.Builder job(String name) {
    return CreateDependency.newBuilder()
        .setType(DependencyType.DEPENDENCY_WIDE)
        .addPrograms(ProgramFile.newBuilder().setName("job.jar").setSha256(HASH))
        .setName(name)
        .setGrowing(true);
  }

  private CreateFile.Builder file(String name, int part) {
    return CreateFile.newBuilder()
        .setPath("/" + name)
        .setMode(0644)
        .setBlockSizeLog(20)
        .setDependency(record)
        .setOutput(DependencyOutput.newBuilder().setIndex(part).setMap(true).setFile(2));
  }

  private static CreateFile.Builder complete(CreateFile.Builder file, long fid) {
    return file.setFid(fid).setComplete(true).setLength(LENGTH).addPlaces(PLACE).setChecksum(SUM);
  }

  private static ChangeRequest.Builder completion(long fid) {
    return change()
        .setCompleteFile(
            CompleteFile.newBuilder()
                .setFid(fid)
                .setLength(LENGTH)
                .addPlaces(PLACE)
                .setChecksum(SUM));
  }

  private ChangeRequest.Builder seal() {
    return change().setSealDependency(SealDependency.newBuilder().setId(record));
  }

  private DependencyGraph graph() {
    return state.namespace().lineage().graph();
  }

  private Output output(int at) {
    return graph().find(record).output(at);
  }

  @BeforeEach
  void begin() throws IOException {
    state.apply(
        StoreState.newWorker(
            RegisterWorkerRequest.newBuilder().setId(1).setHost("host").setPort(1).build()),
        ++now);
    user = ROOT;
    made(change().setSetMode(SetMode.newBuilder().setPath("/").setMode(0777)));
    for (StoreUser one : List.of(BOB, ALICE)) {
      user = one;
      long program =
          made(change().setPrepareProgram(PrepareProgram.newBuilder().setSha256(HASH)))
              .getEntry()
              .getFid();
      made(completion(program));
    }
    record = made(change().setCreateDependency(job("job_1"))).getDependency();
  }

  @Test
  void aFileIsAnOutputFromItsBeginning() {
    long fid = made(change().setCreateFile(file("out", 3))).getEntry().getFid();
    assertThat(output(0)).isEqualTo(Output.pending(fid, new Part(true, 3, 2)));
    made(completion(fid));
    assertThat(output(0))
        .isEqualTo(
            new Output(fid, new Part(true, 3, 2), OutputState.STORED, LENGTH, OptionalInt.of(SUM)));
  }

  @Test
  void aFileOfOneChangeIsAnOutputWithWhatIsKnownOfIt() {
    long kept = made(another().setReserve(2)).getReserved(0);
    made(change().setCreateFile(complete(file("out", 1), kept)));
    assertThat(output(0).state()).isEqualTo(OutputState.STORED);
    assertThat(output(0).checksum()).hasValue(SUM);
    assertThat(graph().find(record).outputs()).isOne();
    long empty =
        made(change().setCreateFile(file("empty", 2).setComplete(true))).getEntry().getFid();
    assertThat(output(1).fid()).isEqualTo(empty);
    assertThat(output(1).state()).isEqualTo(OutputState.STORED);
    assertThat(output(1).length()).isZero();
  }

  /** Of no record; more ids may be asked for with it. */
  private ChangeRequest.Builder another() {
    return another("another");
  }

  private ChangeRequest.Builder another(String name) {
    return change().setCreateFile(file(name, 0).clearDependency());
  }

  @Test
  void anAnnouncedFileIsAnOutputOnce() {
    long kept = made(another().setReserve(1)).getReserved(0);
    ChangeRequest announced =
        change().setClient(CLIENT).setUser(user).setCreateFile(file("out", 1).setFid(kept)).build();
    state.apply(StoreState.announced(announced, now), ++now);
    assertThat(output(0).state()).isEqualTo(OutputState.PENDING);
    made(seal());
    made(change().setCreateFile(complete(file("out", 1), kept)));
    assertThat(graph().find(record).outputs()).isOne();
    assertThat(output(0).state()).isEqualTo(OutputState.STORED);
    assertThat(output(0).length()).isEqualTo(LENGTH);
  }

  /** Else its owner could not record how it is made, and others would make it again. */
  @Test
  void aFileThatIsCompleteBecomesNoOutput() {
    user = BOB;
    long bobs = made(another("bobs")).getEntry().getFid();
    made(completion(bobs));
    user = ALICE;
    client++;
    assertRefused(
        Reason.NOT_WRITING, "is complete", change().setCreateFile(complete(file("out", 1), bobs)));
    long own = made(another("own")).getEntry().getFid();
    made(completion(own));
    assertRefused(
        Reason.NOT_WRITING, "is complete", change().setCreateFile(complete(file("out", 1), own)));
    assertThat(graph().isOutput(bobs)).isFalse();
    assertThat(graph().isOutput(own)).isFalse();
    assertThat(graph().find(record).outputs()).isZero();
  }

  @Test
  void aFileThatIsWrittenMayBecomeOneWhenItIsComplete() {
    long fid = made(another("out")).getEntry().getFid();
    client++;
    assertRefused(
        Reason.NOT_WRITING,
        "by someone else",
        change().setCreateFile(complete(file("out", 1), fid)));
    client--;
    made(change().setCreateFile(complete(file("out", 1), fid)));
    assertThat(output(0).fid()).isEqualTo(fid);
    assertThat(output(0).state()).isEqualTo(OutputState.STORED);
  }

  @Test
  void aNameIsOneRecordOfItsOwner() {
    assertThat(made(change().setCreateDependency(job("job_1"))).getDependency()).isEqualTo(record);
    assertThat(made(change().setCreateDependency(job("job_1").clearPrograms())).getDependency())
        .as("whatever else is asked for")
        .isEqualTo(record);
    user = BOB;
    long bobs = made(change().setCreateDependency(job("job_1"))).getDependency();
    assertThat(bobs).isNotEqualTo(record);
    assertThat(graph().find("bob", "job_1").id()).isEqualTo(bobs);
    user = ALICE;
    made(seal());
    assertThat(graph().find("alice", "job_1")).isNull();
    assertThat(made(change().setCreateDependency(job("job_1"))).getDependency())
        .isGreaterThan(bobs);
  }

  @Test
  void whatIsWrongIsRefusedAndNothingIsMade() {
    assertRefused(Reason.INVALID, "1 to 255", change().setCreateDependency(job("x".repeat(256))));
    assertRefused(Reason.INVALID, "not 'a b'", change().setCreateDependency(job("a b")));
    assertRefused(
        Reason.INVALID,
        "is wide",
        change().setCreateDependency(job("n").setType(DependencyType.DEPENDENCY_NARROW)));
    assertRefused(
        Reason.INVALID, "an output", change().setCreateDependency(job("n").setGrowing(false)));
    assertThat(graph().size()).isOne();
    assertRefused(
        Reason.NOT_FOUND, "dependency=99", change().setCreateFile(file("a", 0).setDependency(99)));
    user = BOB;
    assertRefused(
        Reason.DENIED, "of alice, and a file of bob", change().setCreateFile(file("a", 0)));
    assertRefused(Reason.DENIED, "not of bob", seal());
    user = ALICE;
    made(change().setCreateFile(file("out", 0)));
    made(seal());
    assertRefused(Reason.INVALID, "is sealed", change().setCreateFile(file("a", 0)));
    assertRefused(
        Reason.INVALID, "is sealed", change().setCreateFile(file("a", 0).setComplete(true)));
    assertRefused(
        Reason.NOT_FOUND, "/a", change().setDeletePath(DeletePath.newBuilder().setPath("/a")));
    assertThat(graph().find(record).outputs()).isOne();
  }

  @Test
  void whatBecomesOfAFileIsSeen() {
    long renamed = made(change().setCreateFile(file("temporary", 0))).getEntry().getFid();
    made(completion(renamed));
    made(change().setRenamePath(RenamePath.newBuilder().setFrom("/temporary").setTo("/renamed")));
    long abandoned = made(change().setCreateFile(file("abandoned", 1))).getEntry().getFid();
    made(change().setAbandonFile(AbandonFile.newBuilder().setFid(abandoned)));
    long replaced = made(change().setCreateFile(file("again", 2))).getEntry().getFid();
    made(completion(replaced));
    made(change().setCreateFile(file("again", 2).setReplace(true)));
    long deleted = made(change().setCreateFile(file("deleted", 3))).getEntry().getFid();
    made(change().setDeletePath(DeletePath.newBuilder().setPath("/deleted")));
    assertThat(deleted).isNotZero();
    assertThat(graph().find(record).allOutputs())
        .extracting(Output::state)
        .containsExactly(
            OutputState.STORED,
            OutputState.DELETED,
            OutputState.DELETED,
            OutputState.PENDING,
            OutputState.DELETED);
  }

  @Test
  void oneThatIsGrowingIsKeptAndOneThatIsSealedGoes() {
    long fid = made(change().setCreateFile(file("out", 0))).getEntry().getFid();
    made(completion(fid));
    made(change().setDeletePath(DeletePath.newBuilder().setPath("/out")));
    assertThat(graph().find(record)).isNotNull();
    user = ROOT;
    made(seal());
    assertThat(graph().find(record)).isNull();
  }

  @Test
  void oneThatDoesNotGrowIsSealed() {
    now = 10_000;
    made(change().setCreateFile(file("out", 0)));
    long grew = now;
    now = 20_000;
    state.apply(StoreState.sealIdle(grew), ++now);
    assertThat(graph().find(record).isGrowing()).isTrue();
    state.apply(StoreState.sealIdle(grew + 1), ++now);
    assertThat(graph().find(record).isGrowing()).isFalse();
  }

  @Test
  void aSnapshotGoesOnWhereItWas() throws IOException {
    made(change().setCreateFile(file("out", 4)));
    byte[] bytes = Snapshot.of(state.freeze());
    StoreState before = state;
    state = empty();
    state.load(new ByteArrayInputStream(bytes));
    assertThat(Snapshot.of(state.freeze())).isEqualTo(bytes);
    Dependency read = graph().find("alice", "job_1");
    assertThat(read.isGrowing()).isTrue();
    assertThat(read.output(0).part()).isEqualTo(new Part(true, 4, 2));
    long numberThen = number;
    long nowThen = now;
    for (StoreState peer : List.of(before, state)) {
      number = numberThen;
      now = nowThen;
      state = peer;
      made(change().setCreateFile(file("more", 5)));
    }
    assertThat(Snapshot.of(state.freeze())).isEqualTo(Snapshot.of(before.freeze()));
  }
}
