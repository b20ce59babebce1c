package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a write leaves that was not done: left out; what was done and is not there: an error. */
@Seeded
@Timeout(180)
class TornTailTest {
  private static final int SECTOR = 512;
  private static final int PREPARED = 1 << 16;

  /** Longer than two sectors, so that some begin in it; its length takes two bytes. */
  private static final int LAST_WORD = 1500;

  @TempDir private Path directory;

  private final List<Integer> frames = new ArrayList<>();
  private Map<String, String> before;
  private Path log;

  /** As it was written, with the zeros behind. */
  private byte[] bytes;

  /** Where the last frame ends. */
  private int end;

  private ToyMachine start() throws IOException {
    return ToyMachine.leading(
        new JournalSettings("toy", Optional.of(directory), true, 1_000_000, "c", "", Map.of()));
  }

  @BeforeEach
  void write(SplittableRandom random) throws Exception {
    try (ToyMachine machine = start()) {
      for (int i = 0; i < 30; i++) {
        machine.put("k" + i, "v".repeat(1 + random.nextInt(300)));
      }
      before = machine.words();
      machine.put("last", "w".repeat(LAST_WORD));
    }
    log = logs().get(0);
    // A peer that is closed takes the zeros off.
    bytes = Arrays.copyOf(Files.readAllBytes(log), PREPARED);
    Files.write(log, bytes);
    end = 8;
    while (bytes[end] != 0) {
      frames.add(end);
      end += frameBytes(end);
    }
  }

  private List<Path> logs() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(path -> path.getFileName().toString().startsWith("log_")).toList();
    }
  }

  private int frameBytes(int at) {
    int low = bytes[at];
    return low >= 0 ? 1 + low + 4 : 2 + (low & 0x7F) + (bytes[at + 1] << 7) + 4;
  }

  private int last() {
    return frames.get(frames.size() - 1);
  }

  private void assertTornAt(int position, byte[] content) throws IOException {
    assertThat(TornTail.find(ByteBuffer.wrap(content), log)).hasValue(position);
  }

  private byte[] zerosFrom(int position) {
    byte[] zeros = bytes.clone();
    Arrays.fill(zeros, position, zeros.length, (byte) 0);
    return zeros;
  }

  @Test
  void aWholeLogHasNone() throws IOException {
    assertThat(frames).hasSizeGreaterThan(30);
    assertThat(TornTail.find(log)).isEmpty();
    for (int frame : frames) {
      assertThat(TornTail.find(ByteBuffer.wrap(bytes, 0, frame).slice(), log))
          .as("empty")
          .isEmpty();
      assertThat(TornTail.find(ByteBuffer.wrap(zerosFrom(frame)), log)).as("zeros").isEmpty();
    }
  }

  @Test
  void whereverTheFileEnds() throws IOException {
    for (int frame : frames) {
      for (int i = frame + 1; i < frame + frameBytes(frame); i++) {
        assertTornAt(frame, Arrays.copyOf(bytes, i));
      }
    }
  }

  @Test
  void whereverSectorsAreZeros() throws IOException {
    for (int frame : frames) {
      int sector = (frame / SECTOR + 1) * SECTOR;
      for (int i = sector; i < frame + frameBytes(frame); i += SECTOR) {
        assertTornAt(frame, zerosFrom(i));
      }
    }
  }

  @Test
  void anyOtherByteIsDamage(SplittableRandom random) {
    for (int i = 8; i < end; i++) {
      byte[] other = bytes.clone();
      other[i] ^= (byte) (1 + random.nextInt(255));
      if (i < last() || i > last() + 1 && other[i] != 0) { // else it looks like an end
        assertThatThrownBy(() -> TornTail.find(ByteBuffer.wrap(other), log))
            .as("at " + i)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("an entry is damaged: file=" + log);
      }
    }
  }

  /** In the middle of the length, of the entry, of the checksum; zeros from a sector on. */
  @Test
  void theJournalGoesOnWithoutIt() throws Exception {
    int sector = (last() / SECTOR + 1) * SECTOR;
    List<byte[]> torn =
        List.of(
            Arrays.copyOf(bytes, last() + 1),
            Arrays.copyOf(bytes, last() + 100),
            Arrays.copyOf(bytes, end - 1),
            zerosFrom(sector),
            zerosFrom(sector + SECTOR));
    for (byte[] content : torn) {
      for (Path other : logs()) {
        Files.delete(other); // of the start before
      }
      Files.write(log, content);
      assertThat(JournalFiles.verify(directory, new Ignored()).damage()).isEmpty();
      try (ToyMachine machine = start()) {
        assertThat(machine.words()).isEqualTo(before);
      }
    }
  }

  /** Raft by itself would go on without all that is behind it. */
  @Test
  void aLengthThatIsDamagedIsNoEnd() throws Exception {
    byte[] other = bytes.clone();
    int frame = frames.get(frames.size() / 2);
    other[frame] |= (byte) 0x80;
    other[frame + 1] = 0x7F;
    Files.write(log, other);
    assertThatThrownBy(this::start)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the journal cannot be read")
        .hasMessageContaining("an entry is damaged: file=" + log + " at=" + frame);
    assertThat(JournalFiles.verify(directory, new Ignored()).damage())
        .singleElement()
        .asString()
        .contains("an entry is damaged: file=" + log + " at=" + frame);
  }

  /** Where entries go that are only looked through. */
  private static final class Ignored implements StateMachine {
    @Override
    public byte[] apply(byte[] entry, long timeMs) {
      return entry;
    }

    @Override
    public StateView freeze() {
      throw new AssertionError("nothing is written");
    }

    @Override
    public long load(InputStream in) {
      throw new AssertionError("there is no snapshot");
    }

    @Override
    public byte[] firstEntry() {
      return new byte[0];
    }
  }
}
