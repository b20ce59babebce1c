package dev.sailfish.iappender;

import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Takes the results of a {@link BlockCombiner}. They go to the partition whose records are
 * combined. Valid during {@link BlockCombiner#combine}, for one thread at a time. After an
 * IOException of {@link #endRecord} or {@link #append} the attempt cannot be committed any more.
 */
public interface CombinedOutput {
  /** The stream that serializers are opened on: {@link Iappender#output()}. */
  DataOutputStream output();

  /** Begins a result; its serialized key is written next. */
  void startRecord() throws IOException;

  /** The key is complete; the value is written next. */
  void endKey() throws IOException;

  /** The result is complete. Results that fill a block are sent; that may wait. */
  void endRecord() throws IOException;

  /** Forgets the result that was started and not ended; nothing happens if there is none. */
  void abandonRecord();

  /** Writes one serialized result; the arrays stay the caller's. */
  void append(
      byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength)
      throws IOException;
}
