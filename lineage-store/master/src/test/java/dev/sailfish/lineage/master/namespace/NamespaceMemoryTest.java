package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a file costs is what the package's page says. */
class NamespaceMemoryTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final Creation CREATION = new Creation(0644, 0755, 27, false, 1);
  private static final int DIRECTORIES = 500;
  private static final int FILES = 1_000;
  private static final long STATED_BYTES = 93;

  @Test
  void aFileCostsWhatIsStated() throws NamespaceException {
    Namespace namespace = Namespace.empty();
    int[] places = {Place.of(namespace.addWorker(1, "localhost", 1).number(), 0)};
    for (int directory = 0; directory < DIRECTORIES; directory++) {
      for (int file = 0; file < FILES; file++) {
        StorePath path = StorePath.of("/out-%05d/part-r-%05d".formatted(directory, file));
        namespace
            .writing()
            .complete(
                namespace.writing().create(path, CREATION, ROOT, 1).fid(),
                1,
                Content.of(1 + file, places),
                2);
      }
    }
    assertThat(namespace.size()).isEqualTo(DIRECTORIES * FILES + DIRECTORIES + 1);
    long with = heap();
    Reference.reachabilityFence(namespace);
    namespace = null;
    double bytes = (double) (with - heap()) / (DIRECTORIES * FILES);
    System.out.printf("bytes per file: %.1f%n", bytes);
    assertThat(bytes).isBetween(STATED_BYTES * 0.8, STATED_BYTES * 1.1);
  }

  /** What is left once all has gone that other tests have left. */
  private static long heap() {
    long before = Long.MAX_VALUE;
    long used = Long.MAX_VALUE - 1;
    while (used < before) {
      before = used;
      System.gc();
      used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
    return used;
  }
}
