package dev.sailfish.web.history;

import static dev.sailfish.web.job.JobFixture.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.web.job.Archive;
import dev.sailfish.web.job.JobDetail;
import dev.sailfish.web.job.JobFixture;
import dev.sailfish.web.job.JobRow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {
  private static final long MANY_BYTES = 1L << 30;
  private static final long DAY_MS = 86_400_000;

  @TempDir Path directory;

  private History open() throws IOException {
    return History.open(Optional.of(directory), 30, MANY_BYTES);
  }

  private static Archive.Ended ended(JobRow row) {
    return new Archive.Ended(
        row,
        new JobDetail.Cost(5L, 3L, 50_000L),
        "{\"detail\":1}",
        "{\"items\":[]}",
        "{\"works\":[]}");
  }

  @Test
  void whatWasSavedIsThereAfterARestart() throws IOException {
    JobRow row = JobFixture.row("job_1_1", "a \"name\" – ü", "ann", T0);
    try (History history = open()) {
      history.save(ended(row));
    }
    try (History history = open()) {
      assertThat(history.rows(10)).containsExactly(row);
      assertThat(history.document("job_1_1", Archive.Document.DETAIL)).contains("{\"detail\":1}");
      assertThat(history.document("job_1_1", Archive.Document.IFILES)).contains("{\"items\":[]}");
      assertThat(history.document("job_1_1", Archive.Document.PLAN)).contains("{\"works\":[]}");
      assertThat(history.document("job_1_2", Archive.Document.PLAN)).isEmpty();
    }
  }

  @Test
  void theLastRunOfTheSameNameAndUserIsFound() throws IOException {
    try (History history = open()) {
      history.save(ended(JobFixture.row("job_1_1", "sort", "ann", T0)));
      history.save(ended(JobFixture.row("job_1_2", "sort", "ann", T0 + 5)));
      history.save(ended(JobFixture.row("job_1_3", "sort", "bob", T0 + 6)));
      assertThat(history.previous("job_1_4", "sort", "ann", null))
          .contains(new JobDetail.Previous("job_1_2", 50_000L, 5L, 3L, 1_000L, T0 + 5));
      assertThat(history.previous("job_1_2", "sort", "ann", null).orElseThrow().id())
          .isEqualTo("job_1_1");
      assertThat(history.previous("job_1_4", "other", "ann", null)).isEmpty();
    }
  }

  @Test
  void aRunThatOthersMaySeeIsNoEarlierRun() throws IOException {
    try (History history = open()) {
      JobRow shared = JobFixture.row("job_1_1", "sort", "ann", T0, "bob");
      history.save(ended(shared));
      history.save(ended(JobFixture.row("job_1_2", "sort", "ann", T0 + 5)));
      assertThat(history.row("job_1_1")).contains(shared);
      assertThat(history.row("job_1_3")).isEmpty();
      assertThat(history.previous("job_1_4", "sort", "ann", "bob").orElseThrow().id())
          .isEqualTo("job_1_1");
      assertThat(history.previous("job_1_4", "sort", "ann", " ops")).isEmpty();
    }
  }

  @Test
  void savingAgainReplaces() throws IOException {
    try (History history = open()) {
      history.save(ended(JobFixture.row("job_1_1", "sort", "ann", T0)));
      JobRow later = JobFixture.row("job_1_1", "sort", "ann", T0 + 9);
      history.save(ended(later));
      assertThat(history.rows(10)).containsExactly(later);
    }
  }

  @Test
  void oldJobsAndWhatIsTooMuchGo() throws IOException {
    try (History history = History.open(Optional.of(directory), 2, 40_000)) {
      for (int i = 0; i < 100; i++) {
        history.save(ended(JobFixture.row("job_1_" + i, "sort", "ann", T0 + i)));
      }
      int gone = history.prune(T0 + 1_000);
      assertThat(gone).isBetween(30, 90);
      assertThat(history.rows(100)).hasSize(100 - gone);
      assertThat(history.rows(1).get(0).id()).isEqualTo("job_1_99");
      history.prune(T0 + 3 * DAY_MS);
      assertThat(history.rows(100)).isEmpty();
    }
  }

  @Test
  void aDirectoryThatAnotherProcessHasOpenIsNamed() throws IOException {
    try (History history = open()) {
      assertThat(history.rows(1)).isEmpty();
      Path file = directory.resolve("sub");
      assertThat(file.toFile().createNewFile()).isTrue();
      assertThatThrownBy(() -> History.open(Optional.of(file), 2, MANY_BYTES))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("sub");
    }
  }

  @Test
  void howFarJobsThatLiveAreIsThereAfterARestart() throws IOException {
    List<JobDetail.Point> first = List.of(new JobDetail.Point(T0, 1, 2, 3, 4, 5));
    List<JobDetail.Point> longer = new ArrayList<>(first);
    longer.add(new JobDetail.Point(T0 + 1, 6, 7, 8, 9, 10));
    try (History history = open()) {
      history.keepSeries("job_1_1", first, T0);
      history.keepSeries("job_1_1", longer, T0 + 1);
      history.keepSeries("job_1_2", first, T0);
    }
    try (History history = open()) {
      assertThat(history.series())
          .containsExactlyInAnyOrderEntriesOf(Map.of("job_1_1", longer, "job_1_2", first));
      history.save(ended(JobFixture.row("job_1_1", "sort", "ann", T0 + 2)));
      assertThat(history.series()).containsOnlyKeys("job_1_2");
    }
  }

  @Test
  void ofJobsThatLiveTheOnesOfLateAreKept() throws IOException {
    List<JobDetail.Point> series = List.of(new JobDetail.Point(T0, 1, 2, 3, 4, 5));
    try (History history = open()) {
      for (int i = 0; i < 250; i++) {
        history.keepSeries("job_1_" + i, series, T0 + i);
      }
      history.prune(T0 + 250);
      assertThat(history.series())
          .hasSize(200)
          .containsKey("job_1_249")
          .doesNotContainKey("job_1_49");
      history.prune(T0 + 2 * DAY_MS);
      assertThat(history.series()).isEmpty();
    }
  }
}
