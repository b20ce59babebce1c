package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.protocol.wire.WriteMode;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.permission.FsPermission;

/** Begins a file with options; {@link Modes#WRITE} is the only one that means something here. */
final class LineageCreate extends FSDataOutputStreamBuilder<FSDataOutputStream, LineageCreate> {
  private final LineageFileSystem fileSystem;
  private final WriteMode usual;

  /**
   * @param usual how the file is written when no option says it
   */
  LineageCreate(LineageFileSystem fileSystem, Path path, WriteMode usual) {
    super(fileSystem, path);
    this.fileSystem = fileSystem;
    this.usual = usual;
  }

  @Override
  public LineageCreate getThisBuilder() {
    return this;
  }

  /**
   * @throws IllegalArgumentException when an option that must be known is not, or has a value that
   *     means nothing
   */
  @Override
  public FSDataOutputStream build() throws IOException {
    rejectUnknownMandatoryKeys(Set.of(Modes.WRITE), "for " + getPath());
    String word = getOptions().get(Modes.WRITE);
    WriteMode mode = word == null ? usual : Modes.write(word);
    EnumSet<CreateFlag> flags = getFlags();
    boolean overwrites = flags.contains(CreateFlag.OVERWRITE);
    if (flags.contains(CreateFlag.CREATE) || overwrites) {
      EnumSet<CreateFlag> asked = overwrites ? EnumSet.of(CreateFlag.OVERWRITE) : flags.clone();
      asked.add(CreateFlag.CREATE);
      FsPermission absolute =
          getPermission().applyUMask(FsPermission.getUMask(fileSystem.getConf()));
      return fileSystem.create(getPath(), absolute, asked, getBlockSize(), isRecursive(), mode);
    }
    if (flags.contains(CreateFlag.APPEND)) {
      return fileSystem.append(getPath(), getBufferSize(), getProgress());
    }
    throw new PathIOException(
        getPath().toString(), "say whether it is to be created, overwritten or appended to");
  }
}
