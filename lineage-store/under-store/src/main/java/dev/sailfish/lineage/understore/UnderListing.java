package dev.sailfish.lineage.understore;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** A directory's entries, page by page; for one thread. What changes meanwhile may be in it. */
public interface UnderListing extends Closeable {
  /**
   * The next entries, in no order; waits for the under store.
   *
   * @return at most 1000; empty at the end, and only there
   * @throws UnderStoreException MISSING: there is no such directory; INVALID: it is a file, or a
   *     call of this listing has failed before
   */
  List<UnderFile> next() throws IOException;
}
