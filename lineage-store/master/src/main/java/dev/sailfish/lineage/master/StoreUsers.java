package dev.sailfish.lineage.master;

import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.secret.HmacSha256;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.FreeFilesRequest;
import dev.sailfish.lineage.protocol.wire.ListEntriesRequest;
import dev.sailfish.lineage.protocol.wire.ListMountsRequest;
import dev.sailfish.lineage.protocol.wire.OpenFileRequest;
import dev.sailfish.lineage.protocol.wire.StatRequest;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.UseRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * For whom requests are. The cluster says that itself, and is believed. A user who bears a token
 * asks for himself: which groups he is in, and whether he is a superuser, the master knows and does
 * not ask him. His clients' numbers are made numbers of his own, so that nobody else's client has
 * them. Thread-safe.
 */
final class StoreUsers {
  private final Set<String> superusers;
  private final GroupFile groups;

  StoreUsers(Set<String> superusers, GroupFile groups) {
    this.superusers = Set.copyOf(superusers);
    this.groups = groups;
  }

  /** Whether what the caller says of itself is taken as it is. */
  static boolean isTrusted(Principal caller) {
    return caller.user().isEmpty();
  }

  /** The same change, for its user, and without what only the leader says. */
  ChangeRequest of(Principal caller, ChangeRequest said) throws RequestRefusedException {
    ChangeRequest asked = said.getKeptCount() == 0 ? said : said.toBuilder().clearKept().build();
    if (isTrusted(caller)) {
      return asked;
    }
    if (asked.hasRecordCopy() || asked.hasRewriteBlock()) {
      throw new RequestRefusedException(
          Status.FORBIDDEN,
          "only workers say what becomes of blocks, not user='%s'".formatted(caller.user()));
    }
    return asked.toBuilder()
        .setUser(user(caller, asked.getUser()))
        .setClient(client(caller, asked.getClient()))
        .build();
  }

  /** The same question, for its user. */
  StatRequest of(Principal caller, StatRequest asked) throws RequestRefusedException {
    return isTrusted(caller)
        ? asked
        : asked.toBuilder().setUser(user(caller, asked.getUser())).build();
  }

  /** The same question, for its user. */
  ListEntriesRequest of(Principal caller, ListEntriesRequest asked) throws RequestRefusedException {
    return isTrusted(caller)
        ? asked
        : asked.toBuilder().setUser(user(caller, asked.getUser())).build();
  }

  /** The same question, for its user. */
  OpenFileRequest of(Principal caller, OpenFileRequest asked) throws RequestRefusedException {
    return isTrusted(caller)
        ? asked
        : asked.toBuilder().setUser(user(caller, asked.getUser())).build();
  }

  /** The same question, for its user. */
  ListMountsRequest of(Principal caller, ListMountsRequest asked) throws RequestRefusedException {
    return isTrusted(caller)
        ? asked
        : asked.toBuilder().setUser(user(caller, asked.getUser())).build();
  }

  /** The same wish, for its user. */
  FreeFilesRequest of(Principal caller, FreeFilesRequest asked) throws RequestRefusedException {
    return isTrusted(caller)
        ? asked
        : asked.toBuilder().setUser(user(caller, asked.getUser())).build();
  }

  /** The same question, for its user. */
  UseRequest of(Principal caller, UseRequest asked) throws RequestRefusedException {
    return isTrusted(caller)
        ? asked
        : asked.toBuilder().setUser(user(caller, asked.getUser())).build();
  }

  /**
   * For whom a request is.
   *
   * @throws RequestRefusedException FORBIDDEN when a user asks for another one
   */
  StoreUser user(Principal caller, StoreUser asked) throws RequestRefusedException {
    if (isTrusted(caller)) {
      return asked;
    }
    String name = caller.user();
    if (!asked.getName().isEmpty() && !asked.getName().equals(name)) {
      throw new RequestRefusedException(
          Status.FORBIDDEN,
          ("the connection is that of user='%s', by its token, and asks for user='%s': only who"
                  + " knows the cluster's secret asks for others")
              .formatted(name, asked.getName()));
    }
    return StoreUser.newBuilder()
        .setName(name)
        .addAllGroups(groups.of(name))
        .setSuperuser(superusers.contains(name))
        .build();
  }

  /** The number under which a client is known. */
  long client(Principal caller, long asked) {
    if (isTrusted(caller) || asked == 0) {
      return asked;
    }
    byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(asked).array();
    byte[] code = HmacSha256.of(caller.user().getBytes(StandardCharsets.UTF_8), number);
    return ByteBuffer.wrap(code).getLong() | 1;
  }
}
