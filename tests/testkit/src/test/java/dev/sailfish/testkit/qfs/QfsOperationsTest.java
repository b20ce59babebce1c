package dev.sailfish.testkit.qfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sailfish.testkit.ManualNanoClock;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Operations of names, chunks and plain writes, and the statuses with which they refuse. */
@Seeded
class QfsOperationsTest {
  private final ManualNanoClock clock = new ManualNanoClock();
  private QfsTestServer qfs;
  private RawFiles files;

  @BeforeEach
  void start() throws IOException {
    qfs = QfsTestServer.start(QfsServerSettings.DEFAULTS.clock(clock));
    files = new RawFiles(qfs);
  }

  @AfterEach
  void stop() throws IOException {
    files.close();
    qfs.close();
  }

  private void open() throws IOException {
    files.create("f", 2);
    assertEquals(0, files.allocate("Chunk-offset", 0).status());
    assertEquals(0, files.writeId(false).status());
  }

  @Test
  void readsWhatWasWritten(SplittableRandom random) throws IOException {
    open();
    byte[] bytes = TestBytes.random(random, 3 * Replica.BLOCK_BYTES);
    byte[] rest = TestBytes.random(random, 1000);
    assertEquals(0, files.prepare(0, bytes).status());
    assertEquals(0, files.prepare(bytes.length, rest).status());
    assertEquals(QfsStatus.AGAIN, files.read(0, 10).status(), "unstable");
    assertEquals(0, files.closeChunk().status());
    RawConnection.Answer answer = files.read(100_000, 200_000);
    assertEquals(bytes.length + rest.length - 100_000, answer.status());
    assertEquals(bytes[100_000], answer.body()[0]);
    assertEquals(rest[999], answer.body()[answer.body().length - 1]);
    String first = answer.fields().get("Checksums").split(" ")[0];
    assertEquals(Replica.adler(answer.body(), 0, Replica.BLOCK_BYTES), Long.parseLong(first));
    assertEquals(QfsStatus.IO, files.read(1_000_000, 10).status(), "after the end");
    RawConnection.Answer found =
        files.meta.call("LOOKUP_PATH", "Root File-handle", 2, "Pathname", "/f");
    assertEquals(bytes.length + rest.length, found.number("File-size"));
    assertArrayEquals(files.first().bytes(files.chunk), files.second().bytes(files.chunk));
  }

  @Test
  void sendsKeptChecksumsIfTheDiskIsNotChecked(SplittableRandom random) throws IOException {
    open();
    files.prepare(0, TestBytes.random(random, 2 * Replica.BLOCK_BYTES));
    files.closeChunk();
    files.first().corrupt(files.chunk, 70_000);
    assertEquals(QfsStatus.BAD_CHECKSUM, files.read(0, 131_072).status());
    RawConnection.Answer answer = files.read(0, 131_072, "Skip-Disk-Chksum", 1);
    String[] checksums = answer.fields().get("Checksums").split(" ");
    assertEquals(Replica.adler(answer.body(), 0, 65_536), Long.parseLong(checksums[0]));
    assertTrue(Replica.adler(answer.body(), 65_536, 65_536) != Long.parseLong(checksums[1]));
    assertEquals(65_536, files.read(0, 65_536).status(), "the other block is whole");
  }

  @Test
  void refusesWritesThatAreNotAlignedAndTheOnesAfterThem() throws IOException {
    open();
    assertEquals(QfsStatus.INVALID, files.prepare(0, new byte[100_000]).status());
    assertEquals(QfsStatus.LEASE_EXPIRED, files.prepare(0, new byte[10]).status());
  }

  @Test
  void refusesAWrongChecksumAndTakesTheRightOne() throws IOException {
    open();
    RawConnection.Answer answer =
        files.onChunk(
            "WRITE_PREPARE",
            new byte[10],
            "Offset",
            0,
            "Num-bytes",
            10,
            "Checksum",
            1,
            "Reply",
            1,
            "Num-servers",
            2,
            "Servers",
            files.writeIds);
    assertEquals(QfsStatus.BAD_CHECKSUM, answer.status());
    assertEquals(0, files.prepare(0, new byte[10]).status());
  }

  @Test
  void refusesLargeReadsOtherVersionsAndUnknownChunks() throws IOException {
    open();
    files.prepare(0, new byte[10]);
    files.closeChunk();
    assertEquals(QfsStatus.TOO_LARGE, files.read(0, 20 << 20).status());
    files.version++;
    assertEquals(QfsStatus.BAD_VERSION, files.read(0, 10).status());
    files.chunk += 1000;
    assertEquals(QfsStatus.NO_CHUNK, files.read(0, 10).status());
  }

  @Test
  void givesAnotherVersionToAChunkWhoseReplicaIsGone() throws IOException {
    open();
    files.prepare(0, new byte[10]);
    QfsChunkserver gone = files.second();
    gone.stop();
    assertEquals(QfsStatus.UNREACHABLE, files.prepare(10, new byte[10]).status());
    assertEquals(0, files.allocate("Chunk-offset", 0).status());
    assertEquals(2, files.version);
    assertEquals(1, files.replicas());
    files.writeId(false);
    assertEquals(0, files.prepare(10, new byte[10]).status());
    files.closeChunk();
    gone.restart();
    assertEquals(1, qfs.holders(files.chunk).size(), "an old version does not count");
  }

  @Test
  void endsAWriteLeaseWhenItsTimeIsOver() throws IOException {
    open();
    files.prepare(0, new byte[10]);
    clock.advance(Duration.ofSeconds(299));
    assertEquals(0, files.prepare(10, new byte[10]).status());
    clock.advance(Duration.ofSeconds(301));
    assertEquals(QfsStatus.LEASE_EXPIRED, files.prepare(20, new byte[10]).status());
    assertTrue(qfs.isStable(files.chunk));
  }

  @Test
  void keepsReadLeasesAsLongAsTheyAreRenewed() throws IOException {
    open();
    Object[] chunk = {"Pathname", "/f", "Chunk-handle", files.chunk};
    assertEquals(QfsStatus.BUSY, files.meta.call("LEASE_ACQUIRE", chunk).status());
    files.prepare(0, new byte[10]);
    files.closeChunk();
    long lease = files.meta.call("LEASE_ACQUIRE", chunk).number("Lease-id");
    assertEquals(QfsStatus.BUSY, files.allocate("Chunk-offset", 0).status());
    Object[] its = {"Chunk-handle", files.chunk, "Lease-id", lease, "Lease-type", "READ_LEASE"};
    clock.advance(Duration.ofSeconds(299));
    assertEquals(0, files.meta.call("LEASE_RENEW", its).status());
    clock.advance(Duration.ofSeconds(299));
    assertEquals(1, qfs.readLeases(files.chunk));
    assertEquals(0, files.meta.call("LEASE_RELINQUISH", its).status());
    assertEquals(QfsStatus.LEASE_EXPIRED, files.meta.call("LEASE_RENEW", its).status());
    assertEquals(0, files.allocate("Chunk-offset", 0).status());
  }

  @Test
  void truncatesAtChunksOnly() throws IOException {
    open();
    files.prepare(0, new byte[100]);
    files.closeChunk();
    Object[] inside = {"Pathname", "/f", "File-handle", files.file, "Offset", 50};
    Object[] all = {"Pathname", "/f", "File-handle", files.file, "Offset", 0};
    assertEquals(QfsStatus.ACCESS, files.meta.call("TRUNCATE", inside).status());
    assertEquals(0, files.meta.call("TRUNCATE", all).status());
    assertEquals(0, qfs.chunksOf("/f").size());
    assertEquals(0, qfs.contents("/f").length);
  }

  @Test
  void listsInPages() throws IOException {
    for (int i = 0; i < 5; i++) {
      files.create("f" + i, 1);
    }
    Object[] first = {"Directory File-handle", 2, "Max-entries", 4};
    RawConnection.Answer page = files.meta.call("READDIR", first);
    assertEquals(".\n..\nf0\nf1\n", new String(page.body(), StandardCharsets.UTF_8));
    assertEquals(1, page.number("Has-more-entries"));
    Object[] second = {"Directory File-handle", 2, "Max-entries", 4, "Fname-start", "f1"};
    page = files.meta.call("READDIR", second);
    assertEquals("f2\nf3\nf4\n", new String(page.body(), StandardCharsets.UTF_8));
    assertEquals(0, page.number("Has-more-entries"));
    Object[] unknown = {"Directory File-handle", 2, "Max-entries", 4, "Fname-start", "none"};
    assertEquals(QfsStatus.NO_ENTRY, files.meta.call("READDIR", unknown).status());
    page = files.meta.call("READDIRPLUS", second);
    assertTrue(new String(page.body(), StandardCharsets.UTF_8).startsWith("B\nN:f2\nH:"));
  }

  @Test
  void renamesAsPathsSay() throws IOException {
    files.create("f", 1);
    Object[] directory = {"Parent File-handle", 2, "Directory", "d"};
    long d = files.meta.call("MKDIR", directory).number("File-handle");
    assertEquals(QfsStatus.EXISTS, files.meta.call("MKDIR", directory).status());
    assertEquals(QfsStatus.IS_DIRECTORY, rename("f", "/d", true));
    assertEquals(0, rename("f", "/d/g", false));
    assertEquals(QfsStatus.NO_ENTRY, rename("f", "/d/g", false));
    assertEquals(QfsStatus.INVALID, rename("d", "/d/e", false));
    Object[] rmdir = {"Parent File-handle", 2, "Directory", "d", "Pathname", "/d"};
    assertEquals(QfsStatus.NOT_EMPTY, files.meta.call("RMDIR", rmdir).status());
    Object[] remove = {"Parent File-handle", d, "Filename", "g", "Pathname", "/d/g"};
    assertEquals(0, files.meta.call("REMOVE", remove).status());
    assertEquals(0, files.meta.call("RMDIR", rmdir).status());
  }

  private long rename(String from, String to, boolean overwrite) throws IOException {
    Object[] fields = {
      "Parent File-handle",
      2,
      "Old-name",
      from,
      "New-path",
      to,
      "Old-path",
      "/" + from,
      "Overwrite",
      overwrite ? 1 : 0
    };
    return files.meta.call("RENAME", fields).status();
  }

  @Test
  void laysOutChunksAsWords() throws IOException {
    open();
    files.prepare(0, new byte[10]);
    files.closeChunk();
    assertEquals(0, files.allocate("Chunk-offset", 2L * Replica.CHUNK_BYTES).status());
    RawConnection.Answer answer = files.meta.call("GETLAYOUT", "File-handle", files.file);
    assertEquals(2, answer.number("Num-chunks"));
    String[] words = new String(answer.body(), StandardCharsets.UTF_8).trim().split("\\s+");
    assertEquals(2 * (4 + 2 * 2), words.length);
    assertEquals(String.valueOf(2 * Replica.CHUNK_BYTES), words[8]);
    Object[] hole = {"File-handle", files.file, "Chunk-offset", Replica.CHUNK_BYTES};
    assertEquals(QfsStatus.NO_ENTRY, files.meta.call("GETALLOC", hole).status());
  }
}
