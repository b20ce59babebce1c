package dev.sailfish.hadoop.warm;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Private fields of other classes. What a release does not have is skipped. */
final class Statics {
  private static final Logger LOG = LoggerFactory.getLogger(Statics.class);

  private Statics() {}

  /**
   * The value of a static field.
   *
   * @param kind what it must be an instance of
   * @return null when it is null, or when there is no such field
   */
  static <T> T get(Class<?> owner, String name, Class<T> kind) {
    return get(owner, null, name, kind);
  }

  /**
   * The value of a field.
   *
   * @param target the object that has it
   * @param kind what it must be an instance of
   * @return null when it is null, or when there is no such field
   */
  static <T> T get(Object target, String name, Class<T> kind) {
    return get(target.getClass(), target, name, kind);
  }

  /** The value of a field that a given class of an object's declares. */
  static <T> T get(Class<?> owner, Object target, String name, Class<T> kind) {
    Field field = field(owner, name);
    try {
      return field == null ? null : kind.cast(field.get(target));
    } catch (IllegalAccessException | ClassCastException e) {
      LOG.debug("{}.{} is skipped", owner.getName(), name, e);
      return null;
    }
  }

  /** Sets a static field, if there is one. */
  static void set(Class<?> owner, String name, Object value) {
    Field field = field(owner, name);
    if (field == null) {
      return;
    }
    try {
      field.set(null, value);
    } catch (IllegalAccessException e) {
      LOG.debug("{}.{} is skipped", owner.getName(), name, e);
    }
  }

  private static Field field(Class<?> owner, String name) {
    try {
      Field field = owner.getDeclaredField(name);
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException | InaccessibleObjectException e) {
      LOG.debug("{}.{} is skipped", owner.getName(), name, e);
      return null;
    }
  }
}
