package dev.sailfish.ground.server.kerberos;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.config.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The keys of a server that knows users by Kerberos. */
public record KerberosKeys(
    Key<String> principal,
    Key<Optional<Path>> keytab,
    Key<List<String>> realms,
    Key<List<String>> proxyUsers,
    Key<Duration> tokenLifetime) {

  /**
   * Declares them.
   *
   * @param server what the server is called
   * @param tokens what its delegation tokens do, behind "how long a delegation token"
   */
  public static KerberosKeys of(KeySet keys, String server, String tokens) {
    return new KerberosKeys(
        keys.text(
            "kerberos.principal",
            "",
            "who the "
                + server
                + " is for users with Kerberos, service/host@REALM; `_HOST` stands for"
                + " this host's canonical name; empty: no Kerberos"),
        keys.path("kerberos.keytab", "", "file with the key of that principal"),
        keys.list(
            "kerberos.realms",
            "",
            "realms whose principals are users, named by the first part of their names, with commas"
                + " between; empty: the realm of the "
                + server
                + "'s principal"),
        keys.list(
            "kerberos.proxy.users",
            "",
            "users who may ask for delegation tokens on behalf of any other user, as services do"
                + " that submit jobs for people, with commas between"),
        keys.duration(
            "token.lifetime",
            "7d",
            "1min..365d",
            "how long a delegation token " + tokens + " after it was issued"));
  }

  /**
   * What they say; absent: there is no Kerberos.
   *
   * @param open whether the server authenticates nobody
   * @param secretFile the key that would change that, for messages
   * @throws IllegalArgumentException naming the key that is wrong
   */
  public Optional<KerberosSettings> read(Settings settings, boolean open, Key<?> secretFile) {
    String name = settings.get(principal);
    Optional<Path> file = settings.get(keytab);
    if (name.isEmpty() != file.isEmpty()) {
      throw settings.wrong(principal, "and " + keytab + " are set both or not at all");
    }
    if (name.isEmpty()) {
      return Optional.empty();
    }
    if (open) {
      throw settings.wrong(principal, "is of no use without authentication: set " + secretFile);
    }
    if (!name.matches("[^/@\\s]+(/[^/@\\s]+)?(@[^/@\\s]+)?")) {
      throw settings.wrong(principal, "is not service/host@REALM, or service/_HOST@REALM");
    }
    return Optional.of(
        new KerberosSettings(
            name,
            file.get(),
            settings.get(realms),
            settings.get(proxyUsers),
            proxyUsers.name(),
            settings.get(tokenLifetime)));
  }
}
