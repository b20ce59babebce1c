package dev.sailfish.benchmarks.jobs.pipeline;

import dev.sailfish.benchmarks.jobs.measure.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Where a contender has the files of a pipeline. For one thread. */
public interface PipelinePlace extends AutoCloseable {
  /** What a loss means for the batch that is under way. */
  enum AfterLoss {
    /** The storage sees to it that jobs find their files. */
    GOES_ON,
    /** What was made of the batch is gone: it begins again. */
    BEGINS_AGAIN
  }

  /** URI of a directory of its own. */
  String base();

  /** What jobs set. */
  Map<String, String> keys();

  /** Has a text in the directory before jobs read it. */
  void put(Path text, String name) throws IOException;

  /** CPU seconds of daemons that are none of the cluster's, since they were started. */
  double ownCpuSeconds();

  /** CPU seconds of the cluster, without daemons that have nothing to do with this storage. */
  double cpuSeconds(Span.Usage usage);

  /** Takes files away that the next job reads. */
  AfterLoss lose(Span span);

  /** Waits until nothing goes on any more that the last run has begun. */
  void settle();

  /** Why a run that has lost files shows no recovery; empty if it does. */
  Optional<String> mistakeOfLoss(Span.Usage usage);

  @Override
  void close() throws IOException;
}
