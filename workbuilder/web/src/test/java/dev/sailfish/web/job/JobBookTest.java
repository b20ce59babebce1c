package dev.sailfish.web.job;

import static dev.sailfish.web.job.JobFixture.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.web.history.History;
import dev.sailfish.web.source.yarn.JobState;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JobBookTest {
  private static final Clock CLOCK = Network.SOCKETS;

  private History history;
  private JobBook book;

  @BeforeEach
  void open() throws IOException {
    history = History.open(Optional.empty(), 30, 1L << 30);
    for (int i = 0; i < 120; i++) {
      JobRow row =
          JobFixture.row(
              "job_1_%04d".formatted(i), "sort " + i % 3, i % 2 == 0 ? "ann" : "bob", T0 + i);
      history.save(new Archive.Ended(row, new JobDetail.Cost(null, null, null), "{}", "{}", "{}"));
    }
    book = new JobBook(history, CLOCK);
  }

  @AfterEach
  void close() throws IOException {
    history.close();
  }

  private JobsPage page(String text, String user, String sort, int page, int size) {
    return book.page(new JobQuery(text, "", user, "", "", "", sort, page, size), row -> true, T0);
  }

  @Test
  void pagesFollowEachOther() {
    JobsPage first = page("", "", "-submitted", 0, 50);
    assertThat(first.total()).isEqualTo(120);
    assertThat(first.items()).hasSize(50);
    assertThat(first.items().get(0).id()).isEqualTo("job_1_0119");
    assertThat(first.users()).containsExactly("ann", "bob");
    JobsPage last = page("", "", "-submitted", 2, 50);
    assertThat(last.items()).hasSize(20);
    assertThat(last.items().get(19).id()).isEqualTo("job_1_0000");
    assertThat(page("", "", "-submitted", 3, 50).items()).isEmpty();
    assertThat(page("", "", "-submitted", Integer.MAX_VALUE, 1000).items()).isEmpty();
  }

  @Test
  void filtersNarrow() {
    assertThat(page("SORT 1", "ann", "submitted", 0, 1000).items())
        .hasSize(20)
        .allMatch(row -> row.name().equals("sort 1") && row.user().equals("ann"));
    assertThat(page("0042", "", "name", 0, 10).items())
        .extracting(JobRow::id)
        .containsExactly("job_1_0042");
    assertThat(page("nothing", "", "duration", 0, 10).total()).isZero();
  }

  @Test
  void nothingIsToldOfJobsThatAreNotSeen() {
    JobQuery query = new JobQuery("", "", "", "", "", "", "-submitted", 0, 10);
    JobsPage page = book.page(query, row -> row.user().equals("bob"), T0);
    assertThat(page.total()).isEqualTo(60);
    assertThat(page.items()).hasSize(10).allMatch(row -> row.user().equals("bob"));
    assertThat(page.users()).containsExactly("bob");
    assertThat(book.page(query, row -> false, T0))
        .isEqualTo(new JobsPage(List.of(), 0, 0, 10, T0, List.of(), List.of()));
  }

  @Test
  void everySortIsTaken() {
    Job job = book.open("job_2_1").orElseThrow();
    job.tell(JobFixture.app("job_2_1", JobState.RUNNING), T0);
    for (String sort : JobQuery.SORTS.split(", ")) {
      List<JobRow> up = page("", "", sort, 0, 1000).items();
      assertThat(up).as(sort).hasSize(121);
      assertThat(page("", "", "-" + sort, 0, 1000).items()).as(sort).hasSize(121);
    }
  }

  @Test
  void whatIsNoQueryIsRefused() {
    assertThatThrownBy(() -> page("", "", "colour", 0, 10)).hasMessageContaining("submitted, name");
    assertThatThrownBy(() -> page("", "", "name", -1, 10)).hasMessageContaining("page=-1");
    assertThatThrownBy(() -> page("", "", "name", 0, 1001)).hasMessageContaining("1..1000");
  }

  @Test
  void aJobThatHasEndedIsNotOpenedAgain() throws IOException {
    Job job = book.open("job_2_1").orElseThrow();
    job.tell(JobFixture.app("job_2_1", JobState.SUCCEEDED), T0);
    JobRow row = job.row(T0);
    book.close(job, new Archive.Ended(row, new JobDetail.Cost(null, null, null), "{}", "{}", "{}"));
    assertThat(book.open("job_2_1")).isEmpty();
    assertThat(book.living()).isEmpty();
    assertThat(book.ended("job_2_1")).contains(row);
    assertThat(book.kept("job_2_1")).contains(row);
    assertThat(book.kept("job_2_2")).isEmpty();
    assertThat(book.open("job_2_1", "ann")).isEmpty();
    assertThat(book.open("job_2_1", "eve")).as("hers has not ended").isPresent();
    assertThat(history.document("job_2_1", Archive.Document.DETAIL)).contains("{}");
  }
}
