package dev.sailfish.hadoop;

/**
 * The name to give in {@code mapreduce.map.output.compress.codec} for LZO1X, since Hadoop ships no
 * LZO codec of its own. It is a complete Hadoop codec as well, so stock's shuffle can use it too.
 */
public final class LzoCodec extends io.airlift.compress.lzo.LzoCodec {
  /** Called by Hadoop by reflection. */
  public LzoCodec() {}
}
