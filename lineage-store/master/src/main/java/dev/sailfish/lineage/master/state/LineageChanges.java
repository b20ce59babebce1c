package dev.sailfish.lineage.master.state;

import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.Lineage;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Recomputes.Outcome;
import dev.sailfish.lineage.master.table.Fid;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CompleteRecompute;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.GiveUpFile;
import dev.sailfish.lineage.protocol.wire.PrepareProgram;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.RewriteBlock;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the change of a message in lineage records. */
final class LineageChanges {
  private static final Logger LOG = LoggerFactory.getLogger(LineageChanges.class);

  private LineageChanges() {}

  /** Whether a change is one of lineage records. */
  static boolean has(ChangeRequest change) {
    return switch (change.getChangeCase()) {
      case CREATE_DEPENDENCY,
          SEAL_DEPENDENCY,
          PREPARE_PROGRAM,
          BEGIN_RECOMPUTE,
          COMPLETE_RECOMPUTE,
          ABANDON_RECOMPUTE,
          REWRITE_BLOCK,
          GIVE_UP_FILE,
          SET_SYNCHRONOUS ->
          true;
      default -> false;
    };
  }

  /**
   * Makes a change.
   *
   * @param response gets what the caller is to know
   */
  static void apply(
      Namespace namespace, ChangeRequest change, long nowMs, ChangeResponse.Builder response)
      throws NamespaceException {
    Caller caller = StoreMessages.caller(change.getUser());
    Lineage lineage = namespace.lineage();
    long client = change.getClient();
    switch (change.getChangeCase()) {
      case CREATE_DEPENDENCY ->
          response.setDependency(create(lineage, change.getCreateDependency(), caller));
      case SEAL_DEPENDENCY -> lineage.seal(change.getSealDependency().getId(), caller);
      case PREPARE_PROGRAM -> {
        PrepareProgram asked = change.getPrepareProgram();
        String hash = DependencyMessages.hash(asked.getSha256());
        FileInfo info = lineage.programs().prepare(hash, client, caller, nowMs);
        response.setEntry(StoreMessages.entry(info));
      }
      case BEGIN_RECOMPUTE -> {
        long fid = change.getBeginRecompute().getFid();
        FileInfo info = lineage.recomputes().begin(fid, client, caller, nowMs);
        response.setEntry(StoreMessages.entry(info)).setAttempt(lineage.recomputes().attempt(fid));
      }
      case REWRITE_BLOCK -> {
        RewriteBlock asked = change.getRewriteBlock();
        lineage
            .recomputes()
            .rewrite(asked.getFid(), asked.getBlock(), asked.getPlace(), asked.getAttempt());
      }
      case COMPLETE_RECOMPUTE ->
          complete(namespace, change.getCompleteRecompute(), client, response);
      case GIVE_UP_FILE -> {
        GiveUpFile asked = change.getGiveUpFile();
        lineage.recomputes().giveUp(asked.getFid(), asked.getCause(), caller);
      }
      case SET_SYNCHRONOUS ->
          namespace.writing().setSynchronous(change.getSetSynchronous().getOn(), caller);
      default -> lineage.recomputes().abandon(change.getAbandonRecompute().getFid(), client);
    }
  }

  private static long create(Lineage lineage, CreateDependency asked, Caller caller)
      throws NamespaceException {
    Dependency.Recipe recipe = DependencyMessages.recipe(asked, caller.user());
    List<Output> outputs = DependencyMessages.outputs(asked);
    boolean isNondeterministic = asked.getNondeterministic();
    return asked.getGrowing()
        ? lineage.createGrowing(recipe, outputs, isNondeterministic, caller)
        : lineage.create(recipe, outputs, isNondeterministic, caller);
  }

  private static void complete(
      Namespace namespace, CompleteRecompute asked, long client, ChangeResponse.Builder response)
      throws NamespaceException {
    long fid = asked.getFid();
    Outcome outcome =
        namespace.lineage().recomputes().complete(fid, client, StoreMessages.content(asked));
    if (outcome == Outcome.SAME) {
      response.setEntry(StoreMessages.entry(namespace.stat(fid)));
      return;
    }
    String message =
        ("%s (fid=%s) was recomputed with other bytes, and stays lost: length=%d checksum=%08x, "
                + "not length=%d; its program does not give the same output again")
            .formatted(
                namespace.path(fid),
                Fid.text(fid),
                asked.getLength(),
                asked.getChecksum(),
                namespace.lineage().graph().output(fid).length());
    LOG.warn("{}", message);
    response.setRefusal(
        Refusal.newBuilder().setReason(Refusal.Reason.DIFFERENT).setMessage(message));
  }
}
