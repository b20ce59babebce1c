package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.cli.inspect.ChunkDump;
import dev.sailfish.cli.inspect.ChunkFile;
import dev.sailfish.cli.inspect.ChunkVerifier;
import dev.sailfish.cli.inspect.Verdict;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.format.tail.IndexSummary;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.imerger.KeyRange;
import dev.sailfish.imerger.LostBlocksException;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.testkit.SeedExtension;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What an encrypted job leaves in files, in memory and on disk, is nowhere in clear, whatever state
 * its chunks are in, and is read all the same: after restarts, by later attempts, by commands. The
 * same is found when the job is not encrypted, so that this can fail.
 */
@ExtendWith(SeedExtension.class)
class EncryptionAtRestTest {
  private static final String JOB = "job_1_0001";
  private static final byte[] MARKER =
      "what nobody may find in any file".getBytes(StandardCharsets.US_ASCII);
  private static final int RECORDS_PER_MAP = 8000;
  private static final int KEY_PREFIX = 12;
  private static final int VALUE_BYTES = 900;
  private static final int[] WINNERS = {0, 0, 1, 1, 2, 1000};
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final byte[] SECRET =
      "the secret of the tasks of a job".getBytes(StandardCharsets.US_ASCII);
  private static final KeyOrder NORMALIZED = KeyOrder.normalized(KeyEncoding.RAW);
  private static final KeyOrder COMPARATOR =
      KeyOrder.of(
          (left, leftAt, leftLength, right, rightAt, rightLength) ->
              Arrays.compareUnsigned(
                  left, leftAt, leftAt + leftLength, right, rightAt, rightAt + rightLength));

  @TempDir Path temporary;

  /** Keys and values as texts of one byte per character, by key. */
  private final TreeMap<String, String> expected = new TreeMap<>();

  private static String text(byte[] bytes, int offset, int length) {
    return new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
  }

  private static Iappender open(SailfishDaemons daemons, IfileSpec spec, int map, int attempt)
      throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            List.of(daemons.address()),
            "127.0.0.1",
            "test",
            8 << 20,
            64 << 10,
            0,
            DEADLINE,
            1 << 20,
            daemons.task(JOB, SECRET));
    return Iappender.open(config, spec, map, attempt);
  }

  private void append(Iappender appender, int map, long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed + map);
    byte[] key = new byte[KEY_PREFIX + MARKER.length];
    byte[] value = new byte[VALUE_BYTES];
    System.arraycopy(MARKER, 0, key, KEY_PREFIX, MARKER.length);
    for (int i = 0; i < RECORDS_PER_MAP; i++) {
      System.arraycopy(TestBytes.random(random, KEY_PREFIX), 0, key, 0, KEY_PREFIX);
      random.nextBytes(value);
      System.arraycopy(MARKER, 0, value, random.nextInt(VALUE_BYTES / 2), MARKER.length);
      appender.append(0, key, 0, key.length, value, 0, value.length);
      expected.put(text(key, 0, key.length), text(value, 0, value.length));
    }
  }

  /** Three maps, of which one fails at first and one is of a second ApplicationMaster. */
  private void append(SailfishDaemons daemons, IfileSpec spec, long seed) throws IOException {
    try (Iappender failing = open(daemons, spec, 1, 0)) {
      append(failing, 1, seed + 100);
      expected.clear();
    }
    for (int i = 0; i < WINNERS.length; i += 2) {
      try (Iappender appender = open(daemons, spec, WINNERS[i], WINNERS[i + 1])) {
        append(appender, i, seed);
        appender.commit();
      }
    }
  }

  private ImergerConfig reader(SailfishDaemons daemons, Credentials credentials) {
    return new ImergerConfig(
        List.of(daemons.address()), 1 << 20, temporary.resolve("spill"), DEADLINE, credentials);
  }

  private void assertReads(SailfishDaemons daemons, KeyOrder order, boolean encrypted)
      throws IOException {
    try (Imerger imerger =
        Imerger.open(reader(daemons, daemons.task(JOB, SECRET)), JOB, 0, order, "test")) {
      imerger.start(WINNERS);
      assertThat(imerger.statistics().spilledBytes()).as("it must spill").isPositive();
      assertSpills(encrypted);
      for (Map.Entry<String, String> record : expected.entrySet()) {
        assertThat(imerger.next()).isTrue();
        assertThat(text(imerger.keyBuffer(), imerger.keyOffset(), imerger.keyLength()))
            .isEqualTo(record.getKey());
        assertThat(text(imerger.valueBuffer(), imerger.valueOffset(), imerger.valueLength()))
            .isEqualTo(record.getValue());
      }
      assertThat(imerger.next()).isFalse();
    }
  }

  /** Spilled files have no name any more; this process still has them open. */
  private void assertSpills(boolean encrypted) throws IOException {
    int found = 0;
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      for (Path file : open.toList()) {
        if (Files.isSymbolicLink(file)
            && Files.readSymbolicLink(file).startsWith(temporary.resolve("spill"))) {
          found++;
          assertThat(contains(Files.readAllBytes(file))).isEqualTo(!encrypted);
          assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
              .isEqualTo("rw-------");
        }
      }
    }
    assertThat(found).isPositive();
  }

  private static boolean contains(byte[] bytes) {
    return text(bytes, 0, bytes.length).contains(text(MARKER, 0, MARKER.length));
  }

  /**
   * All files of the chunkserver, in its memory and on its disk, but the one with its id. A server
   * that runs may give files other names at any time.
   */
  private List<Path> files() throws IOException {
    List<Path> found = new ArrayList<>();
    for (String directory : List.of("memory0", "disk0")) {
      Files.walkFileTree(
          temporary.resolve(directory),
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              if (!file.endsWith("chunkserver-id")) {
                found.add(file);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) throws IOException {
              if (gone instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
              }
              throw gone;
            }
          });
    }
    return found;
  }

  private void assertFiles(String when, boolean encrypted) throws IOException {
    boolean found = false;
    int looked = 0;
    for (Path file : files()) {
      try {
        found |= contains(Files.readAllBytes(file));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .as("%s of %s", when, file)
            .isEqualTo("rw-------");
        looked++;
      } catch (NoSuchFileException renamed) {
        assertThat(when).startsWith("running");
      }
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
          .isEqualTo("rwx------");
    }
    assertThat(looked).as(when).isPositive();
    assertThat(found).as("%s, encrypted=%s: found in clear", when, encrypted).isEqualTo(!encrypted);
  }

  /** What people see who look into chunk files; a record of each block, where that can be. */
  private void assertCommands(boolean encrypted) throws IOException {
    int looked = 0;
    for (Path file : files()) {
      byte[] bytes = Files.readAllBytes(file);
      boolean pooled = file.getFileName().toString().startsWith("+");
      if (!pooled && bytes.length > Long.BYTES && text(bytes, 0, Long.BYTES).equals("SFCHUNK1")) {
        Verdict verdict = ChunkVerifier.verify(file);
        assertThat(verdict.good()).as(verdict.line()).isTrue();
        assertThat(verdict.line().contains("encrypted")).as(verdict.line()).isEqualTo(encrypted);
        StringWriter dump = new StringWriter();
        assertThat(new ChunkDump(ChunkFile.open(file), new PrintWriter(dump)).print(1)).isTrue();
        assertThat(dump.toString().contains(text(MARKER, 0, MARKER.length))).isEqualTo(!encrypted);
        looked++;
      }
    }
    assertThat(looked).isPositive();
  }

  private static boolean allAre(MetaserverClient client, ChunkState state) throws IOException {
    List<ChunkDescription> chunks = client.describeJob(JOB, -1).getChunksList();
    return !chunks.isEmpty() && chunks.stream().allMatch(chunk -> chunk.getState() == state.code());
  }

  private static void awaitSorted(MetaserverClient client) {
    await().atMost(DEADLINE).until(() -> allAre(client, ChunkState.SORTED));
  }

  @ParameterizedTest
  @CsvSource({
    "true,NORMALIZED,NONE,256m",
    "true,NORMALIZED,LZ4,256m",
    "true,NORMALIZED,ZSTD,1m",
    "true,COMPARATOR,NONE,256m",
    "true,COMPARATOR,LZ4,1m",
    "false,NORMALIZED,NONE,256m",
    "false,NORMALIZED,LZ4,1m",
    "false,COMPARATOR,LZ4,256m"
  })
  void nothingShouldBeInClearAtAnyTime(
      boolean encrypted, Ordering ordering, CodecId codec, String memory, SplittableRandom random)
      throws IOException {
    KeyOrder order = ordering == Ordering.NORMALIZED ? NORMALIZED : COMPARATOR;
    IfileSpec spec = new IfileSpec(JOB, 2, order, codec, encrypted, 0);
    Map<String, String> settings = Map.of("sailfish.chunkserver.memory.size", memory);
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 1, settings);
        MetaserverClient client = daemons.client()) {
      append(daemons, spec, random.nextLong());
      assertFiles("running, some OPEN, some STABLE or SORTED", encrypted);
      daemons.restartChunkserver(0, () -> assertFiles("while it was stopped", encrypted));
      // Nobody connects: the chunkserver must get the job's key by itself.
      awaitSorted(client);
      assertFiles("running, all SORTED", encrypted);
      assertReads(daemons, order, encrypted);
      daemons.restartChunkserver(0, () -> assertFiles("stopped again", encrypted));
      assertCommands(encrypted);
      assertReads(daemons, order, encrypted);
      assertFiles("running, read", encrypted);
    }
  }

  @Test
  void anOpenChunkShouldNotBeInClear(SplittableRandom random) throws IOException {
    for (boolean encrypted : new boolean[] {true, false}) {
      Path work = Files.createDirectory(temporary.resolve("open" + encrypted));
      try (SailfishDaemons daemons = SailfishDaemons.start(work, 1, Map.of());
          MetaserverClient client = daemons.client();
          Iappender appender =
              open(daemons, new IfileSpec(JOB, 1, NORMALIZED, CodecId.NONE, encrypted, 0), 0, 0)) {
        byte[] value = TestBytes.random(random, 500);
        for (int i = 0; i < 1000; i++) {
          appender.append(0, MARKER, 0, MARKER.length, value, 0, value.length);
        }
        appender.commit();
        assertThat(allAre(client, ChunkState.OPEN)).isTrue();
        boolean found = false;
        try (Stream<Path> all = Files.walk(work)) {
          for (Path file : all.filter(Files::isRegularFile).toList()) {
            found |= contains(Files.readAllBytes(file));
          }
        }
        assertThat(found).isEqualTo(!encrypted);
      }
    }
  }

  private Imerger open(SailfishDaemons daemons, String from, String to) throws IOException {
    Imerger reader = Imerger.open(reader(daemons, daemons.cluster()), JOB, 0, NORMALIZED, "test");
    reader.start(
        WINNERS,
        new KeyRange(
            from.getBytes(StandardCharsets.ISO_8859_1), to.getBytes(StandardCharsets.ISO_8859_1)));
    return reader;
  }

  @Test
  void commandsShouldReadByKey(SplittableRandom random) throws IOException {
    IfileSpec spec = new IfileSpec(JOB, 2, NORMALIZED, CodecId.LZ4, true, 0);
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 1, Map.of())) {
      append(daemons, spec, random.nextLong());
      String[] bounds = {"", "@", "\u0080abc", "\u00f0", "\u00ff\u00ff\u00ff"};
      long fetched = 0;
      for (int i = 0; i + 1 < bounds.length; i++) {
        try (Imerger reader = open(daemons, bounds[i], bounds[i + 1])) {
          for (String key : expected.subMap(bounds[i], bounds[i + 1]).keySet()) {
            assertThat(reader.next()).isTrue();
            assertThat(text(reader.keyBuffer(), reader.keyOffset(), reader.keyLength()))
                .isEqualTo(key);
          }
          assertThat(reader.next()).isFalse();
          fetched += reader.statistics().bytesFetched();
        }
      }
      try (Imerger reader = open(daemons, "@", "A")) {
        while (reader.next()) {
          assertThat(reader.keyLength()).isPositive();
        }
        assertThat(reader.statistics().bytesFetched())
            .as("a small range is not the whole job")
            .isBetween(1L, fetched / 2);
      }
    }
  }

  @Test
  void sumsOverIndexesShouldHaveNoKeys(SplittableRandom random) throws IOException {
    IfileSpec spec = new IfileSpec(JOB, 2, NORMALIZED, CodecId.LZ4, true, 0);
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 1, Map.of());
        MetaserverClient client = daemons.client()) {
      append(daemons, spec, random.nextLong());
      for (ChunkDescription chunk : client.describeJob(JOB, -1).getChunksList()) {
        InetSocketAddress address = new InetSocketAddress(chunk.getHost(), chunk.getPort());
        try (ChunkserverClient server =
            ChunkserverClient.connect(address, "test", daemons.cluster(), DEADLINE)) {
          ChunkTail tail = server.awaitSorted(JOB, chunk.getChunk(), 10_000, DEADLINE);
          IndexSummary summary =
              server.summarizeIndex(JOB, List.of(chunk.getChunk()), 0, false).get(0);
          assertThat(summary.records()).isEqualTo(tail.records()).isPositive();
          assertThat(summary.rawBytes()).isEqualTo(tail.rawBytes());
          assertThat(summary.entries())
              .hasSize(tail.entries())
              .allMatch(entry -> entry.key() == null);
        }
      }
    }
  }

  @Test
  void aWrongKeyShouldReadNothing(SplittableRandom random) throws IOException {
    IfileSpec spec = new IfileSpec(JOB, 2, NORMALIZED, CodecId.NONE, true, 0);
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 1, Map.of())) {
      append(daemons, spec, random.nextLong());
      Credentials stranger = daemons.task(JOB, new byte[] {3, 2, 1});
      try (Imerger imerger = Imerger.open(reader(daemons, stranger), JOB, 0, NORMALIZED, "test")) {
        assertThatThrownBy(() -> imerger.start(WINNERS))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("it never created its I-files")
            .hasMessageContaining("job=" + JOB + "~");
        assertThat(imerger.statistics().records()).isZero();
      }
    }
  }

  /** Changes a byte of each chunk's first sorted block and makes all checksums good again. */
  private void forge() throws IOException {
    int forged = 0;
    for (Path file : files()) {
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        int length = (int) Math.min(channel.size(), 1 << 20);
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) > 0) {
          assertThat(bytes.position()).isPositive();
        }
        if (isChunk(bytes, length)) {
          BlockHeader header = BlockHeader.read(bytes, ChunkHeader.LENGTH, length);
          int stored = ChunkHeader.LENGTH + BlockHeader.LENGTH;
          int changed = stored + header.storedLength() / 2;
          bytes.put(changed, (byte) (bytes.get(changed) ^ 1));
          header
              .withStored(header.storedLength(), Checksum.of(bytes, stored, header.storedLength()))
              .write(bytes, ChunkHeader.LENGTH);
          channel.write(bytes.position(0).limit(length), 0);
          forged++;
        }
      }
    }
    assertThat(forged).isPositive();
  }

  private static boolean isChunk(ByteBuffer bytes, int length) {
    return length > ChunkHeader.LENGTH
        && text(bytes.array(), 0, Long.BYTES).equals("SFCHUNK1")
        && text(bytes.array(), ChunkHeader.LENGTH, Integer.BYTES).equals("SFB1");
  }

  @Test
  void forgedBlocksShouldBeNoticedAlthoughTheirChecksumsAreGood(SplittableRandom random)
      throws IOException {
    IfileSpec spec = new IfileSpec(JOB, 2, NORMALIZED, CodecId.NONE, true, 0);
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 1, Map.of());
        MetaserverClient client = daemons.client()) {
      append(daemons, spec, random.nextLong());
      daemons.restartChunkserver(0, () -> {});
      awaitSorted(client);
      daemons.restartChunkserver(0, this::forge);
      try (Imerger imerger =
          Imerger.open(reader(daemons, daemons.task(JOB, SECRET)), JOB, 0, NORMALIZED, "test")) {
        assertThatThrownBy(() -> imerger.start(WINNERS))
            .isInstanceOf(LostBlocksException.class)
            .hasMessageContaining("also when read again")
            .hasMessageContaining("cannot be decrypted");
        assertThat(imerger.statistics().records()).isZero();
      }
    }
  }

  @Test
  void theClusterMayEncryptWhatDoesNotAskForIt(SplittableRandom random) throws IOException {
    IfileSpec spec = new IfileSpec(JOB, 2, NORMALIZED, CodecId.NONE, false, 0);
    Map<String, String> settings = Map.of("sailfish.metaserver.encrypt.at.rest", "required");
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 1, settings);
        MetaserverClient client = daemons.client()) {
      append(daemons, spec, random.nextLong());
      assertThat(client.describeJob(JOB, -1).getSummary().getEncrypted()).isTrue();
      assertFiles("running, required", true);
      assertReads(daemons, NORMALIZED, true);
    }
  }

  @Test
  void withoutAuthenticationItShouldBeRefused() throws IOException {
    IfileSpec spec = new IfileSpec(JOB, 2, NORMALIZED, CodecId.NONE, true, 0);
    try (SailfishDaemons daemons = SailfishDaemons.startOpen(temporary, 1, Map.of())) {
      IappenderConfig config =
          new IappenderConfig(daemons.address(), "127.0.0.1", "test", 0, 0, 0, DEADLINE, 0);
      assertThatThrownBy(() -> Iappender.open(config, spec, 0, 0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("authenticates nobody, so that there is no key")
          .hasMessageContaining("sailfish.metaserver.cluster.secret.file");
    }
  }
}
