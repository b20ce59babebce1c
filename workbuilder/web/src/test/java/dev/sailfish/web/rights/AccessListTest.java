package dev.sailfish.web.rights;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AccessListTest {
  private static final Set<String> NONE = Set.of();

  private static boolean allows(String list, String user, String... groups) {
    return AccessList.of(list).allows(user, Set.of(groups));
  }

  @Test
  void usersComeBeforeTheFirstBlankAndGroupsBehindIt() {
    AccessList list = AccessList.of("ann,bob ops,dev");
    assertThat(list.users()).containsExactlyInAnyOrder("ann", "bob");
    assertThat(list.groups()).containsExactlyInAnyOrder("ops", "dev");
    assertThat(allows("ann,bob ops,dev", "bob")).isTrue();
    assertThat(allows("ann,bob ops,dev", "eve", "dev", "x")).isTrue();
    assertThat(allows("ann,bob ops,dev", "eve", "x")).isFalse();
    assertThat(allows("ann,bob ops,dev", "ops")).as("a group is no user").isFalse();
    assertThat(allows("ann,bob ops,dev", "eve", "ann")).as("a user is no group").isFalse();
  }

  @Test
  void usersAloneAndGroupsAlone() {
    assertThat(AccessList.of("ann")).isEqualTo(new AccessList(false, Set.of("ann"), NONE));
    assertThat(AccessList.of(" ops")).isEqualTo(new AccessList(false, NONE, Set.of("ops")));
    assertThat(AccessList.of("ann ")).isEqualTo(new AccessList(false, Set.of("ann"), NONE));
  }

  @Test
  void nothingIsNobody() {
    for (String empty : List.of("", " ", ",", " ,", ", ,")) {
      assertThat(AccessList.of(empty)).as("'" + empty + "'").isEqualTo(AccessList.NOBODY);
      assertThat(allows(empty, "ann", "ops")).isFalse();
    }
    assertThat(allows("", "")).isFalse();
  }

  @Test
  void aStarIsEverybodyWhereverItStands() {
    for (String all : List.of("*", " *", "* ", "ann *", "* ops")) {
      assertThat(allows(all, "eve")).as("'" + all + "'").isTrue();
    }
    assertThat(allows("a*", "ann")).as("it is no pattern").isFalse();
    assertThat(allows("*,ann", "eve")).as("it stands alone").isFalse();
  }

  @Test
  void blanksAroundNamesAreNoPartOfThem() {
    assertThat(allows("ann,bob  ops , dev", "eve", "dev")).isTrue();
    assertThat(allows("ann,bob  ops , dev", "eve", "ops")).isTrue();
    assertThat(allows("ann, bob", "eve", "bob")).as("the first blank ends the users").isTrue();
  }
}
