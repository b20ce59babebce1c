package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.ground.config.StorageDirectory;
import dev.sailfish.ground.config.StorageDirectory.DiskType;
import dev.sailfish.ground.server.daemon.DaemonSettings;
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
                config.settings(),
                "here",
                List.of(InetSocketAddress.createUnresolved("localhost", 19850)),
                Optional.of(Path.of("/dev/shm/sailfish-chunkserver-19852")),
                List.of(),
                new DaemonSettings(
                    ChunkserverKey.SERVER,
                    false,
                    Optional.empty(),
                    false,
                    Optional.empty(),
                    Optional.empty(),
                    19853,
                    Optional.empty())));
    assertThat(config.threads(ChunkserverKey.SORTER_THREADS)).isEqualTo(HALF_THE_CORES);
    assertThat(config.threads(ChunkserverKey.IO_THREADS)).isEqualTo(HALF_THE_CORES);
    assertThat(config.get(ChunkserverKey.BIND)).isEqualTo("0.0.0.0");
    assertThat(config.get(ChunkserverKey.KEEP_CHUNKS)).isTrue();
    assertThat(config.sorter())
        .isEqualTo(new SorterConfig((256L << 20) / HALF_THE_CORES, 64 << 10));
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
            "memory.size", "3g",
            "data.dirs", "/a:capacity=10g, /b",
            "growth", "128k",
            "idle.release", "5min",
            "keep.chunks", "false",
            "io.threads", "5",
            "sorter.threads", "6",
            "sorter.memory", "600m",
            "sorted.block.size", "32k",
            "chunks.max", "8",
            "readers.waiting.max", "9",
            "connections.max", "10",
            "frame.deadline", "11s",
            "write.deadline", "12s",
            "heartbeat", "250ms",
            "rehearsal", "1500ms",
            "warm", "300m",
            "authentication", "secret",
            "cluster.secret.file", "/s",
            "tls", "required",
            "tls.server.file", "/ts",
            "tls.client.file", "/tc");
    assertThat(config)
        .isEqualTo(
            new ChunkserverConfig(
                config.settings(),
                "node7",
                List.of(
                    InetSocketAddress.createUnresolved("master", 3),
                    InetSocketAddress.createUnresolved("second", 4)),
                Optional.of(Path.of("/mem")),
                List.of(
                    new StorageDirectory(Path.of("/a"), DiskType.HDD, 10L << 30),
                    new StorageDirectory(Path.of("/b"), DiskType.HDD, StorageDirectory.ALL_OF_IT)),
                new DaemonSettings(
                    ChunkserverKey.SERVER,
                    false,
                    Optional.of(Path.of("/s")),
                    true,
                    Optional.of(Path.of("/ts")),
                    Optional.of(Path.of("/tc")),
                    2,
                    Optional.of(Path.of("/t")))));
    assertEveryValue(config);
    assertThat(config.sorter()).isEqualTo(new SorterConfig(100L << 20, 32 << 10));
    assertThat(config.identityDirectory()).isEqualTo(Path.of("/a"));
  }

  private static void assertEveryValue(ChunkserverConfig config) {
    assertThat(config.get(ChunkserverKey.BIND)).isEqualTo("10.0.0.7");
    assertThat(config.get(ChunkserverKey.PORT)).isEqualTo(1);
    assertThat(config.get(ChunkserverKey.MEMORY_SIZE)).isEqualTo(3L << 30);
    assertThat(config.get(ChunkserverKey.GROWTH)).isEqualTo(128 << 10);
    assertThat(config.get(ChunkserverKey.IDLE_RELEASE)).isEqualTo(Duration.ofMinutes(5));
    assertThat(config.get(ChunkserverKey.KEEP_CHUNKS)).isFalse();
    assertThat(config.threads(ChunkserverKey.IO_THREADS)).isEqualTo(5);
    assertThat(config.threads(ChunkserverKey.SORTER_THREADS)).isEqualTo(6);
    assertThat(config.get(ChunkserverKey.CHUNKS_MAX)).isEqualTo(8);
    assertThat(config.get(ChunkserverKey.READERS_WAITING_MAX)).isEqualTo(9);
    assertThat(config.get(ChunkserverKey.CONNECTIONS_MAX)).isEqualTo(10);
    assertThat(config.get(ChunkserverKey.FRAME_DEADLINE)).isEqualTo(Duration.ofSeconds(11));
    assertThat(config.get(ChunkserverKey.WRITE_DEADLINE)).isEqualTo(Duration.ofSeconds(12));
    assertThat(config.get(ChunkserverKey.HEARTBEAT)).isEqualTo(Duration.ofMillis(250));
    assertThat(config.get(ChunkserverKey.REHEARSAL)).isEqualTo(Duration.ofMillis(1500));
    assertThat(config.get(ChunkserverKey.WARM)).isEqualTo(300L << 20);
    assertThat(config.rehearsalDirectory()).contains(Path.of("/mem/rehearsal"));
  }

  @Test
  void shouldDoWithoutMemoryAndMetaserver() {
    ChunkserverConfig config =
        of("host", "h", "memory.dir", "none", "data.dirs", "/a", "metaserver.address", "none");
    assertThat(config.memoryDirectory()).isEmpty();
    assertThat(config.rehearsalDirectory()).isEmpty();
    assertThat(config.metaservers()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "port|70000|must be a whole number in 0..65535",
        "tls|yes|must be required or none",
        "tls|required|needs sailfish.chunkserver.tls.server.file",
        "port|http|must be a whole number",
        "metaserver.address|master|must be host:port",
        "metaserver.address|master:x|must be host:port",
        "metaserver.address|:1|must be host:port",
        "memory.size|1 GB|must be a size in 1m.., as 64k",
        "memory.size|99999999999t|must be a size",
        "memory.size|1k|must be a size in 1m..",
        "memory.dir|none|must name a directory",
        "data.dirs|/a:capacity=1k|must be path[:disktype=",
        "data.dirs|/a:capacity=much|must be path[:disktype=",
        "growth|5000|must be a multiple of 4k",
        "idle.release|soon|must be a duration in 0..1d",
        "idle.release|600|must be a duration in 0..1d, as 500ms",
        "sorter.threads|0|must be a whole number in 1..256",
        "sorted.block.size|1m|must be a size in 16k..64k",
        "authentication|maybe|must be secret or none",
        "authentication|secret|needs sailfish.chunkserver.cluster.secret.file",
        "rehearsal|2min|must be a duration in 0..1min",
        "heartbeat|1ms|must be a duration in 10ms..1min",
        "sorter.thread|1|sorter.thread, did you mean sailfish.chunkserver.sorter.threads?",
      })
  void shouldSayWhatIsWrong(String key, String value, String message) {
    assertThatThrownBy(() -> of("host", "h", key, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(ChunkserverConfig.PREFIX)
        .hasMessageContaining(message);
  }
}
