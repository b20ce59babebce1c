package dev.sailfish.hadoop.lineage.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.lib.input.CombineFileSplit;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.join.CompositeInputSplit;
import org.junit.jupiter.api.Test;

class SplitFilesTest {
  private static final String[] NO_HOSTS = new String[0];

  private final SplitFiles files = new SplitFiles();

  private static FileSplit split(String path) {
    return new FileSplit(new Path(path), 0, 1, NO_HOSTS);
  }

  /** Has the method of a split that says what it is around, as classes of Hadoop and Hive have. */
  static class Tagged extends InputSplit {
    public InputSplit getInputSplit() {
      return split("/tagged");
    }

    @Override
    public long getLength() {
      return 1;
    }

    @Override
    public String[] getLocations() {
      return NO_HOSTS;
    }
  }

  /** The same with several, as a class of Pig has. */
  static final class Several extends InputSplit {
    public InputSplit getWrappedSplit(int number) {
      return new InputSplit[] {split("/first"), split("/second")}[number];
    }

    @Override
    public long getLength() {
      return 2;
    }

    @Override
    public String[] getLocations() {
      return NO_HOSTS;
    }
  }

  @Test
  void filesComeOnceAndInTheOrderOfTheSplits() throws IOException {
    files.add(split("/b"));
    files.add(split("/a"));
    files.add(split("/b"));
    files.add(OldApi.split("/old"));
    assertThat(files.files()).containsExactly(new Path("/b"), new Path("/a"), new Path("/old"));
    assertThat(files.bySplit())
        .containsExactly(new Path("/b"), new Path("/a"), new Path("/b"), new Path("/old"));
    assertThat(files.isUnknown()).isFalse();
  }

  @Test
  void combinedSplitsOfBothApisHaveSeveral() throws IOException {
    Path[] paths = {new Path("/a"), new Path("/b")};
    long[] lengths = {1, 1};
    files.add(new CombineFileSplit(paths, lengths));
    files.add(OldApi.combined("/c"));
    assertThat(files.files()).containsExactly(new Path("/a"), new Path("/b"), new Path("/c"));
    assertThat(files.bySplit()).as("one is of two files").isEmpty();
  }

  @Test
  void wrappedSplitsAreLookedInto() throws Exception {
    files.add(new Tagged());
    assertThat(files.bySplit()).containsExactly(new Path("/tagged"));
    CompositeInputSplit joined = new CompositeInputSplit(2);
    joined.add(split("/left"));
    joined.add(split("/right"));
    files.add(joined);
    files.add(new Several());
    assertThat(files.files().toString()).isEqualTo("[/tagged, /left, /right, /first, /second]");
    assertThat(files.isUnknown()).isFalse();
  }

  @Test
  void othersAreUnknown() throws IOException {
    files.add("no split of a file");
    assertThat(files.isUnknown()).isTrue();
    assertThat(files.files()).isEmpty();
    files.add(split("/a"));
    assertThat(files.bySplit()).isEmpty();
  }
}
