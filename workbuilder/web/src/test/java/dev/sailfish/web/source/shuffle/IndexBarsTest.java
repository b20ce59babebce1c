package dev.sailfish.web.source.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.tail.IndexSummary;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class IndexBarsTest {
  private static IndexSummary.Entry entry(int key, long bytes) {
    return new IndexSummary.Entry(0, ByteBuffer.allocate(4).putInt(key).array(), 1, bytes);
  }

  @Test
  void barsHaveAllBytesAndAreBounded() {
    IndexBars bars = new IndexBars();
    for (int i = 9_999; i >= 0; i--) {
      bars.add(entry(i, 10));
    }
    bars.add(new IndexSummary.Entry(0, null, 1, 1_000));
    List<Histogram.Bar> all = bars.bars();
    assertThat(all).hasSizeBetween(90, IndexBars.MOST);
    assertThat(all.stream().mapToLong(Histogram.Bar::bytes).sum()).isEqualTo(100_000);
    assertThat(all.stream().mapToLong(Histogram.Bar::records).sum()).isEqualTo(10_000);
    assertThat(all.get(0).key()).isEqualTo("\"\\x00\\x00\\x00\\x00\"");
  }

  @Test
  void aHeavyKeyIsAlone() {
    IndexBars bars = new IndexBars();
    for (int i = 0; i < 1_000; i++) {
      bars.add(entry(i, 10));
    }
    for (int i = 0; i < 5; i++) {
      bars.add(entry(500, 1_000));
    }
    assertThat(bars.bars())
        .anySatisfy(
            bar -> {
              assertThat(bar.key()).isEqualTo("\"\\x00\\x00\\x01\\xf4\"");
              assertThat(bar.bytes()).isEqualTo(5_010);
              assertThat(bar.records()).isEqualTo(6);
            });
  }

  @Test
  void nothingHasNoBars() {
    assertThat(new IndexBars().bars()).isEmpty();
  }
}
