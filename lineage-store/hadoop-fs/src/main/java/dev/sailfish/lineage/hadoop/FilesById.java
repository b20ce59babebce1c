package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.Lineage;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Files of a store by their ids, wherever they are now: for programs that run again and know them
 * by the paths that they had. Paths are for messages alone. Thread-safe; methods wait for the
 * master.
 */
public final class FilesById {
  private final LineageFileSystem files;
  private final FileSystem.Statistics statistics;

  /**
   * @param files whose store it is, as its user; closed by the caller
   * @param statistics where bytes are counted
   */
  public FilesById(LineageFileSystem files, FileSystem.Statistics statistics) {
    this.files = files;
    this.statistics = statistics;
  }

  /**
   * Opens a complete file, to be read as the configuration says.
   *
   * @param path with scheme and authority
   */
  public FSDataInputStream open(long fid, Path path) throws IOException {
    Modes.Reading reading = files.reading();
    FileInput input =
        Refusals.lookUp(
            path, () -> files.client().open(fid, reading.mode(), reading.leavesCopies()));
    return new FSDataInputStream(new LineageInputStream(input, path, statistics));
  }

  /**
   * What the master knows of a file.
   *
   * @param path which the answer has
   */
  public FileStatus status(long fid, Path path) throws IOException {
    return Statuses.of(Refusals.lookUp(path, () -> files.namespace().stat(fid)), path);
  }

  /**
   * Begins to write a lost file again; closing it completes it.
   *
   * @throws IOException of the store when the master refuses, not as Hadoop's
   */
  public FSDataOutputStream recompute(long fid, Path path) throws IOException {
    FileOutput output = lineage().recompute(fid);
    return new FSDataOutputStream(new LineageOutputStream(output, path, true), statistics);
  }

  /** The store's lineage records. */
  public Lineage lineage() throws IOException {
    return files.client().lineage();
  }
}
