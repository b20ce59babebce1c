package dev.sailfish.lineage.hadoop;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/**
 * What of Hadoop's contract the store keeps, and that it is to be checked as strictly as can be.
 */
final class LineageContract extends AbstractFSContract {
  LineageContract(Configuration unused) {
    super(SharedStore.configuration());
    addConfResource("lineage-contract.xml");
  }

  @Override
  public String getScheme() {
    return LineageFileSystem.SCHEME;
  }

  @Override
  public FileSystem getTestFileSystem() throws IOException {
    return FileSystem.get(SharedStore.uri(), getConf());
  }

  @Override
  public Path getTestPath() {
    return new Path("/contract");
  }
}
