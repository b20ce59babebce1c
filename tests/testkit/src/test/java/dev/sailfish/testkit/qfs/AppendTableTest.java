package dev.sailfish.testkit.qfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sailfish.testkit.qfs.AppendTable.State;
import java.util.List;
import org.junit.jupiter.api.Test;

class AppendTableTest {
  private static final List<List<State>> WAYS =
      List.of(
          List.of(State.OPEN),
          List.of(State.OPEN, State.CLOSED),
          List.of(State.OPEN, State.REPLICATION_FAILED),
          List.of(State.OPEN, State.STABLE));

  @Test
  void takesEachArrowAndNoOther() {
    for (List<State> way : WAYS) {
      State from = way.get(way.size() - 1);
      for (State next : State.values()) {
        AppendTable table = new AppendTable(true);
        way.forEach(table::become);
        if (next == from || from.next().contains(next)) {
          table.become(next);
          assertEquals(next, table.state());
        } else {
          assertThrows(IllegalStateException.class, () -> table.become(next));
          assertEquals(from, table.state());
        }
      }
    }
  }

  @Test
  void takesBackTheReservationOfAWriteIdThatIsAskedAbout() {
    AppendTable table = new AppendTable(true);
    AppendTable.Row row = new AppendTable.Row();
    row.reserved = 10;
    table.reserved = 15;
    assertEquals(false, table.makeReadOnly(row));
    assertEquals(5, table.reserved);
    assertEquals(true, table.makeReadOnly(row));
    assertEquals(5, table.reserved);
  }
}
