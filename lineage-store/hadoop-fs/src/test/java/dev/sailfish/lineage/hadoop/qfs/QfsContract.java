package dev.sailfish.lineage.hadoop.qfs;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** What of Hadoop's contract QFS keeps, and that it is to be checked as strictly as can be. */
final class QfsContract extends AbstractFSContract {
  private final TestedQfs qfs;

  QfsContract(TestedQfs qfs, Configuration unused) {
    super(qfs.configuration());
    this.qfs = qfs;
    addConfResource("qfs-contract.xml");
    if (!qfs.isOurs()) {
      // These tests delete all that is there.
      getConf().setBoolean("fs.contract.test.root-tests-enabled", false);
    }
  }

  @Override
  public String getScheme() {
    return QfsFileSystem.SCHEME;
  }

  @Override
  public FileSystem getTestFileSystem() throws IOException {
    return FileSystem.get(qfs.uri(), getConf());
  }

  @Override
  public Path getTestPath() {
    return new Path(qfs.directory(), "contract");
  }
}
