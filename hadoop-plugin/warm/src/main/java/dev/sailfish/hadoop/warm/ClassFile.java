package dev.sailfish.hadoop.warm;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a compiled class says of its fields, and the code of its methods (The Java Virtual Machine
 * Specification, chapter 4):
 *
 * <pre>
 *   magic  version  | constants | access  this  super | interfaces | fields | methods | attributes
 *   4 B    2 + 2 B    2 B, each   2 B     2 B   2 B     2 B, 2 B     2 B, each  2 B, each  2 B, each
 * </pre>
 *
 * <p>Nothing of the class is loaded. Immutable.
 */
final class ClassFile {
  static final int STATIC = 0x0008;
  static final int FINAL = 0x0010;
  static final int SYNTHETIC = 0x1000;
  static final int ENUM = 0x4000;

  private static final int MAGIC = 0xCAFEBABE;
  private static final int VERSION_BYTES = 4;
  private static final int CODE_LIMITS_BYTES = 4;

  private static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int METHOD_HANDLE = 15;

  /** Bytes of a constant behind its tag, by tag; 0: there is none of that tag, or it is UTF-8. */
  private static final int[] CONSTANT_BYTES = {
    0, 0, 0, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, 0, 0, 3, 2, 4, 4, 2, 2
  };

  private final ByteBuffer bytes;
  private final int[] constants;
  private final int access;
  private final String name;
  private final List<Field> fields = new ArrayList<>();
  private final Map<String, ByteBuffer> methods = new HashMap<>();
  private final List<String> bootstrapOwners = new ArrayList<>();

  /**
   * A field.
   *
   * @param descriptor of its type, as {@code Ljava/lang/String;}
   */
  record Field(int access, String name, String descriptor) {
    boolean is(int flag) {
      return (access & flag) != 0;
    }
  }

  /** What an instruction names: a field or method, and the class that is asked for it. */
  record Member(String owner, String name, String descriptor) {
    /** Of a method; the key of {@link #code}. */
    String signature() {
      return name + descriptor;
    }
  }

  private ClassFile(ByteBuffer bytes) {
    this.bytes = bytes;
    if (bytes.getInt() != MAGIC) {
      throw new IllegalArgumentException("not a class file");
    }
    skip(VERSION_BYTES);
    constants = readConstants();
    access = bytes.getChar();
    name = className(bytes.getChar());
    skip(Character.BYTES);
    skip(Character.BYTES * bytes.getChar());
    readFields();
    readMethods();
    readAttributes();
  }

  /**
   * Reads a class.
   *
   * @param file all of its bytes, which it keeps
   * @throws RuntimeException when that is not a class file
   */
  static ClassFile of(byte[] file) {
    return new ClassFile(ByteBuffer.wrap(file));
  }

  /** With slashes. */
  String name() {
    return name;
  }

  boolean is(int flag) {
    return (access & flag) != 0;
  }

  List<Field> fields() {
    return fields;
  }

  /**
   * Instructions of a method.
   *
   * @param signature name and descriptor
   * @return null when it has none, or is another class's
   */
  ByteBuffer code(String signature) {
    ByteBuffer code = methods.get(signature);
    return code == null ? null : code.duplicate();
  }

  /** Classes whose methods link its {@code invokedynamic} instructions and dynamic constants. */
  List<String> bootstrapOwners() {
    return bootstrapOwners;
  }

  /** What an instruction names by the number of a constant. */
  Member member(int constant) {
    int at = constants[constant] + 1;
    int nameAndType = constants[bytes.getChar(at + Character.BYTES)] + 1;
    return new Member(
        className(bytes.getChar(at)),
        text(bytes.getChar(nameAndType)),
        text(bytes.getChar(nameAndType + Character.BYTES)));
  }

  /** With slashes; of an array its descriptor. */
  String className(int constant) {
    return text(bytes.getChar(constants[constant] + 1));
  }

  private int[] readConstants() {
    int[] offsets = new int[bytes.getChar()];
    for (int i = 1; i < offsets.length; i++) {
      offsets[i] = bytes.position();
      int tag = bytes.get();
      skip(tag == UTF8 ? bytes.getChar() : constantBytes(tag));
      if (tag == LONG || tag == DOUBLE) {
        i++; // They take two numbers.
      }
    }
    return offsets;
  }

  private static int constantBytes(int tag) {
    int length = tag < 0 || tag >= CONSTANT_BYTES.length ? 0 : CONSTANT_BYTES[tag];
    if (length == 0) {
      throw new IllegalArgumentException("constant of unknown kind " + tag);
    }
    return length;
  }

  private void readFields() {
    for (int left = bytes.getChar(); left > 0; left--) {
      fields.add(new Field(bytes.getChar(), text(bytes.getChar()), text(bytes.getChar())));
      for (int attributes = bytes.getChar(); attributes > 0; attributes--) {
        attribute();
      }
    }
  }

  private void readMethods() {
    for (int left = bytes.getChar(); left > 0; left--) {
      skip(Character.BYTES);
      String signature = text(bytes.getChar()) + text(bytes.getChar());
      for (int attributes = bytes.getChar(); attributes > 0; attributes--) {
        Attribute attribute = attribute();
        if (attribute.name.equals("Code")) {
          ByteBuffer code = attribute.body.position(CODE_LIMITS_BYTES);
          int length = code.getInt();
          methods.put(signature, code.slice(code.position(), length));
        }
      }
    }
  }

  private void readAttributes() {
    for (int left = bytes.getChar(); left > 0; left--) {
      Attribute attribute = attribute();
      if (attribute.name.equals("BootstrapMethods")) {
        ByteBuffer body = attribute.body;
        for (int methods = body.getChar(); methods > 0; methods--) {
          bootstrapOwners.add(bootstrapOwner(body.getChar()));
          int arguments = body.getChar();
          body.position(body.position() + Character.BYTES * arguments);
        }
      }
    }
  }

  private String bootstrapOwner(int constant) {
    int at = constants[constant];
    if (bytes.get(at) != METHOD_HANDLE) {
      throw new IllegalArgumentException("constant " + constant + " is no method handle");
    }
    return member(bytes.getChar(at + 2)).owner;
  }

  private record Attribute(String name, ByteBuffer body) {}

  private Attribute attribute() {
    String attribute = text(bytes.getChar());
    int length = bytes.getInt();
    ByteBuffer body = bytes.slice(bytes.position(), length);
    skip(length);
    return new Attribute(attribute, body);
  }

  /** Names that a rule knows are ASCII, so that it does not matter how others are encoded. */
  private String text(int constant) {
    int at = constants[constant] + 1;
    int length = bytes.getChar(at);
    return new String(bytes.array(), at + Character.BYTES, length, StandardCharsets.UTF_8);
  }

  private void skip(int count) {
    bytes.position(bytes.position() + count);
  }
}
