package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.protocol.wire.UseResponse;
import java.io.IOException;
import org.apache.hadoop.fs.ContentSummary;

/** Quotas as Hadoop writes them: -1 is none, and what is to stay as it is is the largest number. */
final class Quotas {
  private static final long NONE = -1;
  private static final long AS_IT_IS = Long.MAX_VALUE;

  private Quotas() {}

  /** What is in a directory with a quota. */
  static ContentSummary summary(UseResponse use) {
    return new ContentSummary.Builder()
        .length(use.getBytes())
        .spaceConsumed(use.getBytes())
        .fileCount(use.getFiles())
        .directoryCount(use.getDirectories())
        .quota(orNone(use.getQuotaNames()))
        .spaceQuota(orNone(use.getQuotaBytes()))
        .build();
  }

  private static long orNone(long limit) {
    return limit == 0 ? NONE : limit;
  }

  /** Sets one, or both. */
  static void set(NamespaceClient namespace, String path, long names, long bytes)
      throws IOException {
    UseResponse before = namespace.use(path);
    namespace.setQuota(
        path, limit(names, before.getQuotaNames()), limit(bytes, before.getQuotaBytes()));
  }

  private static long limit(long asked, long before) {
    if (asked == AS_IT_IS) {
      return before;
    }
    if (asked != NONE && asked <= 0) {
      throw new IllegalArgumentException("a quota is above 0, or -1 for none, not " + asked);
    }
    return asked == NONE ? 0 : asked;
  }
}
