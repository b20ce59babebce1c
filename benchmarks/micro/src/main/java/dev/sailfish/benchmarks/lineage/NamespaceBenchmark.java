package dev.sailfish.benchmarks.lineage;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.Content;
import dev.sailfish.lineage.master.namespace.Creation;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.master.namespace.StorePath;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** What the tree of files costs by itself, without journal and network: one call each. */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 2, jvmArgsAppend = "-Xmx2g")
public class NamespaceBenchmark extends AverageTimeBenchmark {
  private static final Caller ALICE = new Caller("alice", Set.of("staff"), false);
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final Creation CREATION = new Creation(0644, 0755, 27, true, 1);
  private static final int FILES_PER_DIRECTORY = 1000;

  /** How many files there are, a thousand in each directory. */
  @Param({"10000", "1000000"})
  public int files;

  private final SplittableRandom random = new SplittableRandom(1);
  private final int[] places = new int[1];
  private Namespace namespace;

  /** Makes them. */
  @Setup(Level.Trial)
  public void fill() throws NamespaceException {
    namespace = Namespace.empty();
    places[0] = Place.of(namespace.addWorker(1, "localhost", 1).number(), 0);
    namespace.setMode(StorePath.of("/"), 0777, ROOT);
    for (int i = 0; i < files; i++) {
      write(path(i));
    }
  }

  private static String path(int file) {
    return "/warehouse/table/day=%05d/part-r-%05d"
        .formatted(file / FILES_PER_DIRECTORY, file % FILES_PER_DIRECTORY);
  }

  private String anyPath() {
    return path(random.nextInt(files));
  }

  private FileInfo write(String path) throws NamespaceException {
    FileInfo file = namespace.writing().create(StorePath.of(path), CREATION, ALICE, 1);
    namespace.sweep(1, (fid, worker) -> {});
    return namespace.writing().complete(file.fid(), 1, Content.of(1 << 20, places), 2);
  }

  /** The baseline: the paths alone. */
  @Benchmark
  public StorePath parse() throws NamespaceException {
    return StorePath.of(anyPath());
  }

  /** A file that is looked for by its path. */
  @Benchmark
  public FileInfo stat() throws NamespaceException {
    return namespace.stat(StorePath.of(anyPath()), ALICE);
  }

  /** A file that takes the place of another one, is complete, and the other one is freed. */
  @Benchmark
  public FileInfo createAndComplete() throws NamespaceException {
    return write(anyPath());
  }

  /** A hundred entries from the middle of a directory. */
  @Benchmark
  public List<FileInfo> list() throws NamespaceException {
    String path = anyPath();
    int slash = path.lastIndexOf('/');
    return namespace.list(
        StorePath.of(path.substring(0, slash)), path.substring(slash + 1), 100, ALICE);
  }
}
