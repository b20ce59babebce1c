package dev.sailfish.lineage.master;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.journal.JournalSettings;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Negotiation;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.TokenAuthenticator;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import dev.sailfish.ground.server.kerberos.KerberosSettings;
import dev.sailfish.ground.server.kerberos.KerberosUsers;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.token.DelegationKey;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.protocol.BlockToken;
import dev.sailfish.lineage.protocol.BlockTokenKey;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.GrantWritingRequest;
import dev.sailfish.lineage.protocol.wire.GrantWritingResponse;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Who is let in at a master, for whom requests are, and what lets users at blocks. Thread-safe. */
final class UserAccess implements Closeable {
  private final Clock clock;
  private final Optional<byte[]> secret;
  private final Duration tokenLifetime;
  private final long blockTokenMs;
  private final GroupFile groups;
  private final StoreUsers users;
  private final Optional<BlockTokenKey> blockTokens;
  private final Optional<KerberosUsers> kerberos;

  /**
   * Reads the files that are named.
   *
   * @param journal says which of the masters this one is
   * @throws IOException saying what cannot be used
   */
  UserAccess(Settings settings, DaemonSettings daemon, JournalSettings journal, Clock clock)
      throws IOException {
    this.clock = clock;
    secret = daemon.secret();
    tokenLifetime = settings.get(LineageMasterKey.KERBEROS.tokenLifetime());
    blockTokenMs = settings.get(LineageMasterKey.BLOCK_TOKEN_LIFETIME).toMillis();
    Optional<Path> groupsFile = settings.get(LineageMasterKey.GROUPS_FILE);
    groups = GroupFile.open(daemon.open() ? Optional.empty() : groupsFile);
    users = new StoreUsers(Set.copyOf(settings.get(LineageMasterKey.SUPERUSERS)), groups);
    blockTokens = secret.map(BlockTokenKey::new);
    Optional<KerberosSettings> known =
        LineageMasterKey.KERBEROS.read(
            settings, daemon.open(), LineageMasterKey.SERVER.secretFile());
    kerberos =
        known.isEmpty()
            ? Optional.empty()
            : Optional.of(
                KerberosUsers.open(
                    LineageMaster.NAME,
                    known.get(),
                    journal.peers().isEmpty()
                        ? settings.get(LineageMasterKey.HOST)
                        : journal.peers().get(journal.peer()).getHostString(),
                    tokens(secret.orElseThrow()),
                    clock::wallMs));
  }

  private DelegationKey tokens(byte[] clusterSecret) {
    return new DelegationKey(clusterSecret, LineageService.TOKENS, tokenLifetime);
  }

  /** Whom the port lets in; null: anyone. */
  Authenticator authenticator() {
    Optional<Supplier<Negotiation>> negotiation =
        kerberos.map(known -> (Supplier<Negotiation>) known::negotiation);
    return secret
        .map(
            known ->
                new TokenAuthenticator(
                    LineageMaster.NAME, known, tokens(known), clock::wallMs, negotiation))
        .orElse(null);
  }

  /** For whom requests are. */
  StoreUsers users() {
    return users;
  }

  /** What lets a caller at the blocks of a file; empty: it needs nothing. */
  ByteString blockToken(Principal caller, long fid, BlockToken.Access access) {
    if (StoreUsers.isTrusted(caller) || blockTokens.isEmpty()) {
      return ByteString.EMPTY;
    }
    BlockToken token = new BlockToken(fid, access, clock.wallMs() + blockTokenMs, caller.user());
    return ByteString.copyFrom(blockTokens.get().seal(token));
  }

  /** Another block token for the writer of a file. */
  GrantWritingResponse grantWriting(
      Principal caller, Namespace namespace, GrantWritingRequest asked) {
    GrantWritingResponse.Builder response = GrantWritingResponse.newBuilder();
    try {
      FileInfo info = namespace.stat(asked.getFid());
      boolean isTrusted = StoreUsers.isTrusted(caller);
      long client = users.client(caller, asked.getClient());
      boolean isFirst =
          !info.isComplete()
              && (isTrusted || info.owner().equals(caller.user()))
              && namespace.writers().contains(client);
      boolean isWriter =
          isFirst || namespace.lineage().recomputes().isWriter(asked.getFid(), client);
      if (!isWriter) {
        throw new NamespaceException(
            Reason.NOT_WRITING,
            "user='%s' does not write %s (fid=%016x) with this client"
                .formatted(caller.user(), info.name(), info.fid()));
      }
      return response
          .setBlockToken(blockToken(caller, asked.getFid(), BlockToken.Access.WRITE))
          .build();
    } catch (NamespaceException e) {
      return response.setRefusal(StoreMessages.refusal(e)).build();
    }
  }

  /**
   * What is known of a file that was found before; a user has to have the right to read it still,
   * by its own permissions and no directory's.
   *
   * @throws NamespaceException when it is gone, or the user may not
   */
  static FileInfo byId(Principal caller, Namespace namespace, long fid, StoreUser user)
      throws NamespaceException {
    FileInfo info = namespace.stat(fid);
    if (!StoreUsers.isTrusted(caller) && !mayRead(user, info)) {
      throw new NamespaceException(
          Reason.DENIED,
          "%s may not read %s: owner=%s group=%s mode=%o"
              .formatted(user.getName(), info.name(), info.owner(), info.group(), info.mode()));
    }
    return info;
  }

  private static boolean mayRead(StoreUser user, FileInfo info) {
    int bit = 04;
    if (info.owner().equals(user.getName())) {
      bit = 0400;
    } else if (user.getGroupsList().contains(info.group())) {
      bit = 040;
    }
    return user.getSuperuser() || (info.mode() & bit) != 0;
  }

  /** To be called now and then: looks whether groups have changed. */
  void refresh() {
    groups.refresh();
  }

  /** Ends what asks for Kerberos; the port is closed before. */
  @Override
  public void close() {
    kerberos.ifPresent(KerberosUsers::close);
  }
}
