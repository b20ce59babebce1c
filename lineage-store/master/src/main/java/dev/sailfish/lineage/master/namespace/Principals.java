package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Users and groups by number, in the order in which they came; none is ever removed. */
final class Principals {
  private static final int MOST = 1 << 20;
  private static final int LONGEST = 255;

  private final List<String> names = new ArrayList<>();
  private final Map<String, Integer> numbers = new HashMap<>();

  /**
   * The number of a name, which it gets if it has none.
   *
   * @throws NamespaceException INVALID or FULL
   */
  int number(String name) throws NamespaceException {
    Integer number = numbers.get(name);
    if (number != null) {
      return number;
    }
    if (name.isEmpty() || name.length() > LONGEST) {
      throw new NamespaceException(
          Reason.INVALID,
          "a user or group must have a name of 1 to "
              + LONGEST
              + " characters, not "
              + name.length());
    }
    if (names.size() == MOST) {
      throw new NamespaceException(
          Reason.FULL, "there are " + MOST + " users and groups already: no room for " + name);
    }
    numbers.put(name, names.size());
    names.add(name);
    return names.size() - 1;
  }

  String name(int number) {
    return names.get(number);
  }

  void write(DataOutputStream out) throws IOException {
    out.writeInt(names.size());
    for (String name : names) {
      out.writeUTF(name);
    }
  }

  void read(DataInputStream in) throws IOException {
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      String name = in.readUTF();
      numbers.put(name, i);
      names.add(name);
    }
  }
}
