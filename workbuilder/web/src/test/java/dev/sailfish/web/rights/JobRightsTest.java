package dev.sailfish.web.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class JobRightsTest {
  private static final JobRights LISTS = new JobRights(true);
  private static final Viewer BOB = new Viewer("bob", Set.of("ops"), false);

  @Test
  void theOwnerSeesHisJobWhateverItsListSays() {
    assertThat(LISTS.maySee(BOB, "bob", null)).isTrue();
    assertThat(LISTS.maySee(BOB, "bob", "ann")).isTrue();
  }

  @Test
  void othersSeeItWhereItsListNamesThemOrAGroup() {
    assertThat(LISTS.maySee(BOB, "ann", "bob")).isTrue();
    assertThat(LISTS.maySee(BOB, "ann", " ops")).isTrue();
    assertThat(LISTS.maySee(BOB, "ann", "*")).isTrue();
    assertThat(LISTS.maySee(BOB, "ann", " ")).isFalse();
    assertThat(LISTS.maySee(BOB, "ann", "eve dev")).isFalse();
  }

  @Test
  void aListThatIsNotKnownAllowsNobody() {
    assertThat(LISTS.maySee(BOB, "ann", null)).isFalse();
    assertThat(LISTS.maySee(BOB, "", null)).as("a job without an owner").isFalse();
    assertThat(LISTS.maySee(BOB, null, null)).isFalse();
  }

  @Test
  void administratorsSeeEverything() {
    assertThat(LISTS.maySee(Viewer.ALL, "ann", null)).isTrue();
    assertThat(LISTS.maySee(new Viewer("eve", Set.of(), true), "ann", " ")).isTrue();
  }

  @Test
  void withoutListsUsersSeeAllJobs() {
    assertThat(new JobRights(false).maySee(BOB, "ann", null)).isTrue();
    assertThat(new JobRights(false).maySee(BOB, "ann", " ")).isTrue();
  }

  @Test
  void whoHasNoNameIsNoUser() {
    assertThatThrownBy(() -> new Viewer("", Set.of(), false))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
