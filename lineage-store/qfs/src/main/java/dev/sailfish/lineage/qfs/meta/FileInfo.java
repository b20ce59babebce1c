package dev.sailfish.lineage.qfs.meta;

/**
 * What a metaserver knows of a file or directory. Immutable.
 *
 * @param id the file's handle, which a rename keeps
 * @param name the last part of its path; empty for the root
 * @param directory or a file
 * @param size in bytes; of a directory the sum below it; {@link #UNKNOWN} while the last chunk is
 *     being written
 * @param replication how many copies of each chunk are wanted
 * @param chunks of a file; 0 for a directory
 * @param files of a directory, with those below; or {@link #UNKNOWN}
 * @param directories of a directory, with those below; or {@link #UNKNOWN}
 * @param modifiedUs microseconds since 1970
 * @param createdUs microseconds since 1970
 * @param owner whose it is
 * @param mode permissions, nine bits; -1 when the server told none
 * @param striping null: none, the bytes of a chunk are the bytes of the file
 */
public record FileInfo(
    long id,
    String name,
    boolean directory,
    long size,
    int replication,
    long chunks,
    long files,
    long directories,
    long modifiedUs,
    long createdUs,
    Owner owner,
    int mode,
    Striping striping) {
  /** In place of a number that the server does not know. */
  public static final long UNKNOWN = -1;

  /** The same with a size that was found out elsewhere. */
  public FileInfo withSize(long bytes) {
    return new FileInfo(
        id,
        name,
        directory,
        bytes,
        replication,
        chunks,
        files,
        directories,
        modifiedUs,
        createdUs,
        owner,
        mode,
        striping);
  }
}
