package dev.sailfish.system.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.wire.SnapshotPart;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.JobSummary;
import dev.sailfish.system.SailfishCommand;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What another release left: files of this format, written by whichever release, are taken over;
 * those of an earlier or a later format stop the start with a sentence, and stay as they are. The
 * files are the golden ones of the modules that know their bytes; there is no later format yet, so
 * its files are ours with another version in them.
 */
@Timeout(120)
class UpgradeTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final String JOB = "job_1700000000000_0042";
  private static final long CHUNK = 0x1122334455667788L;
  private static final String SORTED = ".sorted@chunkserver+seal-%d-none";
  private static final String APPENDED = "@chunkserver";
  private static final int VERSION_OFFSET = 8;
  private static final int CHECKSUM_OFFSET = ChunkHeader.LENGTH - 4;

  @TempDir private Path directory;

  private static byte[] golden(String module, String file) throws IOException {
    Path path = Path.of("ifile-server", module, "src/test/resources/golden", file);
    String text = Files.readString(SailfishCommand.projectRoot().resolve(path));
    return HexFormat.of().parseHex(text.replaceAll("\\s", ""));
  }

  private Path segment(byte[] chunk, String form) throws IOException {
    Path segments = Files.createDirectories(directory.resolve("data/segments"));
    String name = JOB + "-" + Long.toHexString(CHUNK) + "-1" + form.formatted(chunk.length);
    return Files.write(segments.resolve(name), chunk);
  }

  private Chunkserver chunkserver() throws IOException {
    return Chunkserver.start(
        ChunkserverConfig.of(
            Map.of(
                "sailfish.chunkserver.host", "127.0.0.1",
                "sailfish.chunkserver.bind", "127.0.0.1",
                "sailfish.chunkserver.port", "0",
                "sailfish.chunkserver.web.port", "0",
                "sailfish.chunkserver.metaserver.address", "none",
                "sailfish.chunkserver.authentication", "none",
                "sailfish.chunkserver.memory.dir", "none",
                "sailfish.chunkserver.data.dirs", directory.resolve("data").toString())));
  }

  @ParameterizedTest
  @CsvSource({"sorted-2.hex," + SORTED, "shared-3.hex," + SORTED, "appended-2.hex," + APPENDED})
  void chunksOfThisFormatAreTakenOver(String file, String form) throws IOException {
    segment(golden("format", file), form);
    for (int start = 0; start < 2; start++) {
      try (Chunkserver server = chunkserver();
          ChunkserverClient client =
              ChunkserverClient.connect(
                  new InetSocketAddress("127.0.0.1", server.port()), "test", DEADLINE)) {
        assertThat(client.awaitSorted(JOB, CHUNK, 10_000, DEADLINE).records()).isPositive();
        assertThat(server.metrics()).containsEntry(ChunkserverMetric.LOSSES.fullName(), 0L);
      }
    }
  }

  private void assertLeftAsItIs(byte[] chunk, String form, String words) throws IOException {
    Path file = segment(chunk, form);
    assertThatThrownBy(this::chunkserver)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("was written by another release")
        .hasMessageContaining(words)
        .hasMessageContaining("start that release, or empty");
    assertThat(file).hasBinaryContent(chunk);
  }

  @Test
  void chunksOfAnEarlierFormatAreLeftToIt() throws IOException {
    assertLeftAsItIs(golden("format", "sorted-1.hex"), SORTED, "version=1");
  }

  @ParameterizedTest
  @CsvSource({"sorted-2.hex," + SORTED, "appended-2.hex," + APPENDED})
  void chunksOfALaterFormatAreLeftToIt(String file, String form) throws IOException {
    byte[] chunk = golden("format", file);
    ByteBuffer header = ByteBuffer.wrap(chunk).putShort(VERSION_OFFSET, (short) 3);
    CRC32C checksum = new CRC32C();
    checksum.update(chunk, 0, CHECKSUM_OFFSET);
    header.putInt(CHECKSUM_OFFSET, (int) checksum.getValue());
    assertLeftAsItIs(chunk, form, "version=3");
  }

  private Metaserver metaserver() throws IOException {
    return Metaserver.start(
        MetaserverConfig.of(
            Map.of(
                "sailfish.metaserver.host", "127.0.0.1",
                "sailfish.metaserver.port", "0",
                "sailfish.metaserver.web.port", "0",
                "sailfish.metaserver.authentication", "none",
                "sailfish.metaserver.journal.dir", journal().toString())));
  }

  private Path journal() {
    return directory.resolve("journal");
  }

  /** A journal that holds nothing but a snapshot. */
  private Path journalOf(byte[] snapshot) throws IOException {
    metaserver().close();
    Path group;
    try (Stream<Path> groups = Files.list(journal().resolve("raft"))) {
      group = groups.toList().get(0);
    }
    try (Stream<Path> log = Files.list(group.resolve("current"))) {
      for (Path segment :
          log.filter(file -> file.getFileName().toString().startsWith("log_")).toList()) {
        Files.delete(segment);
      }
    }
    return Files.write(group.resolve("sm/snapshot.1_500"), snapshot);
  }

  @ParameterizedTest
  @CsvSource({"snapshot-2.hex,job_1_1", "snapshot-2-kept.hex,job_1_1 job_1_2"})
  void aJournalOfThisFormatIsTakenOver(String file, String jobs) throws IOException {
    journalOf(golden("metaserver", file));
    for (int start = 0; start < 2; start++) {
      try (Metaserver server = metaserver();
          MetaserverClient client =
              MetaserverClient.connect(
                  new InetSocketAddress("127.0.0.1", server.port()), "test", DEADLINE)) {
        assertThat(client.listJobs().getJobsList().stream().map(JobSummary::getJob))
            .containsExactlyElementsOf(List.of(jobs.split(" ")));
      }
    }
  }

  @Test
  void aJournalOfAnEarlierFormatIsLeftToIt() throws IOException {
    byte[] snapshot = golden("metaserver", "snapshot-1.hex");
    Path file = journalOf(snapshot);
    assertThatThrownBy(this::metaserver)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("written by an earlier release: version=1 understood=2");
    assertThat(file).hasBinaryContent(snapshot);
  }

  @Test
  void aJournalOfALaterFormatIsLeftToIt() throws IOException {
    ByteArrayInputStream known = new ByteArrayInputStream(golden("metaserver", "snapshot-2.hex"));
    SnapshotPart.Builder header = SnapshotPart.parseDelimitedFrom(known).toBuilder();
    ByteArrayOutputStream later = new ByteArrayOutputStream();
    header.setHeader(header.getHeader().toBuilder().setVersion(3)).build().writeDelimitedTo(later);
    known.transferTo(later);
    Path file = journalOf(later.toByteArray());
    assertThatThrownBy(this::metaserver)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("written by a later release: version=3 understood=2");
    assertThat(file).hasBinaryContent(later.toByteArray());
  }

  @ParameterizedTest
  @CsvSource({"layout=1", "layout=3"})
  void aDirectoryOfAnotherLayoutIsLeftToIt(String layout) throws IOException {
    metaserver().close();
    Path identity = journal().resolve("identity");
    String other = Files.readString(identity).replaceFirst("layout=\\d+", layout);
    Files.writeString(identity, other);
    assertThatThrownBy(this::metaserver)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("another peer, cluster or release")
        .hasMessageContaining(layout);
    assertThat(identity).hasContent(other);
  }
}
