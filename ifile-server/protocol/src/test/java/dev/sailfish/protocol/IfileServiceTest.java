package dev.sailfish.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Operation.Caller;
import dev.sailfish.ground.wire.ProtocolException;
import dev.sailfish.ground.wire.Service;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IfileServiceTest {
  /** They are on the wire: nothing here may ever change. */
  private static final Map<Integer, String> CODES =
      Map.ofEntries(
          Map.entry(2, "CREATE_IFILES"),
          Map.entry(3, "BIND"),
          Map.entry(4, "COMMIT_MANIFEST"),
          Map.entry(5, "ABORT_ATTEMPT"),
          Map.entry(6, "PLAN_PARTITION"),
          Map.entry(7, "RENEW_LEASE"),
          Map.entry(8, "DELETE_JOB"),
          Map.entry(9, "LIST_JOBS"),
          Map.entry(10, "DESCRIBE_JOB"),
          Map.entry(11, "REGISTER_CHUNKSERVER"),
          Map.entry(12, "HEARTBEAT"),
          Map.entry(13, "APPEND"),
          Map.entry(14, "AWAIT_SORTED"),
          Map.entry(15, "READ"),
          Map.entry(17, "LIST_CHUNKS"),
          Map.entry(18, "SERVER_STATUS"),
          Map.entry(19, "REPORT_UNREADABLE"),
          Map.entry(20, "DRAIN"),
          Map.entry(22, "GET_JOB_KEY"),
          Map.entry(23, "JOURNAL"),
          Map.entry(28, "GET_DELEGATION_TOKEN"),
          Map.entry(29, "SUMMARIZE_INDEX"),
          Map.entry(30, "SUM_WINNERS"));

  private static List<String> of(Caller caller) {
    return IfileService.SERVICE.operations().stream()
        .filter(operation -> operation.caller() == caller)
        .map(Operation::name)
        .toList();
  }

  @Test
  void codesStayAsTheyAre() throws ProtocolException {
    Map<Integer, String> declared =
        IfileService.SERVICE.operations().stream()
            .collect(Collectors.toMap(Operation::code, Operation::name));
    assertThat(declared).containsAllEntriesOf(CODES);
    for (Operation<?, ?> operation : IfileService.SERVICE.operations()) {
      assertThat(IfileService.SERVICE.ofCode(operation.code())).isSameAs(operation);
    }
  }

  @Test
  void theConnectionsOwnOperationsAreEveryServices() throws ProtocolException {
    Service other = new Service(64, 127);
    assertThat(other.ofCode(1)).isSameAs(Operation.HELLO);
    assertThat(other.ofCode(21)).isSameAs(Operation.AUTHENTICATE);
    assertThat(other.operations()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {-32768, -1, 0, 24, 63, 64, 32767})
  void codesOfNoOperationAreRefused(int code) {
    assertThatThrownBy(() -> IfileService.SERVICE.ofCode(code))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("code=" + code);
  }

  @Test
  void noCodeIsOutsideTheServicesRange() {
    Service service = new Service(64, 65);
    service.operation(64, "FIRST", Caller.CLUSTER);
    service.operation(65, "LAST", Caller.CLUSTER);
    assertThatThrownBy(() -> service.operation(66, "BEHIND", Caller.CLUSTER))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> service.operation(63, "BEFORE", Caller.CLUSTER))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void jobsMayAskForWhatTheirTasksDoAndUsersForTokens() {
    assertThat(of(Caller.JOB))
        .contains("CREATE_IFILES", "BIND", "COMMIT_MANIFEST", "ABORT_ATTEMPT", "PLAN_PARTITION")
        .contains("RENEW_LEASE", "DELETE_JOB", "DESCRIBE_JOB", "REPORT_UNREADABLE")
        .contains("APPEND", "AWAIT_SORTED", "READ", "SUMMARIZE_INDEX", "LIST_CHUNKS")
        .contains("SUM_WINNERS");
    assertThat(of(Caller.CLUSTER))
        .contains("LIST_JOBS", "REGISTER_CHUNKSERVER", "HEARTBEAT", "SERVER_STATUS", "DRAIN")
        .contains("GET_JOB_KEY", "JOURNAL");
    assertThat(of(Caller.USER)).containsExactly("GET_DELEGATION_TOKEN");
    assertThat(of(Caller.ANYONE)).isEmpty();
  }
}
