package dev.sailfish.lineage.master.dependency;

/**
 * What was read: a file of the store, or one that is outside, as it was then.
 *
 * @param fid of a file of the store; 0: it is outside
 * @param uri of one that is outside, or empty
 * @param length of one that is outside, in bytes
 * @param modifiedMs of one that is outside, in milliseconds since 1970
 */
public record Input(long fid, String uri, long length, long modifiedMs) {
  /** Cuts a URI that no snapshot can have. */
  public Input {
    uri = RecordText.fitted(uri);
  }

  /** A file of the store. */
  public static Input of(long fid) {
    return new Input(fid, "", 0, 0);
  }

  /** A file that is not in the store. */
  public static Input outside(String uri, long length, long modifiedMs) {
    return new Input(0, uri, length, modifiedMs);
  }

  /** Whether it is not in the store. */
  public boolean isOutside() {
    return fid == 0;
  }
}
