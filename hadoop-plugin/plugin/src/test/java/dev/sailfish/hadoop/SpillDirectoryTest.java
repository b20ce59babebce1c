package dev.sailfish.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpillDirectoryTest {
  @TempDir private Path temporary;

  private final JobConf job = new JobConf(false);

  @Test
  void isOneThatCanBeWritten() throws IOException {
    Path broken = Files.createFile(temporary.resolve("no-directory"));
    Path good = temporary.resolve("good");
    job.setStrings(MRConfig.LOCAL_DIR, broken.toString(), good.toString());
    assertThat(IfileShuffleConsumer.spillDirectory(job)).isEqualTo(good);
  }

  @Test
  void isRefusedWhereNoneCanBeWritten() throws IOException {
    job.set(MRConfig.LOCAL_DIR, Files.createFile(temporary.resolve("no-directory")).toString());
    assertThatThrownBy(() -> IfileShuffleConsumer.spillDirectory(job))
        .isInstanceOf(IOException.class);
  }

  @Test
  void isJavasOwnWhereHadoopHasNone() throws IOException {
    assertThat(IfileShuffleConsumer.spillDirectory(job))
        .isEqualTo(Path.of(System.getProperty("java.io.tmpdir")));
  }
}
