package dev.sailfish.ground.wire;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;

/**
 * Operations whose codes lie in one range. All services share the code space, so that a request at
 * the wrong port is recognized as such:
 *
 * <pre>
 *   1, 21        the connection itself: {@link Operation#HELLO}, {@link Operation#AUTHENTICATE}
 *   2 …  63      I-file servers
 *   64 … 127     lineage store
 *   128 … 191    ApplicationMaster
 *   192 … 255    services of tests
 * </pre>
 *
 * <p>Operations are added while the class that declares them is initialized; thread-safe after.
 */
public final class Service {
  private final int firstCode;
  private final Operation<?, ?>[] byOffset;

  /**
   * @param firstCode the smallest code of an operation
   * @param lastCode the largest
   */
  public Service(int firstCode, int lastCode) {
    this.firstCode = firstCode;
    this.byOffset = new Operation<?, ?>[lastCode - firstCode + 1];
  }

  /**
   * Adds an operation.
   *
   * @param code in the service's range, and not taken
   */
  public <Q extends MessageLite, A extends MessageLite> Operation<Q, A> operation(
      int code, String name, Operation.Caller caller) {
    Operation<Q, A> operation = new Operation<>(code, name, caller);
    byOffset[code - firstCode] = operation;
    return operation;
  }

  /**
   * The operation with this code, of the service or of the connection itself.
   *
   * @throws ProtocolException when there is none
   */
  public Operation<?, ?> ofCode(int code) throws ProtocolException {
    int offset = code - firstCode;
    Operation<?, ?> found = null;
    if (code == Operation.HELLO.code()) {
      found = Operation.HELLO;
    } else if (code == Operation.AUTHENTICATE.code()) {
      found = Operation.AUTHENTICATE;
    } else if (offset >= 0 && offset < byOffset.length) {
      found = byOffset[offset];
    }
    if (found == null) {
      ProtocolException.raise(
          "unknown operation: code=" + code + "; is it another server's address that was meant?");
    }
    return found;
  }

  /** All operations of the service, by code. */
  public List<Operation<?, ?>> operations() {
    List<Operation<?, ?>> all = new ArrayList<>();
    for (Operation<?, ?> operation : byOffset) {
      if (operation != null) {
        all.add(operation);
      }
    }
    return all;
  }
}
