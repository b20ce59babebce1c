package dev.sailfish.benchmarks.start;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The first record of a task: what each end of the shuffle costs in a JVM that has just started. A
 * score is the time for one job of one record over loopback, most of it for loading and
 * interpreting classes; {@link #connectOnly} is the floor: a connection, without a word on it.
 *
 * <p>The servers are warm and run in another process, so the measured one has loaded nothing of
 * Sailfish, protobuf or the codecs before. What JMH itself needs of the JDK (sockets to its parent
 * process, threads, reflection, the first lambdas) is loaded already, as Hadoop has it in a task.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(value = 10, jvmArgsAppend = "-Xmx1g")
public class StartBenchmark {
  private ServersProcess servers;

  /** Starts the servers, and has them serve until they are warm. */
  @Setup(Level.Trial)
  public void start() throws IOException, InterruptedException {
    servers = ServersProcess.start();
  }

  /** Stops the servers. */
  @TearDown(Level.Trial)
  public void stop() throws IOException, InterruptedException {
    servers.stop();
  }

  /** The baseline: connects to the metaserver. */
  @Benchmark
  public boolean connectOnly() throws IOException {
    try (SocketChannel channel = SocketChannel.open(servers.metaserver())) {
      return channel.isConnected();
    }
  }

  /** As a map task does: opens an iappender, appends one record, commits and closes. */
  @Benchmark
  public long append() throws IOException {
    return OneRecordJob.append(servers.metaserver(), ServersMain.MEASURED_JOB);
  }

  /** As a reduce task does: opens an imerger, reads one record that is sorted already, closes. */
  @Benchmark
  public long read() throws IOException {
    return OneRecordJob.read(servers.metaserver(), ServersMain.READABLE_JOB);
  }
}
