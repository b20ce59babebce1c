package dev.sailfish.lineage.protocol;

import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Operation.Caller;
import dev.sailfish.ground.wire.Service;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.lineage.protocol.wire.AbandonBlockRequest;
import dev.sailfish.lineage.protocol.wire.AbandonCopyRequest;
import dev.sailfish.lineage.protocol.wire.BeginBlockRequest;
import dev.sailfish.lineage.protocol.wire.BeginBlockResponse;
import dev.sailfish.lineage.protocol.wire.BeginCopyRequest;
import dev.sailfish.lineage.protocol.wire.ClaimRoomRequest;
import dev.sailfish.lineage.protocol.wire.CopyBlockRequest;
import dev.sailfish.lineage.protocol.wire.CopyFileRequest;
import dev.sailfish.lineage.protocol.wire.EndCopyRequest;
import dev.sailfish.lineage.protocol.wire.LoadBlockRequest;
import dev.sailfish.lineage.protocol.wire.LoadBlockResponse;
import dev.sailfish.lineage.protocol.wire.ReadBlockRequest;
import dev.sailfish.lineage.protocol.wire.ReadBlockResponse;
import dev.sailfish.lineage.protocol.wire.ReadUnderFileRequest;
import dev.sailfish.lineage.protocol.wire.SealBlockRequest;
import dev.sailfish.lineage.protocol.wire.SealBlockResponse;
import dev.sailfish.lineage.protocol.wire.ShareBlockRequest;
import dev.sailfish.lineage.protocol.wire.ShareBlockResponse;
import dev.sailfish.lineage.protocol.wire.SuspectBlockRequest;
import dev.sailfish.lineage.protocol.wire.SuspectBlockResponse;
import dev.sailfish.lineage.protocol.wire.WriteBlockRequest;
import dev.sailfish.lineage.protocol.wire.WriteCopyRequest;

/** The operations of the lineage store's workers. */
public final class WorkerService {
  /** All of them. */
  public static final Service SERVICE = new Service(128, 159);

  /** Begins a block. */
  public static final Operation<BeginBlockRequest, BeginBlockResponse> BEGIN =
      SERVICE.operation(128, "BEGIN_BLOCK", Caller.BEARER);

  /** Makes room for a writer on the worker's host. */
  public static final Operation<ClaimRoomRequest, EmptyResponse> CLAIM =
      SERVICE.operation(129, "CLAIM_ROOM", Caller.BEARER);

  /** The next bytes of a block. */
  public static final Operation<WriteBlockRequest, EmptyResponse> WRITE =
      SERVICE.operation(130, "WRITE_BLOCK", Caller.BEARER);

  /** Ends a block. */
  public static final Operation<SealBlockRequest, SealBlockResponse> SEAL =
      SERVICE.operation(131, "SEAL_BLOCK", Caller.BEARER);

  /** Gives a block up that is not sealed. */
  public static final Operation<AbandonBlockRequest, EmptyResponse> ABANDON =
      SERVICE.operation(132, "ABANDON_BLOCK", Caller.BEARER);

  /** Where a reader on the worker's host finds a block. */
  public static final Operation<ShareBlockRequest, ShareBlockResponse> SHARE =
      SERVICE.operation(133, "SHARE_BLOCK", Caller.BEARER);

  /** Bytes of a block. */
  public static final Operation<ReadBlockRequest, ReadBlockResponse> READ =
      SERVICE.operation(134, "READ_BLOCK", Caller.BEARER);

  /** Has a block looked at that a reader has found damaged. */
  public static final Operation<SuspectBlockRequest, SuspectBlockResponse> SUSPECT =
      SERVICE.operation(135, "SUSPECT_BLOCK", Caller.BEARER);

  /** Begins a copy below. */
  public static final Operation<BeginCopyRequest, EmptyResponse> BEGIN_COPY =
      SERVICE.operation(136, "BEGIN_COPY", Caller.BEARER);

  /** The next bytes of a copy below. */
  public static final Operation<WriteCopyRequest, EmptyResponse> WRITE_COPY =
      SERVICE.operation(137, "WRITE_COPY", Caller.BEARER);

  /** The next bytes of a copy below are those of a block. */
  public static final Operation<CopyBlockRequest, EmptyResponse> COPY_BLOCK =
      SERVICE.operation(138, "COPY_BLOCK", Caller.BEARER);

  /** Ends a copy below. */
  public static final Operation<EndCopyRequest, EmptyResponse> END_COPY =
      SERVICE.operation(139, "END_COPY", Caller.BEARER);

  /** Gives a copy up that is not ended. */
  public static final Operation<AbandonCopyRequest, EmptyResponse> ABANDON_COPY =
      SERVICE.operation(140, "ABANDON_COPY", Caller.BEARER);

  /** Copies a complete file below. */
  public static final Operation<CopyFileRequest, EmptyResponse> COPY_FILE =
      SERVICE.operation(141, "COPY_FILE", Caller.BEARER);

  /** Loads a block from below, or from another worker. */
  public static final Operation<LoadBlockRequest, LoadBlockResponse> LOAD =
      SERVICE.operation(142, "LOAD_BLOCK", Caller.BEARER);

  /** Bytes of a file from below. */
  public static final Operation<ReadUnderFileRequest, ReadBlockResponse> READ_BELOW =
      SERVICE.operation(143, "READ_BELOW", Caller.BEARER);

  private WorkerService() {}
}
