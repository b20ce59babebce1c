package dev.sailfish.benchmarks.jobs.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.localcluster.CommandException;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryTest {
  @Test
  void readsWhatTheMachineGave() {
    assertThat(Memory.rss(List.of("VmPeak:\t 9000 kB", "VmRSS:\t  204800 kB"))).isEqualTo(200);
    assertThatThrownBy(() -> Memory.rss(List.of("Name: java")))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("VmRSS");
  }

  @Test
  void addsUpThePartsOfTheHeap() {
    List<String> metrics =
        List.of(
            "# TYPE jvm_memory_used_bytes gauge",
            "jvm_memory_used_bytes{area=\"heap\",id=\"Eden Space\"} 1.048576E7",
            "jvm_memory_used_bytes{area=\"heap\",id=\"Tenured Gen\"} 3.145728E7",
            "jvm_memory_used_bytes{area=\"nonheap\",id=\"Metaspace\"} 5.0E7");
    assertThat(Memory.heap(metrics)).isEqualTo(40);
    assertThatThrownBy(() -> Memory.heap(List.of())).hasMessageContaining("/metrics");
  }
}
