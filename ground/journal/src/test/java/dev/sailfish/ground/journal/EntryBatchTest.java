package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of the log, which later releases must be able to read. */
class EntryBatchTest {
  private static final String GOLDEN =
      "01" + "0000000000000102" + "00000003" + "0a0b0c" + "00000000" + "00000001" + "ff";

  private static final EntryBatch BATCH =
      new EntryBatch(258, List.of(new byte[] {10, 11, 12}, new byte[0], new byte[] {(byte) 0xff}));

  @Test
  void isWrittenAndReadAsItWas() {
    byte[] golden = HexFormat.of().parseHex(GOLDEN);
    assertThat(BATCH.encode()).isEqualTo(golden);
    EntryBatch read = EntryBatch.decode(ByteBuffer.wrap(golden).asReadOnlyBuffer());
    assertThat(read.timeMs()).isEqualTo(258);
    assertThat(read.entries()).containsExactlyElementsOf(BATCH.entries());
  }

  @Test
  void refusesWhatWasCutOrIsOfAnotherRelease() {
    byte[] golden = HexFormat.of().parseHex(GOLDEN);
    for (int length = 0; length < golden.length; length++) {
      byte[] cut = Arrays.copyOf(golden, length);
      boolean betweenEntries = length == 9 || length == 16 || length == 20;
      if (!betweenEntries) {
        assertThatThrownBy(() -> EntryBatch.decode(ByteBuffer.wrap(cut)))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
    golden[0] = 8;
    assertThatThrownBy(() -> EntryBatch.decode(ByteBuffer.wrap(golden)))
        .hasMessageContaining("another release wrote this entry");
  }
}
