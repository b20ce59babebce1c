package dev.sailfish.lineage.master.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.journal.Freeze;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InodeTableTest {
  private final Freeze freeze = new Freeze();
  private final InodeTable inodes = new InodeTable(freeze);

  @Test
  void fieldsDoNotTouchEachOther() {
    int slot = inodes.allocate(Kind.WRITING);
    List<Runnable> setters =
        List.of(
            () -> inodes.setParent(slot, InodeTable.NONE),
            () -> inodes.setKind(slot, Kind.COMPLETE),
            () -> inodes.setModifiedMs(slot, (1L << 44) - 1),
            () -> inodes.setMode(slot, 07777),
            () -> inodes.setLength(slot, -1),
            () -> inodes.setOwner(slot, (1 << 24) - 1),
            () -> inodes.setGroup(slot, (1 << 24) - 1),
            () -> inodes.setBlockSizeLog(slot, 63),
            () -> inodes.setFirstCopy(slot, 4711));
    List<List<Long>> states = new ArrayList<>(List.of(fields(slot)));
    for (int i = 0; i < setters.size(); i++) {
      setters.get(i).run();
      states.add(fields(slot));
      for (int field = 0; field < setters.size(); field++) {
        assertThat(states.get(i + 1).get(field).equals(states.get(i).get(field)))
            .as("field %d after setter %d", field, i)
            .isEqualTo(field != i);
      }
    }
    assertThat(inodes.fid(slot)).isEqualTo(Fid.of(1, 0));
  }

  private List<Long> fields(int slot) {
    return List.of(
        (long) inodes.parent(slot),
        (long) inodes.kind(slot).ordinal(),
        inodes.modifiedMs(slot),
        (long) inodes.mode(slot),
        inodes.length(slot),
        (long) inodes.owner(slot),
        (long) inodes.group(slot),
        (long) inodes.blockSizeLog(slot),
        (long) inodes.firstCopy(slot));
  }

  @Test
  void whatDoesNotFitIsRefused() {
    int slot = inodes.allocate(Kind.WRITING);
    assertThatIllegalArgumentException().isThrownBy(() -> inodes.setMode(slot, 010000));
    assertThatIllegalArgumentException().isThrownBy(() -> inodes.setModifiedMs(slot, -1));
  }

  @Test
  void slotsAreUsedAgainInTheOrderInWhichTheyBecameFree() {
    for (int i = 0; i < 3 * PagedArray.ROWS; i++) {
      assertThat(inodes.allocate(Kind.COMPLETE)).isEqualTo(i);
    }
    long old = inodes.fid(700);
    inodes.free(700);
    inodes.free(3);
    inodes.free(1_200);
    assertThat(inodes.find(old)).isEqualTo(InodeTable.NONE);
    assertThat(inodes.allocate(Kind.COMPLETE)).isEqualTo(700);
    assertThat(inodes.find(old)).isEqualTo(InodeTable.NONE);
    assertThat(inodes.find(inodes.fid(700))).isEqualTo(700);
    assertThat(inodes.allocate(Kind.COMPLETE)).isEqualTo(3);
    assertThat(inodes.allocate(Kind.COMPLETE)).isEqualTo(1_200);
    assertThat(inodes.allocate(Kind.COMPLETE)).isEqualTo(3 * PagedArray.ROWS);
  }

  @Test
  void findsNothingOutsideTheTable() {
    inodes.allocate(Kind.COMPLETE);
    assertThat(inodes.find(Fid.of(1, 1))).isEqualTo(InodeTable.NONE);
    assertThat(inodes.find(Fid.of(0, 0))).isEqualTo(InodeTable.NONE);
    assertThat(inodes.find(-1)).isEqualTo(InodeTable.NONE);
    assertThat(inodes.find(Long.MIN_VALUE)).isEqualTo(InodeTable.NONE);
  }

  /** Written by hand with the last generation: nobody waits for two billion files. */
  @Test
  void aSlotWithoutAnotherGenerationIsNotUsedAgain() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(2);
    out.writeInt(InodeTable.NONE);
    out.writeInt(InodeTable.NONE);
    writeSlot(out, 1, Kind.DIRECTORY);
    writeSlot(out, Fid.LAST_GENERATION, Kind.COMPLETE);
    inodes.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));

    assertThat(inodes.find(Fid.of(Fid.LAST_GENERATION, 1))).isOne();
    inodes.free(1);
    assertThat(inodes.allocate(Kind.COMPLETE)).isEqualTo(2);
  }

  private static void writeSlot(DataOutputStream out, int generation, Kind kind)
      throws IOException {
    out.writeLong((long) generation << 32);
    out.writeLong((long) kind.ordinal() << 18);
    out.writeLong(0);
    out.writeLong(0);
    out.writeLong(-1L << 32);
    out.writeByte(0);
    out.writeShort(0);
  }

  @Test
  void aTableWithoutARootIsDamaged() {
    byte[] empty = new byte[12];
    assertThatThrownBy(() -> inodes.read(new DataInputStream(new ByteArrayInputStream(empty))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("damaged");
  }

  @Test
  void onlyTheFirstChangeOfAPageCopiesIt() throws IOException {
    for (int i = 0; i < 2 * PagedArray.ROWS; i++) {
      inodes.setName(inodes.allocate(Kind.DIRECTORY), new byte[] {'a'});
    }
    freeze.begin();
    InodeTable.Image image = inodes.image();
    inodes.setLength(5, 77);
    inodes.setName(5, new byte[] {'b'});
    inodes.free(PagedArray.ROWS + 1);
    inodes.allocate(Kind.COMPLETE);
    for (int i = 0; i < PagedArray.ROWS; i++) {
      inodes.allocate(Kind.COMPLETE);
    }

    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    image.writeHead(out);
    assertThat(image.writePage(out)).isTrue();
    assertThat(image.writePage(out)).isFalse();
    freeze.end();
    InodeTable then = new InodeTable(new Freeze());
    then.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    assertThat(then.slots()).isEqualTo(2 * PagedArray.ROWS);
    for (int i = 0; i < then.slots(); i++) {
      assertThat(then.kind(i)).isEqualTo(Kind.DIRECTORY);
      assertThat(then.name(i)).containsExactly('a');
      assertThat(then.length(i)).isZero();
    }
    assertThat(inodes.length(5)).isEqualTo(77);
    assertThat(inodes.slots()).isEqualTo(3 * PagedArray.ROWS);
  }

  @Test
  void aFileMayHaveTheIdOfAnEarlierOne() {
    int slot = inodes.allocate(Kind.COMPLETE);
    long earlier = inodes.fid(slot);
    inodes.free(slot);
    int other = inodes.allocate(Kind.COMPLETE);
    long own = inodes.fid(other);
    inodes.adopt(other, earlier);
    assertThat(inodes.fid(other)).isEqualTo(earlier);
    assertThat(inodes.find(earlier)).isEqualTo(other);
    assertThat(inodes.find(own)).isEqualTo(InodeTable.NONE);
    assertThatIllegalStateException().isThrownBy(() -> inodes.adopt(other, own));
    inodes.free(other);
    assertThat(inodes.find(earlier)).isEqualTo(InodeTable.NONE);
    assertThat(inodes.find(own)).isEqualTo(InodeTable.NONE);
  }
}
