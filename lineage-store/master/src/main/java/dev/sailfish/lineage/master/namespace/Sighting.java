package dev.sailfish.lineage.master.namespace;

/**
 * What the leader has seen below at one path, and what the tree had there before it looked. It
 * counts only if the tree still has that: what was changed meanwhile is newer than what was seen.
 *
 * @param path under a mount
 * @param fid what the tree had there; 0 for nothing
 * @param known what it knew of below; null for nothing
 * @param found what is below now; null for nothing
 */
public record Sighting(StorePath path, long fid, Below known, Found found) {

  /**
   * A file or directory below.
   *
   * @param owner as the under store says
   * @param mode the twelve bits of POSIX, as the under store says
   * @param blockSizeLog log2 of the size of the blocks into which it is loaded
   */
  public record Found(Below file, String owner, String group, int mode, int blockSizeLog) {}
}
