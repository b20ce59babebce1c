package dev.sailfish.lineage.understore.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.understore.CopyKind;
import dev.sailfish.lineage.understore.CopyRecord;
import dev.sailfish.lineage.understore.CopyTarget;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.UnderStoreTimeoutException;
import dev.sailfish.lineage.understore.call.Gate;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.s3.Bucket.Condition;
import dev.sailfish.lineage.understore.s3.S3Server;
import dev.sailfish.lineage.understore.s3.StoredObject;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** S3A against a server of the tests: an object is there when all of it is. */
class S3aUnderStoreTest extends UnderStoreContract {
  private static final String BUCKET = "lake";
  private static final String PREFIX = "tables/";

  /** Two parts of an upload; S3 takes none that is smaller. */
  private static final int TWO_PARTS = (5 << 20) + 1000;

  private final S3Server server = new S3Server(BUCKET);

  S3aUnderStoreTest() throws IOException {}

  @AfterEach
  void stop() {
    server.close();
  }

  /** Hadoop's properties beside those that every S3 of another maker needs. */
  Map<String, String> properties() {
    return Map.of();
  }

  @Override
  Mount mount(String... options) {
    Map<String, String> all = new TreeMap<>(properties());
    all.put("endpoint", server.endpoint());
    all.put("endpoint.region", "us-east-1");
    all.put("path.style.access", "true");
    all.put("connection.ssl.enabled", "false");
    all.put("aws.credentials.provider", "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider");
    all.put("access.key", "a");
    all.put("secret.key", "b");
    all.put("attempts.maximum", "1");
    all.put("retry.limit", "0");
    all.put("retry.interval", "1ms");
    all.put("multipart.size", "5m");
    all.put("fast.upload.buffer", "bytebuffer");
    String words =
        all.entrySet().stream()
            .map(option -> "hadoop.fs.s3a." + option.getKey() + "=" + option.getValue())
            .collect(Collectors.joining(" "));
    return Mount.parse(
        "/lake s3a://" + BUCKET + "/tables buffer=64k " + words + " " + String.join(" ", options));
  }

  @Override
  void writeBelow(String path, byte[] content) {
    server.bucket().put(PREFIX + path, content, Condition.NONE);
  }

  @Override
  List<String> namesBelow() {
    return server.bucket().keys().stream()
        .filter(key -> key.startsWith(PREFIX) && !key.endsWith("/"))
        .map(key -> key.substring(PREFIX.length()))
        .toList();
  }

  @Override
  CopyKind kind() {
    return CopyKind.RECORDED;
  }

  @Test
  void shouldRecordTheEntityTag() throws Exception {
    CopyRecord record = copy("name", new byte[100]);
    StoredObject object = server.bucket().get(PREFIX + "name").orElseThrow();
    assertThat(record.file().tag()).isEqualTo('"' + object.etag() + '"');
    assertThat(list("")).containsExactly("name");
  }

  /** The object's time has seconds, and is the same here. */
  @Test
  void shouldNoticeAnotherObjectByItsTag() throws Exception {
    writeBelow("name", new byte[100]);
    UnderFile file = store().status(path("name")).orElseThrow();
    UnderFile other =
        new UnderFile(
            file.path(), false, 100, file.modifiedMs(), "0" + file.tag(), file.ownership());
    assertThat(store().changed(other))
        .hasValueSatisfying(difference -> assertThat(difference).contains("tag="));
    fails(Reason.CHANGED, () -> store().open(other));
  }

  @Test
  void shouldCopyInParts(SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, TWO_PARTS);
    CopyRecord record = copy("large", content);
    assertThat(server.bucket().get(PREFIX + "large").orElseThrow().etag()).endsWith("-2");
    assertThat(store().verify(record)).isEqualTo(record.file());
    assertThat(read("large")).isEqualTo(content);
    try (CopyWriter writer = store().write(new CopyTarget(path("other"), FID))) {
      writer.write(ByteBuffer.wrap(content));
    }
    assertThat(namesBelow()).containsExactly("large");
    assertThat(server.bucket().uploads()).as("uploads that are left").isZero();
  }

  /** Somebody else's object comes between the look and the last request. */
  @Test
  void shouldNotReplaceAnObjectThatComesInBetween(SplittableRandom random) throws Exception {
    byte[] theirs = TestBytes.random(random, 100);
    for (boolean replace : new boolean[] {false, true}) {
      Optional<UnderFile> replaces = Optional.empty();
      if (replace) {
        writeBelow("name", new byte[50]);
        replaces = store().status(path("name"));
      }
      try (CopyWriter writer = store().write(new CopyTarget(path("name"), FID, replaces))) {
        writer.write(ByteBuffer.wrap(TestBytes.random(random, 200)));
        server.beforeChange(() -> server.bucket().put(PREFIX + "name", theirs, Condition.NONE));
        assertThatThrownBy(writer::commit)
            .isInstanceOfSatisfying(
                UnderStoreException.class,
                e -> assertThat(e.reason()).isIn(Reason.EXISTS, Reason.CHANGED));
        server.beforeChange(() -> {});
      }
      assertThat(server.bucket().get(PREFIX + "name").orElseThrow().content()).isEqualTo(theirs);
      store().delete(path("name"), false);
    }
  }

  /** The connection breaks at the first change, at the second one, and so on until none is left. */
  @Test
  void shouldShowAllOfAnObjectOrNothingWhateverBreaks(SplittableRandom random) throws Exception {
    byte[] old = TestBytes.random(random, 100);
    for (int size : new int[] {1000, TWO_PARTS}) {
      byte[] content = TestBytes.random(random, size);
      boolean failed = true;
      for (int changes = 0; failed; changes++) {
        server.failAfter(Integer.MAX_VALUE);
        writeBelow("name", old);
        UnderFile recorded = store().status(path("name")).orElseThrow();
        server.failAfter(changes);
        try {
          CopyRecord record =
              copy(new CopyTarget(path("name"), FID, Optional.of(recorded)), content);
          store().verify(record);
          failed = server.hasFailed();
          assertThat(read("name")).isEqualTo(content);
        } catch (IOException e) {
          assertThat(server.hasFailed()).as("%s", e).isTrue();
          assertThat(read("name")).as("after %d changes", changes).isIn(old, content);
        }
        assertThat(changes).isLessThan(20);
      }
    }
  }

  @Test
  void shouldLetGoWhenTheServerHangs(SplittableRandom random) throws Exception {
    use(mount("deadline=300ms", "threads=1"));
    byte[] content = TestBytes.random(random, 100);
    writeBelow("name", content);
    awaitReadable("name", content);
    Gate gate = new Gate();
    server.before(gate::pass);
    assertThatThrownBy(() -> store().status(path("name")))
        .isInstanceOf(UnderStoreTimeoutException.class)
        .hasMessageContainingAll("asking for name of /lake (s3a://lake/tables/)", "300 ms");
    server.before(() -> {});
    gate.open();
    await().until(() -> opened().usage().running() == 0);
    awaitReadable("name", content);
  }

  /** A busy machine may take longer than the deadline, too. */
  private void awaitReadable(String name, byte[] content) {
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreException(UnderStoreTimeoutException.class)
        .untilAsserted(() -> assertThat(read(name)).isEqualTo(content));
  }
}
