package dev.sailfish.benchmarks.lineage;

import com.google.protobuf.ByteString;
import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.protocol.BlockToken;
import dev.sailfish.lineage.protocol.BlockToken.Access;
import dev.sailfish.lineage.protocol.BlockTokenKey;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.worker.LineageWorkerMetric;
import dev.sailfish.lineage.worker.rpc.BlockGuard;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Setup;

/** What it costs to look whether somebody may: one request at a worker, one path at the master. */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AccessBenchmark extends AverageTimeBenchmark {
  private static final long NOW_MS = 1_700_000_000_000L;
  private static final Caller ALICE = new Caller("alice", Set.of("staff"), false);
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final long FID = 42;
  private static final int SHALLOW = 5;
  private static final int DEEP = 20;

  private final BlockTokenKey key =
      new BlockTokenKey("the cluster's secret".getBytes(StandardCharsets.US_ASCII));
  private final BlockGuard guard =
      new BlockGuard(Optional.of(key), () -> NOW_MS, new Metrics<>(LineageWorkerMetric.class));
  private final StorePath shallow = path(SHALLOW);
  private final StorePath deep = path(DEEP);
  private final Namespace namespace = Namespace.empty();
  private byte[] sealed;
  private BlockName request;

  /** A token that is good for an hour, and directories that are open to all. */
  @Setup(Level.Trial)
  public void fill() throws NamespaceException {
    long expiresMs = NOW_MS + TimeUnit.HOURS.toMillis(1);
    sealed = key.seal(new BlockToken(FID, Access.READ, expiresMs, "alice"));
    request = BlockName.newBuilder().setFid(FID).setToken(ByteString.copyFrom(sealed)).build();
    namespace.makeDirectories(deep, 0755, ROOT, 1);
  }

  private static StorePath path(int depth) {
    try {
      return StorePath.of("/directory".repeat(depth));
    } catch (NamespaceException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A token whose code was found right before, as with all requests of a file but the first. */
  @Benchmark
  public void knownToken() throws RequestRefusedException {
    guard.check("alice", request, Access.READ, true);
  }

  /** The code of a token that comes for the first time: HMAC-SHA256. */
  @Benchmark
  public BlockToken newToken() throws IOException {
    return key.open(sealed);
  }

  /** What the master does when somebody opens a file: makes the token. */
  @Benchmark
  public byte[] seal() {
    return key.seal(new BlockToken(FID, Access.READ, Long.MAX_VALUE, "alice"));
  }

  /** Each of 5 directories is looked up and looked at, for a user who is neither owner nor root. */
  @Benchmark
  public FileInfo userAtDepth5() throws NamespaceException {
    return namespace.stat(shallow, ALICE);
  }

  /** The same, for a superuser: the look-up without the permissions. */
  @Benchmark
  public FileInfo superuserAtDepth5() throws NamespaceException {
    return namespace.stat(shallow, ROOT);
  }

  /** Of 20. */
  @Benchmark
  public FileInfo userAtDepth20() throws NamespaceException {
    return namespace.stat(deep, ALICE);
  }

  /** Of 20, without the permissions. */
  @Benchmark
  public FileInfo superuserAtDepth20() throws NamespaceException {
    return namespace.stat(deep, ROOT);
  }
}
