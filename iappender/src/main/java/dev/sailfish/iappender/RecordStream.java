package dev.sailfish.iappender;

import java.io.DataOutputStream;
import java.io.IOException;

/**
 * What serializers are opened on: everything goes straight to the record that is being built,
 * without a lock. {@link #size()} is not kept.
 */
final class RecordStream extends DataOutputStream {
  private final RecordAssembler assembler;

  RecordStream(RecordAssembler assembler) {
    super(assembler);
    this.assembler = assembler;
  }

  @Override
  public void write(int b) throws IOException {
    assembler.write(b);
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    assembler.write(bytes, 0, bytes.length);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    assembler.write(bytes, offset, length);
  }

  /** Does nothing: there is nothing between the stream and the record. */
  @Override
  public void flush() {}

  /** Does nothing: the stream serves all records of the task. */
  @Override
  public void close() {}
}
