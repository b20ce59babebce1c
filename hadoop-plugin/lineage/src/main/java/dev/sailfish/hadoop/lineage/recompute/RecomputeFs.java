package dev.sailfish.hadoop.lineage.recompute;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;

/**
 * A {@link RecomputeFileSystem} for Hadoop's FileContext: {@code
 * fs.AbstractFileSystem.lineage.impl}. Thread-safe.
 */
public final class RecomputeFs extends DelegateToFileSystem {
  /** As FileContext makes it. */
  public RecomputeFs(URI uri, Configuration conf) throws IOException, URISyntaxException {
    super(uri, new RecomputeFileSystem(), conf, RecomputeFileSystem.SCHEME, false);
  }
}
