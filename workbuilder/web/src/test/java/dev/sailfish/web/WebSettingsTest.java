package dev.sailfish.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.web.rights.AccessList;
import dev.sailfish.web.rights.Rights;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WebSettingsTest {
  private static WebSettings settings(String... more) throws IOException {
    Map<String, String> values = new HashMap<>();
    values.put("sailfish.web.authentication", "none");
    for (int i = 0; i < more.length; i += 2) {
      values.put("sailfish.web." + more[i], more[i + 1]);
    }
    return WebSettings.of(Settings.of(values));
  }

  @Test
  void defaultsAreEnough() throws IOException {
    WebSettings settings = settings();
    assertThat(settings.port()).isEqualTo(19880);
    assertThat(settings.metaservers()).hasSize(1);
    assertThat(settings.lineageMasters()).isEmpty();
    assertThat(settings.resourceManager()).isEmpty();
    assertThat(settings.historyServer()).isEmpty();
    assertThat(settings.daemons()).isEmpty();
    assertThat(settings.token()).isEmpty();
    assertThat(settings.kerberos()).isEmpty();
    Rights.Terms rights = settings.rights();
    assertThat(rights.lists()).isTrue();
    assertThat(rights.administrators()).isEqualTo(AccessList.NOBODY);
    assertThat(rights.lifetime()).isEqualTo(Duration.ofHours(10));
  }

  @Test
  void administratorsAreUsersAndGroups() throws IOException {
    AccessList list =
        settings("administrators", "ann, bob", "administrators.groups", "ops,dev")
            .rights()
            .administrators();
    assertThat(list).isEqualTo(AccessList.of("ann,bob ops,dev"));
    assertThat(settings("acls", "off").rights().lists()).isFalse();
  }

  @Test
  void whatIsWrongWithKerberosIsNamed() {
    String principal = "HTTP/web.test@SAILFISH.TEST";
    assertThatThrownBy(() -> settings("kerberos.principal", principal))
        .hasMessageContaining("sailfish.web.kerberos.keytab");
    assertThatThrownBy(() -> settings("kerberos.keytab", "/k"))
        .hasMessageContaining("sailfish.web.kerberos.principal");
    assertThatThrownBy(() -> settings("kerberos.principal", "web/x@Y", "kerberos.keytab", "/k"))
        .hasMessageContaining("HTTP/host@REALM");
    assertThatThrownBy(() -> settings("kerberos.principal", principal, "kerberos.keytab", "/k"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("keytab=/k");
    assertThatThrownBy(
            () ->
                settings(
                    "kerberos.principal",
                    principal,
                    "kerberos.keytab",
                    "/k",
                    "kerberos.auth.to.local",
                    "RULE:[1"))
        .hasMessageContaining("sailfish.web.kerberos.auth.to.local");
    assertThatThrownBy(() -> settings("acls", "maybe")).hasMessageContaining("sailfish.web.acls");
  }

  @Test
  void addressesAreTaken() throws IOException {
    WebSettings settings =
        settings(
            "resourcemanager", "http://rm:8088/",
            "historyserver", "https://hs:19890",
            "lineage.masters", "m1:19868,m2:19868",
            "daemons", "workflow=http://w:19873, node 1=https://n_1:1");
    assertThat(settings.resourceManager()).contains("http://rm:8088");
    assertThat(settings.historyServer()).contains("https://hs:19890");
    assertThat(settings.lineageMasters()).hasSize(2);
    assertThat(settings.daemons())
        .containsExactly(
            Map.entry("workflow", "http://w:19873"), Map.entry("node 1", "https://n_1:1"));
  }

  @Test
  void whatIsWrongIsNamed() {
    assertThatThrownBy(() -> settings("resourcemanager", "rm:8088"))
        .hasMessageContaining("sailfish.web.resourcemanager=rm:8088");
    assertThatThrownBy(() -> settings("historyserver", "http://hs"))
        .hasMessageContaining("http://host:port");
    assertThatThrownBy(() -> settings("daemons", "http://w:1")).hasMessageContaining("NAME=http");
    assertThatThrownBy(() -> settings("tls", "required"))
        .hasMessageContaining("sailfish.web.tls.server.file");
    assertThatThrownBy(() -> settings("token.file", "/does/not/exist"))
        .hasMessageContaining("sailfish.web.token.file");
    assertThatThrownBy(() -> settings("history.days", "0")).hasMessageContaining("1..3650");
    assertThatThrownBy(() -> WebSettings.of(Settings.of(Map.of())))
        .hasMessageContaining("sailfish.web.cluster.secret.file");
  }
}
