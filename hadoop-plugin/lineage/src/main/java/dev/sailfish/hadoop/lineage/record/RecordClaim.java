package dev.sailfish.hadoop.lineage.record;

import dev.sailfish.hadoop.lineage.ProgramName;
import dev.sailfish.lineage.protocol.wire.RecordObstacle;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * A file of the staging directory by which one task of a job says that it makes the record, so that
 * the first wave of a thousand tasks does not make a thousand. It is empty, or says why there is no
 * record. It goes with the directory.
 */
final class RecordClaim {
  private static final FsPermission MODE = new FsPermission((short) 0600);
  private static final int MOST_BYTES = 4096;

  private final FileSystem files;
  private final Path file;

  /**
   * @param files has the directory
   */
  RecordClaim(FileSystem files, Path staging) {
    this.files = files;
    this.file = new Path(staging, ProgramName.STAGED_CLAIM);
  }

  /** Whether this task makes the record; false: another one has said so before. */
  boolean take() throws IOException {
    try {
      open(false).close();
      return true;
    } catch (IOException e) {
      if (files.exists(file)) {
        return false;
      }
      throw e;
    }
  }

  private FSDataOutputStream open(boolean overwrite) throws IOException {
    return files.create(
        file,
        MODE,
        overwrite,
        MOST_BYTES,
        files.getDefaultReplication(file),
        files.getDefaultBlockSize(file),
        null);
  }

  /** Says to the others why there is no record. */
  void fail(UnrecordedException cause) throws IOException {
    byte[] text = (cause.obstacle() + " " + cause.getMessage()).getBytes(StandardCharsets.UTF_8);
    try (FSDataOutputStream out = open(true)) {
      out.write(text, 0, Math.min(text.length, MOST_BYTES));
    }
  }

  /** Why there is no record, as the task says that makes it; null: it has not said so. */
  UnrecordedException failure() throws IOException {
    byte[] text = new byte[MOST_BYTES];
    int length;
    if (!files.exists(file) || files.getFileStatus(file).getLen() == 0) {
      return null;
    }
    try (FSDataInputStream in = files.open(file)) {
      length = in.readNBytes(text, 0, MOST_BYTES);
    } catch (FileNotFoundException e) {
      return null; // it is being written
    }
    String[] words = new String(text, 0, length, StandardCharsets.UTF_8).split(" ", 2);
    return words.length < 2
        ? null
        : new UnrecordedException(RecordObstacle.valueOf(words[0]), words[1]);
  }
}
