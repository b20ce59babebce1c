package dev.sailfish.lineage.qfs.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.QfsSettings;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.CreateOptions;
import dev.sailfish.lineage.qfs.meta.RetrySettings;
import dev.sailfish.lineage.qfs.read.QfsInput;
import dev.sailfish.lineage.qfs.wire.ConnectionSettings;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.qfs.QfsChunkserver;
import dev.sailfish.testkit.qfs.QfsServerSettings;
import dev.sailfish.testkit.qfs.QfsTestServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Record append against the tests' server, and what it does when servers and replies are lost. */
@Seeded
@Timeout(120)
class RecordAppendTest {
  private static final String FILE = "/appended";
  private static final Duration REQUEST = Duration.ofMillis(500);
  private static final RetrySettings RETRY =
      new RetrySettings(Duration.ofSeconds(30), Duration.ofMillis(5), Duration.ofMillis(100));
  private static final AppendSettings SETTINGS = new AppendSettings(256 << 10, 64 << 10, RETRY);
  private static final int LONGEST = 8 << 10;

  private QfsTestServer server;
  private QfsClient client;

  @BeforeEach
  void start() throws IOException {
    server = QfsTestServer.start(QfsServerSettings.DEFAULTS.servers(1, 4));
    HostPort meta = new HostPort("127.0.0.1", server.metaPort(0));
    client =
        QfsClient.connect(
            QfsSettings.of(meta).withConnection(ConnectionSettings.DEFAULTS.withRequest(REQUEST)));
    client.meta().create(FILE, new CreateOptions(3, 0644, false));
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private RecordAppendFile open() throws IOException {
    return RecordAppendFile.open(client, FILE, SETTINGS);
  }

  private void assertAppended(RecordAppendFile file, int writers, int records) throws IOException {
    AppendedRecords.assertEachOnceInOrder(client, FILE, file.makeStable(), writers, records);
  }

  @Test
  void oneWriter(Seed seed) throws Exception {
    try (RecordAppendFile file = open();
        Writers writers =
            new Writers(file, 1, 500, AppendedRecords.HEADER, LONGEST, seed.value())) {
      writers.await();
      assertThat(writers.appended()).isEqualTo(500);
      assertAppended(file, 1, 500);
      assertThat(file.makeStable()).hasSize(1);
    }
  }

  @Test
  void manyWritersShareAChunk(Seed seed) throws Exception {
    try (RecordAppendFile file = open();
        Writers writers =
            new Writers(file, 12, 100, AppendedRecords.HEADER, LONGEST, seed.value())) {
      writers.await();
      assertAppended(file, 12, 100);
      assertThat(file.makeStable()).hasSize(1);
    }
  }

  @Test
  void saysWhereEachRecordIs(SplittableRandom random) throws Exception {
    List<CompletableFuture<RecordLocation>> done = new ArrayList<>();
    try (RecordAppendFile file = open();
        RecordAppender appender = file.newAppender()) {
      for (int number = 0; number < 200; number++) {
        int length = random.nextInt(AppendedRecords.HEADER, LONGEST);
        done.add(appender.append(AppendedRecords.record(3, number, length)));
      }
      appender.flush();
      file.makeStable();
    }
    try (QfsInput in = client.open(FILE)) {
      for (int number = 0; number < 200; number++) {
        RecordLocation at = done.get(number).getNow(null);
        ByteBuffer bytes = ByteBuffer.allocateDirect(at.length());
        in.readFully(at.offset(), bytes);
        assertThat(bytes.position(0).limit(at.length()))
            .isEqualTo(AppendedRecords.record(3, number, at.length()));
      }
    }
  }

  @Test
  void goesOnInFurtherChunks(Seed seed) throws Exception {
    AppendSettings large = new AppendSettings(4 << 20, 4 << 20, RETRY);
    try (RecordAppendFile file = RecordAppendFile.open(client, FILE, large);
        Writers writers = new Writers(file, 4, 25, 1 << 20, 2 << 20, seed.value())) {
      writers.await();
      assertAppended(file, 4, 25);
      List<AppendedChunk> chunks = file.makeStable();
      assertThat(chunks).hasSizeGreaterThan(1);
      assertThat(chunks).allMatch(chunk -> chunk.offset() % ChunkInfo.BYTES == 0);
      assertThat(chunks).allMatch(chunk -> chunk.bytes() <= ChunkInfo.BYTES);
    }
  }

  @Test
  void lostAcknowledgements(Seed seed) throws Exception {
    for (QfsChunkserver chunkserver : server.chunkservers()) {
      for (int fault = 1; fault <= 10; fault++) {
        chunkserver.faults().on("RECORD_APPEND").skip(3 * fault).closeAfter();
      }
    }
    assertExactlyOnce(seed, 6, 150);
  }

  @Test
  void repliesThatNeverCome(Seed seed) throws Exception {
    for (QfsChunkserver chunkserver : server.chunkservers()) {
      chunkserver.faults().on("RECORD_APPEND").skip(2).times(3).loseReply();
      chunkserver.faults().on("WRITE_ID_ALLOC").skip(3).loseReply();
      chunkserver.faults().on("CHUNK_SPACE_RESERVE").skip(5).loseReply();
      chunkserver.faults().on("GET_RECORD_APPEND_OP_STATUS").skip(1).loseReply();
    }
    assertExactlyOnce(seed, 4, 60);
  }

  @Test
  void requestsThatNeverArrive(Seed seed) throws Exception {
    for (QfsChunkserver chunkserver : server.chunkservers()) {
      chunkserver.faults().on("RECORD_APPEND").skip(2).times(2).loseRequest();
      chunkserver.faults().on("RECORD_APPEND").skip(9).times(3).closeBefore();
    }
    assertExactlyOnce(seed, 4, 60);
  }

  @Test
  void damagedReplies(Seed seed) throws Exception {
    for (QfsChunkserver chunkserver : server.chunkservers()) {
      chunkserver.faults().on("RECORD_APPEND").skip(2).garbage();
      chunkserver.faults().on("RECORD_APPEND").skip(4).cutHeader();
      chunkserver.faults().on("RECORD_APPEND").skip(6).unknownSequence();
      chunkserver.faults().on("WRITE_ID_ALLOC").skip(3).oversizedHeader();
    }
    assertExactlyOnce(seed, 6, 100);
  }

  @Test
  void failingReplicas(Seed seed) throws Exception {
    for (QfsChunkserver chunkserver : server.chunkservers()) {
      for (int fault = 1; fault <= 4; fault++) {
        chunkserver.faults().onForwarded("RECORD_APPEND").skip(7 * fault).refuse(-113);
      }
    }
    assertExactlyOnce(seed, 6, 100);
  }

  /** So many questions what became of an append were answered or not. */
  private int questions() {
    return server.chunkservers().stream()
        .mapToInt(chunkserver -> chunkserver.faults().count("GET_RECORD_APPEND_OP_STATUS"))
        .sum();
  }

  private void assertExactlyOnce(Seed seed, int count, int records) throws Exception {
    try (RecordAppendFile file = open();
        Writers writers =
            new Writers(file, count, records, AppendedRecords.HEADER, LONGEST, seed.value())) {
      writers.await();
      assertThat(writers.appended()).isEqualTo(count * records);
      assertThat(questions()).isPositive();
      assertAppended(file, count, records);
    }
  }

  @Test
  void aKilledChunkserver(Seed seed) throws Exception {
    try (RecordAppendFile file = open();
        Writers writers =
            new Writers(file, 6, 300, AppendedRecords.HEADER, LONGEST, seed.value())) {
      writers.allow(900);
      await().atMost(Duration.ofSeconds(60)).until(() -> writers.appended() > 100);
      List<Long> chunks = server.chunksOf(FILE);
      server.holders(chunks.get(chunks.size() - 1)).get(0).stop();
      writers.await();
      assertAppended(file, 6, 300);
    }
  }

  @Test
  void chunksThatOthersEnd(Seed seed) throws Exception {
    try (RecordAppendFile file = open();
        Writers writers =
            new Writers(file, 4, 400, AppendedRecords.HEADER, LONGEST, seed.value())) {
      for (int ended = 0; ended < 5; ended++) {
        int before = writers.appended();
        writers.allow(300);
        await().atMost(Duration.ofSeconds(60)).until(() -> writers.appended() >= before + 50);
        file.makeStable();
      }
      writers.await();
      assertAppended(file, 4, 400);
      assertThat(file.makeStable()).hasSizeGreaterThan(1);
    }
  }

  @Test
  void noServerTakesIt() throws Exception {
    RetrySettings hasty =
        new RetrySettings(Duration.ofSeconds(1), Duration.ofMillis(5), Duration.ofMillis(100));
    AppendSettings settings = new AppendSettings(1 << 20, 1 << 20, hasty);
    for (QfsChunkserver chunkserver : server.chunkservers()) {
      chunkserver.faults().on("WRITE_ID_ALLOC").always().refuse(-22);
    }
    RecordAppendFile file = RecordAppendFile.open(client, FILE, settings);
    RecordAppender appender = file.newAppender();
    CompletableFuture<RecordLocation> done = appender.append(AppendedRecords.record(0, 0, 100));
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> done.get(30, TimeUnit.SECONDS))
        .withCauseInstanceOf(AppendException.class)
        .withMessageContaining(FILE);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> appender.append(AppendedRecords.record(0, 1, 100)));
    assertThatExceptionOfType(IOException.class).isThrownBy(file::close);
  }

  @Test
  void refusesWhatCannotBeAppended() throws Exception {
    client.meta().makeDirectory("/directory", 0755);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> RecordAppendFile.open(client, "/directory", SETTINGS))
        .withMessageContaining("/directory");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> RecordAppendFile.open(client, "/missing", SETTINGS));
    try (RecordAppendFile file = open()) {
      RecordAppender appender = file.newAppender();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> appender.append(ByteBuffer.allocate(SETTINGS.batchBytes() + 1)));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> appender.append(ByteBuffer.allocate(0)));
      appender.close();
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> appender.append(ByteBuffer.allocate(1)))
          .withMessageContaining("closed");
    }
  }
}
