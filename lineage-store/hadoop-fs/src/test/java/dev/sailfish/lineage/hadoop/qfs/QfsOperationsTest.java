package dev.sailfish.lineage.hadoop.qfs;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSMainOperationsBaseTest;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextCreateMkdirBaseTest;
import org.apache.hadoop.fs.FileContextMainOperationsBaseTest;
import org.apache.hadoop.fs.FileContextPermissionBase;
import org.apache.hadoop.fs.FileContextUtilBase;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemContractBaseTest;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/** Hadoop's older tests of file systems, and those of FileContext. */
class QfsOperationsTest {
  private static final TestedQfs QFS = TestedQfs.ours();

  private static FileContext fileContext() throws IOException {
    return FileContext.getFileContext(QFS.uri(), QFS.configuration());
  }

  @Nested
  class OfFileSystem extends FileSystemContractBaseTest {
    @BeforeEach
    void open() throws IOException {
      fs = FileSystem.newInstance(QFS.uri(), QFS.configuration());
    }

    @AfterEach
    @Override
    public void tearDown() throws Exception {
      super.tearDown();
      fs.close();
    }
  }

  /** By a user who is not the superuser; one file system for all tests. */
  @Nested
  class MainOperations extends FSMainOperationsBaseTest {
    private static final String DIRECTORY = "/main-operations";
    private static final UserGroupInformation USER =
        UserGroupInformation.createUserForTesting("ordinary", new String[] {"users"});

    MainOperations() {
      super(DIRECTORY);
    }

    @Override
    protected FileSystem createFileSystem() throws Exception {
      Configuration conf = QFS.configuration();
      try (FileSystem superuser = FileSystem.newInstance(QFS.uri(), conf)) {
        superuser.mkdirs(new Path(DIRECTORY));
        superuser.setOwner(new Path(DIRECTORY), USER.getShortUserName(), null);
      }
      return USER.doAs(
          (PrivilegedExceptionAction<FileSystem>) () -> FileSystem.get(QFS.uri(), conf));
    }

    /** Not a test here: the QFS of the tests lets everybody list. */
    @Override
    public void testListStatusThrowsExceptionForUnreadableDir() {}

    /** Not a test here: the QFS of the tests lets everybody list. */
    @Override
    public void testGlobStatusThrowsExceptionForUnreadableDir() {}
  }

  @Nested
  class OfFileContext extends FileContextMainOperationsBaseTest {
    @BeforeEach
    @Override
    public void setUp() throws Exception {
      fc = fileContext();
      super.setUp();
    }

    @Override
    protected boolean listCorruptedBlocksSupported() {
      return false;
    }
  }

  @Nested
  class CreateAndMkdir extends FileContextCreateMkdirBaseTest {
    @BeforeEach
    @Override
    public void setUp() throws Exception {
      fc = fileContext();
      super.setUp();
    }
  }

  @Nested
  class Util extends FileContextUtilBase {
    @BeforeEach
    @Override
    public void setUp() throws Exception {
      fc = fileContext();
      super.setUp();
    }
  }

  @Nested
  class Permissions extends FileContextPermissionBase {
    @Override
    protected FileContext getFileContext() throws IOException {
      return fileContext();
    }
  }
}
