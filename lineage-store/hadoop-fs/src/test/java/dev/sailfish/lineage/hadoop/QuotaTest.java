package dev.sailfish.lineage.hadoop;

import static dev.sailfish.lineage.hadoop.ShellTest.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Quotas through Hadoop's file system, and as its shell shows them. */
@Timeout(60)
class QuotaTest {
  private static final byte[] WORDS = "one\ntwo\n".getBytes(StandardCharsets.US_ASCII);

  private final Path directory = new Path(SharedStore.uri() + "/quota-test");
  private FileSystem fs;

  @BeforeEach
  void begin() throws IOException {
    fs = directory.getFileSystem(SharedStore.configuration());
    fs.mkdirs(directory);
  }

  @AfterEach
  void end() throws IOException {
    fs.delete(directory, true);
  }

  private void put(String name) throws IOException {
    try (FSDataOutputStream out = fs.create(new Path(directory, name))) {
      out.write(WORDS);
    }
  }

  @Test
  void theShellCountsAgainstAQuota() throws Exception {
    put("one");
    assertThat(shell("-count", "-q", directory.toString()))
        .matches("(?s).* none +inf +none +inf +1 +1 +8 \\S+/quota-test\n");
    fs.setQuota(directory, 3, 20);
    assertThat(shell("-count", "-q", directory.toString()))
        .matches("(?s) +3 +1 +20 +12 +1 +1 +8 \\S+/quota-test\n");
    assertThat(shell("-count", "-u", directory.toString()))
        .matches("(?s) +3 +1 +20 +12 \\S+/quota-test\n");
    put("two");
    assertThat(shell(1, "-mkdir", directory + "/three"))
        .contains("of 3 files and directories it uses 3, and this takes 1 more");
  }

  @Test
  void aFileThatIsTooLongIsNotComplete() throws IOException {
    fs.setQuota(directory, -1, 10);
    put("one");
    FSDataOutputStream out = fs.create(new Path(directory, "two"));
    out.write(WORDS);
    assertThatThrownBy(out::close)
        .hasMessageContaining("the quota of /quota-test does not permit it: of 10 bytes it uses 8");
    assertThat(fs.listStatus(directory)).hasSize(1);
  }

  @Test
  void oneLimitStaysWhereTheOtherIsSet() throws IOException {
    fs.setQuota(directory, 2, 8);
    put("one");
    assertThatThrownBy(() -> put("two"))
        .isInstanceOf(ClusterStorageCapacityExceededException.class);
    fs.setQuota(directory, Long.MAX_VALUE, -1);
    assertThat(fs.getQuotaUsage(directory).getQuota()).isEqualTo(2);
    assertThat(fs.getQuotaUsage(directory).getSpaceQuota()).isEqualTo(-1);
    assertThat(fs.getQuotaUsage(directory).getFileAndDirectoryCount()).isEqualTo(2);
    fs.setQuota(directory, -1, Long.MAX_VALUE);
    assertThat(fs.getContentSummary(directory).getQuota()).isEqualTo(-1);
    assertThatIllegalArgumentException().isThrownBy(() -> fs.setQuota(directory, 0, 1));
  }
}
