package dev.sailfish.metaserver.kerberos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sailfish.ground.server.kerberos.KerberosSettings;
import dev.sailfish.metaserver.MetaserverConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KerberosConfigTest {
  private static final String PRINCIPAL = "kerberos.principal";
  private static final String KEYTAB = "kerberos.keytab";
  private static final Map<String, String> GOOD =
      Map.of(PRINCIPAL, "sailfish/_HOST@R", KEYTAB, "/etc/sailfish.keytab");

  private static MetaserverConfig with(Map<String, String> more) {
    Map<String, String> properties = new HashMap<>();
    properties.put("sailfish.metaserver.journal.dir", "none");
    more.forEach((key, value) -> properties.put("sailfish.metaserver." + key, value));
    return MetaserverConfig.of(properties);
  }

  private static MetaserverConfig good(String key, String value) {
    Map<String, String> more = new HashMap<>(GOOD);
    more.put(key, value);
    return with(more);
  }

  private static void assertRefused(Map<String, String> more, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> with(more))
        .withMessageContaining(why)
        .withMessageContaining("sailfish.metaserver.");
  }

  @Test
  void withoutAPrincipalThereShouldBeNoKerberos() {
    assertThat(with(Map.of()).kerberos()).isEmpty();
    assertThat(with(Map.of()).admission()).containsExactly("resourcemanager");
  }

  @Test
  void withKerberosATokenShouldAdmitUnlessSomethingElseIsSaid() {
    assertThat(with(GOOD).admission()).containsExactly("token");
    assertThat(with(GOOD).kerberos().orElseThrow().tokenLifetime()).isEqualTo(Duration.ofDays(7));
    assertThat(good("admission", "resourcemanager,token").admission())
        .containsExactlyInAnyOrder("resourcemanager", "token");
  }

  @Test
  void halfOfItShouldBeRefused() {
    assertRefused(Map.of(PRINCIPAL, "sailfish/_HOST@R"), KEYTAB);
    assertRefused(Map.of(KEYTAB, "/etc/sailfish.keytab"), PRINCIPAL);
    assertRefused(Map.of("admission", "token"), KEYTAB);
    assertRefused(Map.of(PRINCIPAL, "a b", KEYTAB, "/k"), "service/host@REALM");
    Map<String, String> open = new HashMap<>(GOOD);
    open.put("authentication", "none");
    assertRefused(open, "cluster.secret.file");
    Map<String, String> shorter = new HashMap<>(GOOD);
    shorter.put("token.lifetime", "59999ms");
    assertRefused(shorter, "token.lifetime");
  }

  @Test
  void theHostShouldBeFilledIn() throws Exception {
    KerberosSettings settings = with(GOOD).kerberos().orElseThrow();
    assertThat(settings.principalOn("127.0.0.1")).isEqualTo("sailfish/localhost@R");
    assertThat(settings.principalOn("0.0.0.0")).doesNotContain("_HOST").endsWith("@R");
    assertThat(good(PRINCIPAL, "sailfish/Fixed@R").kerberos().orElseThrow().principalOn("x"))
        .isEqualTo("sailfish/Fixed@R");
  }
}
