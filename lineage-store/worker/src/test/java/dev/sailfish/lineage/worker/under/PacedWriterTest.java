package dev.sailfish.lineage.worker.under;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.understore.CopyRecord;
import dev.sailfish.lineage.understore.CopyWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacedWriterTest {
  private static final int MIB = 1 << 20;

  /** Notes how long the copy was when it was synced. */
  private static final class Noted implements CopyWriter {
    private final List<Long> synced = new ArrayList<>();
    private long length;

    @Override
    public void write(ByteBuffer source) {
      length += source.remaining();
      source.position(source.limit());
    }

    @Override
    public void sync() {
      synced.add(length / MIB);
    }

    @Override
    public long length() {
      return length;
    }

    @Override
    public CopyRecord commit() {
      return null;
    }

    @Override
    public void close() {}
  }

  /** Stands still: nothing here waits. */
  private static final Clock STILL =
      new Clock() {
        @Override
        public long nanoTime() {
          return 0;
        }

        @Override
        public void pause(long untilNs, String what) {}
      };

  private final Noted copy = new Noted();
  private boolean hurries;
  private final PacedWriter writer =
      new PacedWriter(copy, new Pace(STILL, () -> false), () -> hurries);

  private void write(int pieces) throws IOException {
    for (int i = 0; i < pieces; i++) {
      writer.write(ByteBuffer.allocate(MIB));
    }
  }

  @Test
  void aLargeCopyIsSyncedInSteps() throws IOException {
    write(50);
    assertThat(copy.synced).containsExactly(16L, 32L, 48L);
    assertThat(writer.length()).isEqualTo(50L * MIB);
  }

  @Test
  void oneThatSomebodyWaitsForIsSyncedAtItsEnd() throws IOException {
    write(20);
    hurries = true;
    write(60);
    assertThat(copy.synced).containsExactly(16L);
    hurries = false;
    write(1);
    assertThat(copy.synced).containsExactly(16L, 81L);
  }
}
