package dev.sailfish.lineage.hadoop;

import java.io.IOException;
import java.net.URI;
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
import org.junit.jupiter.api.Test;

/**
 * Hadoop's older tests of file systems, and those of FileContext, for a file system whose superuser
 * is the user of this process.
 */
public abstract class OlderHadoopSuite {
  /** One of Hadoop's tests. */
  @FunctionalInterface
  protected interface Appending {
    /** Runs it. */
    void run() throws IOException;
  }

  /** Its root. */
  protected abstract URI uri();

  /** With which it is opened; a new one each time. */
  protected abstract Configuration configuration();

  /** Runs a test that appends to a file; one that is refused can be expected here. */
  protected void appending(Appending test) throws IOException {
    test.run();
  }

  private FileContext fileContext() throws IOException {
    return FileContext.getFileContext(uri(), configuration());
  }

  @Nested
  class OfFileSystem extends FileSystemContractBaseTest {
    @BeforeEach
    void open() throws IOException {
      fs = FileSystem.newInstance(uri(), configuration());
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
      Configuration conf = configuration();
      try (FileSystem superuser = FileSystem.newInstance(uri(), conf)) {
        superuser.mkdirs(new Path(DIRECTORY));
        superuser.setOwner(new Path(DIRECTORY), USER.getShortUserName(), null);
      }
      return USER.doAs((PrivilegedExceptionAction<FileSystem>) () -> FileSystem.get(uri(), conf));
    }
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

    @Override
    @Test
    public void testCreateFlagAppendExistingFile() throws IOException {
      appending(super::testCreateFlagAppendExistingFile);
    }

    @Override
    @Test
    public void testCreateFlagCreateAppendExistingFile() throws IOException {
      appending(super::testCreateFlagCreateAppendExistingFile);
    }

    @Override
    @Test
    public void testBuilderCreateAppendExistingFile() throws IOException {
      appending(super::testBuilderCreateAppendExistingFile);
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
