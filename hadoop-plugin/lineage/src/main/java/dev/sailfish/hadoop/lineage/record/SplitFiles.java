package dev.sailfish.hadoop.lineage.record;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.lib.input.CombineFileSplit;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/** The files that splits of both APIs are of, in the order in which they come. For one thread. */
final class SplitFiles {
  private final WrappedSplits wrapped = new WrappedSplits();
  private final Set<Path> files = new LinkedHashSet<>();
  private final List<Set<Path>> bySplit = new ArrayList<>();
  private boolean isUnknown;

  /** Adds the files of one split. */
  void add(Object split) throws IOException {
    Set<Path> own = new LinkedHashSet<>();
    add(split, own);
    files.addAll(own);
    bySplit.add(own);
  }

  private void add(Object split, Set<Path> own) throws IOException {
    List<Object> inner = wrapped.of(split);
    Path old = inner.isEmpty() ? OldSplits.file(split) : null;
    if (!inner.isEmpty()) {
      for (Object one : inner) {
        add(one, own);
      }
    } else if (split instanceof CombineFileSplit combined) { // of both APIs
      own.addAll(Arrays.asList(combined.getPaths()));
    } else if (split instanceof FileSplit one) {
      own.add(one.getPath());
    } else if (old != null) {
      own.add(old);
    } else {
      isUnknown = true;
    }
  }

  /** Each file once; a directory stands for what is in it. */
  Set<Path> files() {
    return files;
  }

  /** The file of each split, if each is of exactly one; else none. */
  List<Path> bySplit() {
    return !isUnknown && bySplit.stream().allMatch(own -> own.size() == 1)
        ? bySplit.stream().flatMap(Set::stream).toList()
        : List.of();
  }

  /** Whether a split was of something else. */
  boolean isUnknown() {
    return isUnknown;
  }
}
