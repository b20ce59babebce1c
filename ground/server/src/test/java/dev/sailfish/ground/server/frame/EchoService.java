package dev.sailfish.ground.server.frame;

import dev.sailfish.ground.server.message.EchoRequest;
import dev.sailfish.ground.server.message.EchoResponse;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Operation.Caller;
import dev.sailfish.ground.wire.Service;
import dev.sailfish.ground.wire.message.EmptyResponse;

/** The service of these tests; {@link EchoHandler} says what each operation does. */
public final class EchoService {
  public static final Service SERVICE = new Service(192, 202);

  public static final Operation<EchoRequest, EmptyResponse> STREAM = ofJob(192, "STREAM");
  public static final Operation<EchoRequest, EmptyResponse> COLLECT = ofJob(193, "COLLECT");
  public static final Operation<EchoRequest, EmptyResponse> FILE = ofJob(194, "FILE");
  public static final Operation<EchoRequest, EmptyResponse> WAIT = ofJob(195, "WAIT");
  public static final Operation<EchoRequest, EmptyResponse> REFUSE = ofJob(196, "REFUSE");
  public static final Operation<EchoRequest, EmptyResponse> FAIL = ofJob(197, "FAIL");
  public static final Operation<EchoRequest, EchoResponse> LIST =
      SERVICE.operation(198, "LIST", Caller.CLUSTER);
  public static final Operation<EchoRequest, EmptyResponse> ANSWER_TWICE =
      ofJob(199, "ANSWER_TWICE");
  public static final Operation<EchoRequest, EchoResponse> DESCRIBE =
      SERVICE.operation(200, "DESCRIBE", Caller.JOB);
  public static final Operation<EchoRequest, EmptyResponse> NOTHING = ofJob(201, "NOTHING");
  public static final Operation<EchoRequest, EmptyResponse> GREET =
      SERVICE.operation(202, "GREET", Caller.USER);

  private EchoService() {}

  private static Operation<EchoRequest, EmptyResponse> ofJob(int code, String name) {
    return SERVICE.operation(code, name, Caller.JOB);
  }
}
