package dev.sailfish.hadoop.am.rerun;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Whether the files of a directory have the bytes of those with the same names in another one.
 *
 * @param same files with the same bytes
 * @param missing files that the other directory does not have
 * @param different what differs, a sentence for each file
 */
public record OutputComparison(int same, List<String> missing, List<String> different) {
  /**
   * Compares.
   *
   * @param fresh whose files are looked at, below it too, but for those of committers
   * @param original where files of the same names may be
   */
  static OutputComparison of(Path fresh, Path original, Configuration conf) throws IOException {
    FileSystem files = fresh.getFileSystem(conf);
    FileSystem originals = original.getFileSystem(conf);
    int same = 0;
    List<String> missing = new ArrayList<>();
    List<String> different = new ArrayList<>();
    String root = files.getFileStatus(fresh).getPath().toUri().getPath() + "/";
    RemoteIterator<LocatedFileStatus> all = files.listFiles(fresh, true);
    while (all.hasNext()) {
      Path file = all.next().getPath();
      String name = file.toUri().getPath().substring(root.length());
      Path other = new Path(original, name);
      if (name.startsWith("_")) {
        continue;
      }
      if (!originals.exists(other)) {
        missing.add(name);
        continue;
      }
      long at;
      try (InputStream left = new BufferedInputStream(files.open(file));
          InputStream right = new BufferedInputStream(originals.open(other))) {
        at = firstDifference(left, right);
      }
      if (at < 0) {
        same++;
      } else {
        different.add(
            "%s differs from %s from byte %d on, of %d and %d"
                .formatted(
                    name,
                    other,
                    at,
                    files.getFileStatus(file).getLen(),
                    originals.getFileStatus(other).getLen()));
      }
    }
    return new OutputComparison(same, missing, different);
  }

  /** Offset of the first byte that differs, or where the shorter one ends; -1 when none does. */
  static long firstDifference(InputStream left, InputStream right) throws IOException {
    for (long at = 0; ; at++) {
      int next = left.read();
      if (next != right.read()) {
        return at;
      }
      if (next < 0) {
        return -1;
      }
    }
  }
}
