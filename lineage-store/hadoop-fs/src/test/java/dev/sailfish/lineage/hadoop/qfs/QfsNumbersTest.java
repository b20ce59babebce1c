package dev.sailfish.lineage.hadoop.qfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QfsNumbersTest {
  @TempDir Path directory;

  private Optional<Path> file(String name, String... lines) throws IOException {
    return Optional.of(Files.write(directory.resolve(name), List.of(lines)));
  }

  private QfsNumbers numbers() throws IOException {
    return new QfsNumbers(
        List.of("alice=7", "etl = 8 : 80", "app=9"),
        List.of("analysts = 70"),
        file("passwd", "root:x:0:0::/root:/bin/sh", "# no user", "alice:x:1:5::", "bob:x:2:6::"),
        file("group", "root:x:0:", "broken", "users:x:6:alice,bob"));
  }

  private static UserGroupInformation user(String name, String... groups) {
    return UserGroupInformation.createUserForTesting(name, groups);
  }

  @Test
  void theConfigurationShouldCountBeforeTheFiles() throws Exception {
    assertThat(numbers().user("alice")).isEqualTo(7);
    assertThat(numbers().user("bob")).isEqualTo(2);
    assertThat(numbers().user("etl")).isEqualTo(8);
    assertThat(numbers().group("analysts")).isEqualTo(70);
    assertThat(numbers().group("users")).isEqualTo(6);
  }

  @Test
  void aNumberShouldStandForItself() throws Exception {
    assertThat(numbers().user("1234")).isEqualTo(1234);
    assertThat(numbers().group("0")).isZero();
  }

  @Test
  void namesShouldComeBackAndNumbersWithoutOneInDigits() throws Exception {
    assertThat(numbers().userName(7)).isEqualTo("alice");
    assertThat(numbers().userName(0)).isEqualTo("root");
    assertThat(numbers().userName(99)).isEqualTo("99");
    assertThat(numbers().groupName(6)).isEqualTo("users");
    assertThat(numbers().groupName(99)).isEqualTo("99");
  }

  @Test
  void aNameWithoutANumberShouldSayWhereItGetsOne() {
    assertThatThrownBy(() -> numbers().user("mallory"))
        .hasMessageContaining("user 'mallory' has none")
        .hasMessageContaining("mallory=NUMBER to sailfish.qfs.users")
        .hasMessageContaining("sailfish.qfs.users.file");
    assertThatThrownBy(() -> numbers().group("4294967295"))
        .hasMessageContaining("group '4294967295' has none");
  }

  @Test
  void aCallerShouldHaveTheGroupOfTheFileElseTheFirstThatHasANumber() throws Exception {
    assertThat(numbers().caller(user("bob", "analysts"))).isEqualTo(new QfsNumbers.Caller(2, 6));
    assertThat(numbers().caller(user("etl", "users"))).isEqualTo(new QfsNumbers.Caller(8, 80));
    assertThat(numbers().caller(user("app", "unknown", "analysts", "users")))
        .isEqualTo(new QfsNumbers.Caller(9, 70));
    assertThatThrownBy(() -> numbers().caller(user("app", "unknown")))
        .hasMessageContaining("no group of user 'app' has one")
        .hasMessageContaining("app=9:GROUP into sailfish.qfs.users")
        .hasMessageContaining("[unknown] into sailfish.qfs.groups");
  }

  @Test
  void filesThatAreNotThereShouldHaveNobody() throws Exception {
    QfsNumbers none =
        new QfsNumbers(
            List.of(), List.of(), Optional.of(directory.resolve("no-file")), Optional.empty());
    assertThatThrownBy(() -> none.user("root")).hasMessageContaining("'root' has none");
    assertThat(none.userName(0)).isEqualTo("0");
  }

  @Test
  void whatIsNoEntryShouldBeQuoted() {
    for (String entry :
        List.of("alice", "=1", "alice=", "alice=-1", "alice=4294967295", "alice=1:", "alice=1:x")) {
      assertThatThrownBy(
              () -> new QfsNumbers(List.of(entry), List.of(), Optional.empty(), Optional.empty()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("must be name=number");
    }
  }
}
