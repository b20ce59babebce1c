package dev.sailfish.workflow.step.mapreduce;

import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.OutsideInput;
import dev.sailfish.workflow.step.LostProgramException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.Collection;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Inputs that are not in the store are compared with what they were when the job read them. */
final class OutsideInputs {
  private OutsideInputs() {}

  /**
   * Compares length and time of each.
   *
   * @param conf of the job, by which file systems are found
   * @throws LostProgramException for the first one that is not as it was
   */
  static void check(Collection<DependencyInput> inputs, Configuration conf) throws IOException {
    for (DependencyInput input : inputs) {
      if (input.hasOutside()) {
        check(input.getOutside(), conf);
      }
    }
  }

  private static void check(OutsideInput input, Configuration conf) throws IOException {
    URI uri = URI.create(input.getUri());
    FileStatus now;
    try {
      now = FileSystem.get(uri, conf).getFileStatus(new Path(uri));
    } catch (FileNotFoundException e) {
      throw new LostProgramException(
          "an input that is outside the store is not there any more: " + uri, e);
    }
    long modifiedMs = now.getModificationTime();
    if (now.getLen() != input.getLength() || modifiedMs != input.getModifiedMs()) {
      throw new LostProgramException(
          ("an input that is outside the store has changed since it was read: %s had %d bytes of"
                  + " %s, and has %d of %s")
              .formatted(
                  uri,
                  input.getLength(),
                  Instant.ofEpochMilli(input.getModifiedMs()),
                  now.getLen(),
                  Instant.ofEpochMilli(modifiedMs)));
    }
  }
}
