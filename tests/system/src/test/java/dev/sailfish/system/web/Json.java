package dev.sailfish.system.web;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** JSON objects and arrays in few words. */
final class Json {
  private Json() {}

  /** An object of names and values in turns. */
  static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }

  /** The object with some values replaced or added. */
  static Map<String, Object> with(Map<String, Object> object, Object... namesAndValues) {
    Map<String, Object> changed = new LinkedHashMap<>(object);
    changed.putAll(object(namesAndValues));
    return changed;
  }

  /** An array of what a function gives for 0, 1 and so on. */
  static List<Object> array(int length, IntFunction<?> item) {
    List<Object> array = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      array.add(item.apply(i));
    }
    return array;
  }
}
