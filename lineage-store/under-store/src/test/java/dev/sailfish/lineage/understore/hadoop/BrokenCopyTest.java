package dev.sailfish.lineage.understore.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.understore.CopyKind;
import dev.sailfish.lineage.understore.CopyRecord;
import dev.sailfish.lineage.understore.CopyTarget;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies that end in the middle: at every step of the file system, and with their process. */
@Seeded
@Timeout(120)
class BrokenCopyTest {
  private static final Clock CLOCK = System::nanoTime;
  private static final int LENGTH = 200_000;
  private static final long FID = 5;

  @TempDir private java.nio.file.Path root;

  private final List<String> steps = new ArrayList<>();
  private int failing = Integer.MAX_VALUE;
  private boolean forGood;

  private void before(String step) throws IOException {
    steps.add(step);
    if (steps.size() - 1 == failing || (forGood && steps.size() - 1 > failing)) {
      if (step.equals("write")) {
        fillDisk();
      }
      throw new IOException("the step " + step + " fails");
    }
  }

  /** What Hadoop makes of that is no exception but an error, which nobody else can construct. */
  private static void fillDisk() throws IOException {
    RawLocalFileSystem local = new RawLocalFileSystem();
    local.initialize(URI.create("file:///"), new Configuration());
    try (local;
        FSDataOutputStream full = local.append(new Path("/dev/full"))) {
      full.write(new byte[1 << 20]);
    }
  }

  private Mount mount(String options) {
    String plan = FaultyFileSystem.plan("broken", this::before);
    return Mount.parse("/d faulty://broken" + root + " buffer=64k threads=1" + plan + options);
  }

  private CopyRecord copy(UnderStore store, Optional<UnderFile> replaces, byte[] content)
      throws IOException {
    try (CopyWriter writer = store.write(new CopyTarget(UnderPath.of("name"), FID, replaces))) {
      writer.write(ByteBuffer.wrap(content));
      return writer.commit();
    }
  }

  private List<String> names() throws IOException {
    try (Stream<java.nio.file.Path> all = Files.list(root)) {
      return all.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /**
   * Each step fails once, with and without all that follow: clearing up too. Under the name there
   * is what was there before, or all of the copy.
   */
  @ParameterizedTest
  @ValueSource(strings = {" rename=atomic", " rename=not.atomic"})
  void shouldBeWholeOrNotThereWhicheverStepFails(String rename, SplittableRandom random)
      throws Exception {
    byte[] content = TestBytes.random(random, LENGTH);
    byte[] old = TestBytes.random(random, 100);
    for (boolean replace : new boolean[] {false, true}) {
      for (int step = 0; tryOnce(rename, replace ? old : null, content, step); step++) {
        assertThat(step).isLessThan(50);
      }
    }
    assertThat(steps).contains("create", "write", "close", "rename", "renamed", "status");
  }

  private boolean tryOnce(String rename, byte[] old, byte[] content, int step) throws Exception {
    boolean failed = false;
    for (boolean last : new boolean[] {false, true}) {
      forGood = last;
      java.nio.file.Path name = root.resolve("name");
      Files.deleteIfExists(name);
      if (old != null) {
        Files.write(name, old);
      }
      try (HadoopMount mount = new HadoopMount(mount(rename), CLOCK);
          UnderStore store = mount.as(UserGroupInformation.getCurrentUser())) {
        failing = Integer.MAX_VALUE;
        Optional<UnderFile> replaces = store.status(UnderPath.of("name"));
        steps.clear();
        failing = step;
        CopyRecord record = null;
        try {
          record = copy(store, replaces, content);
        } catch (UnderStoreException e) {
          assertThat(e).hasMessageMatching("(?s).*(fails|No space left).*");
          failed = true;
        }
        failing = Integer.MAX_VALUE;
        check(store, record, old, content);
      }
    }
    return failed;
  }

  private void check(UnderStore store, CopyRecord record, byte[] old, byte[] content)
      throws IOException {
    java.nio.file.Path name = root.resolve("name");
    if (record != null) {
      assertThat(name).hasBinaryContent(content);
      assertThat(store.verify(record)).isEqualTo(record.file());
    } else if (Files.exists(name)) {
      assertThat(Files.readAllBytes(name)).as("after %s", steps).isIn(old, content);
    }
    assertThat(store.list(UnderPath.ROOT).next())
        .allSatisfy(file -> assertThat(file.path().name()).isEqualTo("name"));
    store.sweep(UnderPath.ROOT, Duration.ZERO);
    assertThat(names()).as("after %s", steps).isSubsetOf("name");
  }

  @Test
  void shouldSayThatTheDiskIsFull() throws Exception {
    try (HadoopMount mount = new HadoopMount(mount(""), CLOCK);
        UnderStore store = mount.as(UserGroupInformation.getCurrentUser())) {
      store.status(UnderPath.ROOT);
      steps.clear();
      failing = 1;
      assertThatThrownBy(() -> copy(store, Optional.empty(), new byte[LENGTH]))
          .isInstanceOf(UnderStoreException.class)
          .hasMessageContainingAll("writing /d/name (faulty://broken", "No space left");
      assertThat(names()).isEmpty();
    }
  }

  /**
   * The writer's process is killed in the middle; what it leaves is nobody's copy, and is swept.
   */
  @Test
  void shouldShowNothingOfAWriterThatWasKilled() throws Exception {
    Process writer =
        new ProcessBuilder(
                ChildJvm.command(CopyHolder.class, List.of("-Xmx256m"), root.toUri().toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var out = writer.inputReader()) {
      assertThat(out.readLine()).isEqualTo("written");
    } finally {
      writer.destroyForcibly();
    }
    assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(names()).singleElement().asString().matches("\\.name\\..*\\.copying");
    Mount local = Mount.parse("/d " + root.toUri());
    try (HadoopMount mount = new HadoopMount(local, CLOCK);
        UnderStore store = mount.as(UserGroupInformation.getCurrentUser())) {
      assertThat(store.status(UnderPath.of("name"))).isEmpty();
      assertThat(store.list(UnderPath.ROOT).next()).isEmpty();
      assertThat(store.sweep(UnderPath.ROOT, Duration.ofHours(1))).isZero();
      CopyRecord record = copy(store, Optional.empty(), new byte[LENGTH]);
      assertThat(record.kind()).isEqualTo(CopyKind.RENAMED);
      assertThat(store.sweep(UnderPath.ROOT, Duration.ZERO)).isEqualTo(1);
    }
    assertThat(names()).containsExactly("name");
  }
}
