package dev.sailfish.testkit.qfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.sailfish.testkit.ManualNanoClock;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Atomic record append. */
@Seeded
class QfsAppendsTest {
  private static final int MB = 1 << 20;

  private final ManualNanoClock clock = new ManualNanoClock();
  private QfsTestServer qfs;
  private RawFiles files;

  @BeforeEach
  void start() throws IOException {
    qfs =
        QfsTestServer.start(
            QfsServerSettings.DEFAULTS.clock(clock).stableAfter(Duration.ofMillis(250)));
    files = new RawFiles(qfs);
    files.create("f", 3);
    assertEquals(0, open(MB).status());
    assertEquals(0, files.writeId(true).status());
    assertEquals(0, files.reserve(MB).status());
  }

  @AfterEach
  void stop() throws IOException {
    files.close();
    qfs.close();
  }

  private RawConnection.Answer open(int reserve) throws IOException {
    return files.allocate(
        "Chunk-offset", -1, "Chunk-append", 1, "Space-reserve", reserve, "Max-appenders", 64);
  }

  private long flush() throws IOException {
    Object[] fields = {"Pathname", "/f", "Chunk-handle", files.chunk, "Flush-write-lease", 1};
    return files.meta.call("LEASE_ACQUIRE", fields).status();
  }

  @Test
  void choosesThePlaceAndIsReadWhenStable(SplittableRandom random) throws IOException {
    byte[] first = TestBytes.random(random, 20_000);
    byte[] second = TestBytes.random(random, 70_000);
    assertEquals(0, files.append(first).number("File-offset"));
    assertEquals(20_000, files.append(second).number("File-offset"));
    assertEquals(QfsStatus.AGAIN, files.read(0, 10).status());
    assertEquals(QfsStatus.BUSY, flush());
    clock.advanceMs(250);
    assertEquals(0, flush());
    assertEquals(90_000, files.read(0, 100_000).status());
    for (QfsChunkserver server : qfs.chunkservers()) {
      assertArrayEquals(qfs.contents("/f"), server.bytes(files.chunk));
    }
    assertEquals(QfsStatus.PROTOCOL_STATE, files.append(first).status());
  }

  @Test
  void tellsTheOutcomeOfTheLastAppendAndTakesNoMoreThen() throws IOException {
    files.append(new byte[1000]);
    files.append(new byte[500]);
    long sequence = files.chunkserver().lastSequence();
    RawConnection.Answer status = files.appendStatus();
    assertEquals(0, status.number("Op-status"));
    assertEquals(1000, status.number("Op-offset"));
    assertEquals(500, status.number("Op-length"));
    assertEquals(sequence, status.number("Op-seq"));
    assertEquals(2, status.number("Wid-append-count"));
    assertEquals(MB - 1500, status.number("Wid-bytes-reserved"));
    assertEquals(0, status.number("Wid-was-read-only"));
    assertEquals(QfsStatus.READ_ONLY, files.append(new byte[10]).status());
    assertEquals(1, files.appendStatus().number("Wid-was-read-only"));
  }

  @Test
  void knowsAWriteIdBeforeItsFirstAppend() throws IOException {
    files.writeId(true);
    long sequence = files.chunkserver().lastSequence();
    RawConnection.Answer status = files.appendStatus();
    assertEquals(sequence, status.number("Op-seq"));
    assertEquals(0, status.number("Op-status"));
    assertEquals(0, status.number("Wid-append-count"));
  }

  @Test
  void startsAChunkAtOrAfterTheOffsetThatIsAskedFor() throws IOException {
    Object[] hint = {
      "Chunk-offset", 2L * Replica.CHUNK_BYTES, "Chunk-append", 1, "Space-reserve", MB
    };
    assertEquals(2L * Replica.CHUNK_BYTES, files.allocate(hint).number("Chunk-offset"));
    assertEquals(2L * Replica.CHUNK_BYTES, open(MB).number("Chunk-offset"));
  }

  @Test
  void wantsAReservationOfTheSameConnection() throws IOException {
    assertEquals(QfsStatus.INVALID, files.append(new byte[MB + 1]).status());
    assertEquals(0, files.append(new byte[MB]).status());
    assertEquals(QfsStatus.INVALID, files.append(new byte[1]).status());
    assertEquals(0, files.reserve(MB).status());
    files.reconnect();
    assertEquals(QfsStatus.INVALID, files.append(new byte[1]).status());
  }

  @Test
  void sendsAppendersElsewhereWhenAChunkIsFull() throws IOException {
    long chunk = files.chunk;
    assertEquals(QfsStatus.NO_SPACE, files.reserve(Replica.CHUNK_BYTES).status());
    assertEquals(0, files.closeChunk().status());
    RawConnection.Answer next = open(MB);
    assertEquals(Replica.CHUNK_BYTES, next.number("Chunk-offset"));
    assertNotEquals(chunk, files.chunk);
  }

  @Test
  void bindsSixtyFourAppendersOfOneMegabyteToAChunk() throws IOException {
    long chunk = files.chunk;
    for (int i = 1; i < 64; i++) {
      open(MB);
      assertEquals(chunk, files.chunk);
    }
    open(MB);
    assertNotEquals(chunk, files.chunk);
  }

  @Test
  void losesNothingThatWasAcknowledgedWhenAReplicaFails() throws IOException {
    assertEquals(0, files.append(new byte[1000]).status());
    files.second().stop();
    assertEquals(QfsStatus.AGAIN, files.append(new byte[500]).status());
    assertEquals(QfsStatus.AGAIN, files.appendStatus().number("Op-status"));
    assertEquals(1000, files.first().bytes(files.chunk).length);
    clock.advanceMs(250);
    assertEquals(0, flush());
    assertEquals(QfsStatus.FAILED_STATE, files.appendStatus().number("Op-status"));
    long chunk = files.chunk;
    assertEquals(0, open(MB).status());
    assertNotEquals(chunk, files.chunk);
    assertEquals(2, files.replicas());
  }

  @Test
  void takesOverWhenTheFirstServerDies() throws IOException {
    assertEquals(0, files.append(new byte[1000]).status());
    long chunk = files.chunk;
    QfsChunkserver second = files.second();
    files.first().stop();
    assertEquals(true, qfs.isStable(chunk));
    assertEquals(1000, second.bytes(chunk).length);
    files.first().restart();
    assertEquals(false, files.first().holds(chunk), "unstable chunks are wiped");
  }
}
