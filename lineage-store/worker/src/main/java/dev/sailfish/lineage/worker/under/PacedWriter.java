package dev.sailfish.lineage.worker.under;

import dev.sailfish.lineage.understore.CopyRecord;
import dev.sailfish.lineage.understore.CopyWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * Writes a copy that nobody waits for: at a pace, and synced in steps, so that no large one holds
 * up what others sync on the disk below, such as a master's journal. For one thread.
 */
final class PacedWriter implements CopyWriter {
  private static final long STEP_BYTES = 16 << 20;

  private final CopyWriter copy;
  private final Pace pace;
  private final BooleanSupplier hurries;
  private long synced;

  /**
   * @param copy closed with this object
   * @param hurries whether somebody waits for it by now
   */
  PacedWriter(CopyWriter copy, Pace pace, BooleanSupplier hurries) {
    this.copy = copy;
    this.pace = pace;
    this.hurries = hurries;
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    pace.take(source.remaining(), hurries);
    copy.write(source);
    if (copy.length() - synced >= STEP_BYTES && !hurries.getAsBoolean()) {
      copy.sync();
      synced = copy.length();
    }
  }

  @Override
  public void sync() throws IOException {
    copy.sync();
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
