package dev.sailfish.kdc;

import java.nio.file.Path;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.client.KrbClient;

/** Files with tickets of users, as kinit writes them: what programs in C read. */
public final class TicketCache {
  private TicketCache() {}

  /**
   * Gets a user's first ticket, and writes it to a file.
   *
   * @param configuration a {@code krb5.conf}, under this very name
   * @param principal the user, with realm
   * @param keytab with his keys
   * @param file where it goes; what is there is replaced
   * @return what {@code KRB5CCNAME} is to be
   */
  public static String write(Path configuration, String principal, Path keytab, Path file)
      throws KrbException {
    KrbClient client = new KrbClient(configuration.toAbsolutePath().getParent().toFile());
    client.setAllowUdp(false);
    client.init();
    client.storeTicket(client.requestTgt(principal, keytab.toFile()), file.toFile());
    return "FILE:" + file.toAbsolutePath();
  }
}
