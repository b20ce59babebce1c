package dev.sailfish.lineage.worker.under;

import dev.sailfish.lineage.understore.CopyRecord;
import dev.sailfish.lineage.understore.CopyWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * Writes a copy that nobody waits for, at a pace.
 *
 * @param hurries whether somebody waits for it by now
 */
record PacedWriter(CopyWriter copy, Pace pace, BooleanSupplier hurries) implements CopyWriter {
  @Override
  public void write(ByteBuffer source) throws IOException {
    pace.take(source.remaining(), hurries);
    copy.write(source);
  }

  @Override
  public long length() {
    return copy.length();
  }

  @Override
  public CopyRecord commit() throws IOException {
    return copy.commit();
  }

  @Override
  public void close() {
    copy.close();
  }
}
