package dev.sailfish.lineage.hadoop;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractContractCreateTest;
import org.apache.hadoop.fs.contract.AbstractContractDeleteTest;
import org.apache.hadoop.fs.contract.AbstractContractOpenTest;
import org.apache.hadoop.fs.contract.AbstractContractRenameTest;
import org.apache.hadoop.fs.contract.AbstractContractSeekTest;
import org.apache.hadoop.fs.contract.AbstractContractVectoredReadTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** A part of Hadoop's contract for a user who has nothing but a token, over TLS. */
class SecuredContractTest {
  /** The store, and no secret. */
  private static final class Secured extends AbstractFSContract {
    Secured() {
      super(store().configuration());
      addConfResource("lineage-contract.xml");
    }

    private static SecuredStore store() {
      try {
        return SecuredStore.running();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public String getScheme() {
      return LineageFileSystem.SCHEME;
    }

    @Override
    public FileSystem getTestFileSystem() throws IOException {
      return FileSystem.get(store().uri(), getConf());
    }

    @Override
    public Path getTestPath() {
      return new Path("/contract");
    }
  }

  /** As a task's process has it. */
  @BeforeAll
  static void getToken() throws Exception {
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    user.addCredentials(SecuredStore.running().tokensOf(user.getShortUserName()));
  }

  @Nested
  class Create extends AbstractContractCreateTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new Secured();
    }
  }

  @Nested
  class Delete extends AbstractContractDeleteTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new Secured();
    }
  }

  @Nested
  class Open extends AbstractContractOpenTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new Secured();
    }
  }

  @Nested
  class Rename extends AbstractContractRenameTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new Secured();
    }
  }

  @Nested
  class Seek extends AbstractContractSeekTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new Secured();
    }
  }

  @Nested
  class VectoredRead extends AbstractContractVectoredReadTest {
    VectoredRead(String bufferType) {
      super(bufferType);
    }

    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new Secured();
    }
  }
}
