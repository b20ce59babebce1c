package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One test per arrow of the state machine, and one that there are no others. */
@Timeout(60)
class SegmentStateTest {
  private static final byte[] CONTENT = {1, 2, 3};

  @TempDir Path root;
  private FaultyFiles files;
  private TieredStore tiers;
  private Owner owner;

  @BeforeEach
  void open() throws IOException {
    files = new FaultyFiles(root.resolve("graves"));
    tiers = new TieredStore(root, files, true, new OwnerConfig("worker", Map.of()));
    owner = tiers.owner();
  }

  @AfterEach
  void close() throws IOException {
    tiers.close();
  }

  private Segment open(String name) throws IOException {
    return owner.allocate(name, STEP, 0, Tier.MEMORY);
  }

  private Segment sealed() throws IOException {
    return TieredStore.sealed(owner, "s", Tier.MEMORY, CONTENT, true);
  }

  @Test
  void shouldHaveNoOtherArrows() {
    Set<String> arrows = new HashSet<>();
    for (SegmentState state : SegmentState.values()) {
      state.next().forEach(next -> arrows.add(state + " " + next));
      assertThat(state.live).as("%s", state).isEqualTo(!state.next().isEmpty());
    }
    assertThat(arrows)
        .containsExactlyInAnyOrder(
            "OPEN SEALED",
            "OPEN DELETED",
            "OPEN LEFT",
            "SEALED MOVING",
            "SEALED DELETED",
            "SEALED LEFT",
            "MOVING SEALED",
            "MOVING MOVED",
            "MOVING DELETED",
            "DAMAGED DELETED");
  }

  @Test
  void openToSealed() throws IOException {
    Segment segment = open("s");
    assertThat(segment.state()).isEqualTo(SegmentState.OPEN);
    segment.seal(3);
    assertThat(segment.state()).isEqualTo(SegmentState.SEALED);
    assertThatThrownBy(() -> segment.seal(3))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("name=s", "state=SEALED", "seal needs OPEN");
  }

  @Test
  void openToDeleted() throws IOException {
    requireDeleted(open("s"));
  }

  @Test
  void sealedToDeleted() throws IOException {
    requireDeleted(sealed());
  }

  private void requireDeleted(Segment segment) throws IOException {
    assertThat(segment.delete()).isTrue();
    assertThat(segment.state()).isEqualTo(SegmentState.DELETED);
    assertThat(segment.delete()).isFalse();
    assertThat(owner.find("s")).isEmpty();
    assertThat(owner.move(segment, Tier.DISK)).isEmpty();
    assertThat(segment.pin()).isFalse();
  }

  @Test
  void openAndSealedToLeft() throws IOException {
    Segment open = open("open");
    Segment sealed = sealed();
    tiers.close();
    for (Segment segment : new Segment[] {open, sealed}) {
      assertThat(segment.state()).isEqualTo(SegmentState.LEFT);
      assertThat(segment.tryRetain()).isFalse();
      assertThat(segment.delete()).isFalse();
    }
    tiers.open();
    assertThat(tiers.owner().names()).containsExactly("open", "s");
  }

  @Test
  void sealedToMovingToMoved() throws IOException {
    Segment segment = sealed();
    SegmentState[] meanwhile = new SegmentState[1];
    files.beforeNextStep(() -> meanwhile[0] = segment.state());
    Segment copy = owner.move(segment, Tier.SSD).orElseThrow();
    assertThat(meanwhile[0]).isEqualTo(SegmentState.MOVING);
    assertThat(segment.state()).isEqualTo(SegmentState.MOVED);
    assertThat(segment.delete()).isFalse();
    assertThat(segment.tryRetain()).isFalse();
    assertThat(copy.state()).isEqualTo(SegmentState.SEALED);
    assertThat(owner.find("s")).containsSame(copy);
  }

  @Test
  void movingToSealedWhenTheMoveFails() throws IOException {
    Segment segment = sealed();
    files.failAfter(0, true);
    assertThatThrownBy(() -> owner.move(segment, Tier.DISK)).isInstanceOf(IOException.class);
    files.failAfter(Integer.MAX_VALUE, false);
    assertThat(segment.state()).isEqualTo(SegmentState.SEALED);
    assertThat(owner.move(segment, Tier.DISK)).isPresent();
  }

  @Test
  void movingToDeletedWinsOverTheMove() throws IOException {
    Segment segment = sealed();
    files.beforeNextStep(segment::delete);
    assertThat(owner.move(segment, Tier.SSD)).isEmpty();
    assertThat(segment.state()).isEqualTo(SegmentState.DELETED);
    assertThat(owner.find("s")).isEmpty();
    assertThat(tiers.fileNames()).isEmpty();
    assertThat(tiers.store().usage().usedBytes(Tier.values())).isZero();
  }

  @Test
  void sealedToDeletedAlsoWhenItsFileCannotBeCut() throws IOException {
    Segment segment = TieredStore.sealed(owner, "s", Tier.DISK, CONTENT, true);
    files.failAfter(1, false);
    assertThat(segment.delete()).isTrue();
    assertThat(files.wasHit()).isTrue();
    assertThat(segment.state()).isEqualTo(SegmentState.DELETED);
    assertThat(owner.find("s")).isEmpty();
    assertThat(tiers.store().usage().usedBytes(Tier.values())).isZero();
    TieredStore.sealed(owner, "s", Tier.DISK, CONTENT, true).verify();
  }

  @Test
  void damagedToDeleted() throws IOException {
    Path file = sealed().path();
    tiers.close();
    try (RandomAccessFile shorter = new RandomAccessFile(file.toFile(), "rw")) {
      shorter.setLength(1);
    }
    tiers.open();
    owner = tiers.owner();
    Segment segment = owner.recovery().damaged().get(0);
    assertThat(segment.state()).isEqualTo(SegmentState.DAMAGED);
    requireDeleted(segment);
  }
}
