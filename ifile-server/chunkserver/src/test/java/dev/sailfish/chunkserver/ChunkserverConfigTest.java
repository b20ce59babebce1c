package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.transport.Authentication;
import dev.sailfish.transport.TlsSettings;
import dev.sailfish.transport.WebSettings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChunkserverConfigTest {
  private static final int HALF_THE_CORES =
      Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

  private static ChunkserverConfig of(String... settings) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < settings.length; i += 2) {
      values.put(ChunkserverConfig.PREFIX + settings[i], settings[i + 1]);
    }
    values.put("sailfish.metaserver.port", "of no interest");
    return ChunkserverConfig.of(values);
  }

  @Test
  void shouldHaveDefaults() {
    ChunkserverConfig config = of("host", "here");
    assertThat(config)
        .isEqualTo(
            new ChunkserverConfig(
                "here",
                "0.0.0.0",
                19852,
                new WebSettings(ChunkserverConfig.PREFIX, 19853, ""),
                List.of(InetSocketAddress.createUnresolved("localhost", 19850)),
                new ChunkserverConfig.Storage(
                    Optional.of(Path.of("/dev/shm/sailfish-chunkserver-19852")),
                    1L << 30,
                    List.of(),
                    1L << 20,
                    Duration.ofMinutes(10),
                    true),
                new ChunkserverConfig.Sorting(HALF_THE_CORES, 256L << 20, 64 << 10),
                new ChunkserverConfig.Limits(
                    HALF_THE_CORES,
                    20_000,
                    100_000,
                    20_000,
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(60)),
                Duration.ofSeconds(1),
                new Authentication(ChunkserverConfig.PREFIX, "", ""),
                new TlsSettings(ChunkserverConfig.PREFIX, "none", "", Optional.of(""))));
  }

  @Test
  void shouldTakeEverySetting() {
    ChunkserverConfig config =
        of(
            "host", "node7",
            "bind", "10.0.0.7",
            "port", "1",
            "web.port", "2",
            "web.token.file", "/t",
            "metaserver.address", "master:3, second:4",
            "memory.dir", "/mem",
            "memory.bytes", "3g",
            "data.dirs", "/a:capacity=10g, /b",
            "growth.bytes", "128k",
            "idle.release", "5min",
            "keep.chunks", "false",
            "io.threads", "5",
            "sorter.threads", "6",
            "sorter.memory.bytes", "600m",
            "sorted.block.bytes", "32k",
            "chunks.max", "8",
            "readers.waiting.max", "9",
            "connections.max", "10",
            "frame.deadline", "11s",
            "write.deadline", "12s",
            "heartbeat", "250",
            "authentication", "secret",
            "cluster.secret.file", "/s",
            "tls", "required",
            "tls.server.file", "/ts",
            "tls.client.file", "/tc");
    assertThat(config)
        .isEqualTo(
            new ChunkserverConfig(
                "node7",
                "10.0.0.7",
                1,
                new WebSettings(ChunkserverConfig.PREFIX, 2, "/t"),
                List.of(
                    InetSocketAddress.createUnresolved("master", 3),
                    InetSocketAddress.createUnresolved("second", 4)),
                new ChunkserverConfig.Storage(
                    Optional.of(Path.of("/mem")),
                    3L << 30,
                    List.of(
                        new ChunkserverConfig.DataDirectory(Path.of("/a"), 10L << 30),
                        new ChunkserverConfig.DataDirectory(
                            Path.of("/b"), ChunkserverConfig.ALL_OF_IT)),
                    128 << 10,
                    Duration.ofMinutes(5),
                    false),
                new ChunkserverConfig.Sorting(6, 600L << 20, 32 << 10),
                new ChunkserverConfig.Limits(
                    5, 8, 9, 10, Duration.ofSeconds(11), Duration.ofSeconds(12)),
                Duration.ofMillis(250),
                new Authentication(ChunkserverConfig.PREFIX, "secret", "/s"),
                new TlsSettings(ChunkserverConfig.PREFIX, "required", "/ts", Optional.of("/tc"))));
    assertThat(config.sorter().memoryBytes()).isEqualTo(100L << 20);
    assertThat(config.identityDirectory()).isEqualTo(Path.of("/a"));
  }

  @Test
  void shouldDoWithoutMemoryAndMetaserver() {
    ChunkserverConfig config =
        of("host", "h", "memory.dir", "none", "data.dirs", "/a", "metaserver.address", "none");
    assertThat(config.storage().memoryDirectory()).isEmpty();
    assertThat(config.storage().memoryBytes()).isZero();
    assertThat(config.metaservers()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "port|70000|must be in [0, 65535]",
        "tls|yes|must be required or none",
        "tls|required|needs sailfish.chunkserver.tls.server.file",
        "port|http|is not a whole number",
        "metaserver.address|master|must be host:port",
        "metaserver.address|master:x|must be host:port",
        "metaserver.address|:1|must be host:port",
        "memory.bytes|1 GB|is not a size",
        "memory.bytes|9223372036854775807|is not a size",
        "memory.bytes|99999999999t|is too large",
        "memory.bytes|1k|must be in [1048576",
        "memory.dir|none|must name a directory",
        "data.dirs|/a:capacity=1k|must be path:capacity=SIZE",
        "data.dirs|/a:capacity=much|is not a size",
        "growth.bytes|5000|must be a multiple of 4k",
        "idle.release|soon|is not a time",
        "idle.release|25h|must be in [PT0S",
        "sorter.threads|0|must be in [1, 256]",
        "sorted.block.bytes|1m|must be in [16384, 65536]",
        "authentication|maybe|must be secret or none",
        "authentication|secret|needs sailfish.chunkserver.cluster.secret.file",
        "heartbeat|1ms|must be in [PT0.01S",
        "sorter.thread|1|unknown settings: sailfish.chunkserver.sorter.thread",
      })
  void shouldSayWhatIsWrong(String key, String value, String message) {
    assertThatThrownBy(() -> of("host", "h", key, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(ChunkserverConfig.PREFIX)
        .hasMessageContaining(message);
  }
}
