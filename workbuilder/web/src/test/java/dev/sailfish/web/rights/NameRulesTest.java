package dev.sailfish.web.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class NameRulesTest {
  private static final String REALM = "HERE.TEST";

  private static String name(String rules, String principal) throws IOException {
    return NameRules.of(rules, REALM).shortName(principal);
  }

  @Test
  void theDefaultIsTheFirstPartInTheOwnRealm() throws IOException {
    for (String rules : List.of("", " \n", "DEFAULT")) {
      assertThat(name(rules, "ann@HERE.TEST")).isEqualTo("ann");
      assertThat(name(rules, "ann/admin@HERE.TEST")).isEqualTo("ann");
      assertThatThrownBy(() -> name(rules, "ann@THERE.TEST"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("ann@THERE.TEST");
    }
  }

  @Test
  void aRuleIsForPrincipalsOfSoManyParts() throws IOException {
    String rules = "RULE:[1:$1] RULE:[2:$2]";
    assertThat(name(rules, "ann@ANY")).isEqualTo("ann");
    assertThat(name(rules, "rm/host@ANY")).isEqualTo("host");
    assertThatThrownBy(() -> name(rules, "a/b/c@ANY")).hasMessageContaining("a/b/c@ANY");
  }

  @Test
  void whatStandsInParenthesesMustMatchAll() throws IOException {
    String rules = "RULE:[2:$1@$0](rm@.*HERE\\.TEST)s/.*/yarn/\nDEFAULT";
    assertThat(name(rules, "rm/host@HERE.TEST")).isEqualTo("yarn");
    assertThat(name(rules, "nm/host@HERE.TEST")).isEqualTo("nm");
    assertThatThrownBy(() -> name(rules, "rm/host@HERE.TEST.EVIL")).isInstanceOf(IOException.class);
  }

  @Test
  void replacementOnceEverywhereAndLowerCase() throws IOException {
    assertThat(name("RULE:[1:$1]s/n/m/", "ann@X")).isEqualTo("amn");
    assertThat(name("RULE:[1:$1]s/n/m/g", "ann@X")).isEqualTo("amm");
    assertThat(name("RULE:[1:$1]s/N/M/g/L", "ANN@X")).isEqualTo("amm");
    assertThat(name("RULE:[1:$1]/L", "ANN@X")).isEqualTo("ann");
    assertThat(name("RULE:[1:$1@$0](.*@X)s/@X//L DEFAULT", "ANN@X")).isEqualTo("ann");
    assertThat(name("RULE:[1:$1@$0](.*@X)s/@.*//", "ann@X")).isEqualTo("ann");
    assertThat(name("RULE:[1:$1]s/(a)(.*)/$2$1/", "ann@X")).isEqualTo("nna");
  }

  @Test
  void theFirstRuleThatFitsCounts() throws IOException {
    assertThat(name("RULE:[1:$1](ann)s/.*/one/ RULE:[1:$1](a.*)s/.*/two/", "ann@X"))
        .isEqualTo("one");
    assertThat(name("RULE:[1:$1](ann)s/.*/one/ RULE:[1:$1](a.*)s/.*/two/", "abe@X"))
        .isEqualTo("two");
  }

  @Test
  void whatIsNoNameIsRefused() {
    for (String given : List.of("RULE:[1:$1@$0]", "RULE:[1:$2]", "RULE:[1:-$1]", "RULE:[1:$1 x]")) {
      assertThatThrownBy(() -> name(given, "ann@X"))
          .as(given)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no user's name");
    }
    assertThatThrownBy(() -> name("DEFAULT", "../etc@HERE.TEST")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> name("DEFAULT", "nobody")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> name("DEFAULT", "@HERE.TEST")).isInstanceOf(IOException.class);
  }

  @Test
  void rulesThatCannotBeReadAreNamed() {
    for (String wrong :
        List.of(
            "ALWAYS",
            "RULE:1:$1]",
            "RULE:[x:$1]",
            "RULE:[1:$1",
            "RULE:[1:$1](ab",
            "RULE:[1:$1](*)",
            "RULE:[1:$1]s/a",
            "RULE:[1:$1]s/a/b/x",
            "DEFAULT RULE")) {
      assertThatThrownBy(() -> NameRules.of(wrong, REALM))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at letter");
    }
  }
}
