package dev.sailfish.cli.progress;

import dev.sailfish.cli.inspect.Metaservers;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Asks the metaserver how far a job's I-files are, over one connection. Once it cannot be asked it
 * is left alone. For one thread.
 */
final class IfileProgress implements Closeable {
  private static final Duration REPLY = Duration.ofSeconds(5);

  /** With more than these, each one is not worth looking at every other second. */
  private static final int MOST_CHUNKS = 5_000;

  private final Optional<Metaservers> metaservers;
  private MetaserverClient client;
  private boolean silent;

  IfileProgress(Optional<Metaservers> metaservers) {
    this.metaservers = metaservers;
  }

  /** The figures; absent when the job has none yet, or nobody tells them. */
  Optional<IfileFigures> of(String job) {
    if (silent || metaservers.isEmpty()) {
      return Optional.empty();
    }
    try {
      if (client == null) {
        client = metaservers.get().connect("sailfish jar", REPLY);
      }
      return Optional.of(figures(client.describeJob(request(job))));
    } catch (RemoteException e) {
      silent = e.status() != Status.JOB_UNKNOWN;
    } catch (IOException e) {
      silent = true;
    }
    return Optional.empty();
  }

  private static DescribeJobRequest request(String job) {
    return DescribeJobRequest.newBuilder()
        .setJob(job)
        .setPartition(-1)
        .setLimit(MOST_CHUNKS)
        .build();
  }

  private static IfileFigures figures(DescribeJobResponse job) {
    long sorted =
        job.getChunksList().stream()
            .filter(chunk -> chunk.getState() == ChunkState.SORTED.code())
            .count();
    return new IfileFigures(
        job.getSummary().getRawBytes(),
        job.getSummary().getChunks(),
        job.getMore() ? -1 : (int) sorted);
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
    }
  }
}
