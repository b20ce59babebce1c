package dev.sailfish.lineage.worker.under;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.UnderFileRecord;
import dev.sailfish.lineage.protocol.wire.UnderFileResponse;
import dev.sailfish.lineage.understore.CopyTarget;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderFile.Ownership;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.mount.Mount;
import java.util.Optional;

/**
 * Where a file is below, as the master has said.
 *
 * @param fid of the file
 * @param mount above it
 * @param path of the lineage store
 * @param under the path below the mount's root
 * @param there what is below; empty: nothing
 * @param replaced whether what is below is something older, which the file's copy replaces
 * @param owner in whose name it is read and written
 * @param entry what the master knows of it
 */
record Below(
    long fid,
    Mount mount,
    String path,
    UnderPath under,
    Optional<UnderFile> there,
    boolean replaced,
    String owner,
    FileEntry entry) {
  private static final Ownership NOT_COMPARED = new Ownership("", "", 0);

  /**
   * That of an answer.
   *
   * @throws IllegalArgumentException when the mount cannot be read
   * @throws UnderStoreException when the path cannot be one below a mount
   */
  static Below of(long fid, UnderFileResponse answer) throws UnderStoreException {
    UnderPath under = UnderPath.of(answer.getUnderPath());
    UnderFileRecord file = answer.getFile();
    Optional<UnderFile> there =
        answer.hasFile()
            ? Optional.of(
                new UnderFile(
                    under,
                    file.getDirectory(),
                    file.getLength(),
                    file.getModifiedMs(),
                    file.getTag(),
                    NOT_COMPARED))
            : Optional.empty();
    return new Below(
        fid,
        Mount.parse(answer.getMount()),
        answer.getPath(),
        under,
        there,
        file.getReplaced(),
        answer.getOwner(),
        answer.getEntry());
  }

  /** Where a copy of it goes. */
  CopyTarget target() {
    return new CopyTarget(under, fid, there);
  }

  /**
   * The file below that has its bytes.
   *
   * @throws RequestRefusedException NOT_HELD when there is none
   */
  UnderFile copy() throws RequestRefusedException {
    if (there.isEmpty() || replaced) {
      throw new RequestRefusedException(
          Status.NOT_HELD, this + " has no copy below: it cannot be read there");
    }
    return there.get();
  }

  @Override
  public String toString() {
    return "%s (fid=%016x)".formatted(path, fid);
  }
}
