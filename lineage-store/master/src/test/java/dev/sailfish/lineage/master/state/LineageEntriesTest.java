package dev.sailfish.lineage.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sailfish.lineage.protocol.wire.AbandonRecompute;
import dev.sailfish.lineage.protocol.wire.BeginRecompute;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CompleteRecompute;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.GiveUpFile;
import dev.sailfish.lineage.protocol.wire.OutsideInput;
import dev.sailfish.lineage.protocol.wire.PrepareProgram;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import dev.sailfish.lineage.protocol.wire.RewriteBlock;
import dev.sailfish.lineage.protocol.wire.SealDependency;
import dev.sailfish.lineage.protocol.wire.SetSynchronous;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The bytes of the journal's entries of lineage records: those that are written must be read. */
class LineageEntriesTest {
  private static final long FID = 0x0000_0001_0000_0002L;
  private static final ByteString HASH = ByteString.copyFrom(new byte[] {1, 2, 3});

  private static String entry(UnaryOperator<ChangeRequest.Builder> what) {
    ChangeRequest change = what.apply(ChangeRequest.newBuilder().setClient(7).setNumber(8)).build();
    return hex(StoreState.change(change, 9));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void aDependency() {
    CreateDependency asked =
        CreateDependency.newBuilder()
            .setType(DependencyType.DEPENDENCY_NARROW)
            .addInputs(DependencyInput.newBuilder().setFid(FID))
            .addInputs(
                DependencyInput.newBuilder()
                    .setOutside(
                        OutsideInput.newBuilder().setUri("u").setLength(1).setModifiedMs(2)))
            .addOutputs(DependencyOutput.newBuilder().setFid(FID).setIndex(3))
            .addPrograms(ProgramFile.newBuilder().setName("p").setSha256(HASH))
            .setConfig(ByteString.copyFromUtf8("c"))
            .setNondeterministic(true)
            .build();
    assertThat(entry(change -> change.setCreateDependency(asked)))
        .isEqualTo(
            "0a420907000000000000001008d2053408011209090200000001000000120912070a01"
                + "75100118021a0b090200000001000000100322080a017012030102032a016330013009");
  }

  @Test
  void aRecordThatIsGrowing() {
    CreateDependency asked =
        CreateDependency.newBuilder()
            .setType(DependencyType.DEPENDENCY_WIDE)
            .addPrograms(ProgramFile.newBuilder().setName("p").setSha256(HASH))
            .setName("job_1")
            .setGrowing(true)
            .build();
    assertThat(entry(change -> change.setCreateDependency(asked)))
        .isEqualTo(
            "0a250907000000000000001008d20517080222080a01701203010203d205056a6f625f31"
                + "d805013009");
    SealDependency seal = SealDependency.newBuilder().setId(5).build();
    assertThat(entry(change -> change.setSealDependency(seal)))
        .isEqualTo("0a1009070000000000000010088206020805" + "3009");
    assertThat(hex(StoreState.sealIdle(300))).isEqualTo("9806ac02");
  }

  @Test
  void aFileOfARecord() {
    CreateFile atOnce =
        CreateFile.newBuilder()
            .setPath("/a")
            .setComplete(true)
            .setFid(FID)
            .setDependency(5)
            .setOutput(DependencyOutput.newBuilder().setIndex(3).setMap(true).setFile(2))
            .build();
    assertThat(entry(change -> change.setCreateFile(atOnce)))
        .isEqualTo(
            "0a2a0907000000000000001008221d0a022f61c1020200000001000000e00301d80505e2"
                + "05061003300138023009");
  }

  @Test
  void aProgram() {
    PrepareProgram asked =
        PrepareProgram.newBuilder().setSha256(HASH).setLength(5).setHost("h").build();
    assertThat(entry(change -> change.setPrepareProgram(asked)))
        .isEqualTo("0a180907000000000000001008da050a0a0301020310051a01683009");
  }

  @Test
  void recomputes() {
    BeginRecompute begin = BeginRecompute.newBuilder().setFid(FID).setHost("h").build();
    assertThat(entry(change -> change.setBeginRecompute(begin)))
        .isEqualTo("0a1a0907000000000000001008e2050c0902000000010000001201683009");
    RewriteBlock block =
        RewriteBlock.newBuilder().setFid(FID).setBlock(1).setPlace(5).setAttempt(6).build();
    assertThat(entry(change -> change.setRewriteBlock(block)))
        .isEqualTo("0a1d0907000000000000001008fa050f0902000000010000001001180520063009");
    CompleteRecompute complete =
        CompleteRecompute.newBuilder()
            .setFid(FID)
            .setLength(2)
            .addPlaces(4)
            .addPlaces(5)
            .setChecksum(0x11223344)
            .build();
    assertThat(entry(change -> change.setCompleteRecompute(complete)))
        .isEqualTo(
            "0a220907000000000000001008ea051409020000000100000010021a02040525443322" + "113009");
    AbandonRecompute abandon = AbandonRecompute.newBuilder().setFid(FID).build();
    assertThat(entry(change -> change.setAbandonRecompute(abandon)))
        .isEqualTo("0a170907000000000000001008f205090902000000010000003009");
  }

  @Test
  void whatIsGivenUpAndHowNewFilesAreWritten() {
    GiveUpFile given = GiveUpFile.newBuilder().setFid(FID).setCause("c").build();
    assertThat(entry(change -> change.setGiveUpFile(given)))
        .isEqualTo("0a1a09070000000000000010088a060c0902000000010000001201633009");
    SetSynchronous on = SetSynchronous.newBuilder().setOn(true).build();
    assertThat(entry(change -> change.setSetSynchronous(on)))
        .isEqualTo("0a1009070000000000000010089206020801" + "3009");
  }

  @Test
  void checksumsOfFiles() {
    CompleteFile complete =
        CompleteFile.newBuilder().setFid(FID).setLength(2).setChecksum(0x11223344).build();
    assertThat(entry(change -> change.setCompleteFile(complete)))
        .isEqualTo("0a1e09070000000000000010082a110902000000010000001002d505443322113009");
    CreateFile atOnce =
        CreateFile.newBuilder()
            .setPath("/a")
            .setComplete(true)
            .setFid(FID)
            .setLength(2)
            .setChecksum(0x11223344)
            .build();
    assertThat(entry(change -> change.setCreateFile(atOnce)))
        .isEqualTo(
            "0a270907000000000000001008221a0a022f61c1020200000001000000c80202e00301"
                + "d505443322113009");
  }

  @Test
  void aLookForWhatIsLost() {
    assertThat(hex(StoreState.lookForLost())).isEqualTo("d00501");
  }
}
