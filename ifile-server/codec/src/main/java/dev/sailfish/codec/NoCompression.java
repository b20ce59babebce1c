package dev.sailfish.codec;

import dev.sailfish.format.CodecId;
import java.nio.ByteBuffer;

/** Stores bytes as they are. */
final class NoCompression extends BlockCompression {
  NoCompression() {
    super(CodecId.NONE);
  }

  @Override
  int bound(int rawLength) {
    return rawLength;
  }

  @Override
  int compressArray(byte[] in, int inOffset, int inLength, byte[] out, int outOffset) {
    System.arraycopy(in, inOffset, out, outOffset, inLength);
    return inLength;
  }

  @Override
  int compressBuffer(ByteBuffer in, ByteBuffer out) {
    int length = in.remaining();
    out.put(in);
    return length;
  }

  @Override
  int decompressArray(
      byte[] in, int inOffset, int inLength, byte[] out, int outOffset, int rawLength) {
    System.arraycopy(in, inOffset, out, outOffset, Math.min(inLength, rawLength));
    return inLength;
  }

  @Override
  int decompressBuffer(ByteBuffer in, ByteBuffer out) {
    int length = in.remaining();
    if (length <= out.remaining()) {
      out.put(in);
    }
    return length;
  }
}
