package dev.sailfish.hadoop.warm;

/**
 * What an instruction of the Java virtual machine can do (The Java Virtual Machine Specification,
 * section 6.5), as far as initializers of constants are concerned.
 *
 * @param operandBytes how many bytes follow it
 */
record Opcode(Kind kind, int operandBytes) {
  /** What it touches. */
  enum Kind {
    /** Constants, local variables, the stack, arithmetic, branches, elements of arrays. */
    PLAIN,
    /** Reads a field. */
    FIELD_READ,
    /** Writes a field. */
    FIELD_WRITE,
    /** Calls a method that is named. */
    CALL,
    /** Makes an object. */
    NEW,
    /** Anything else. */
    OTHER
  }

  private static final int OPCODES = 256;
  private static final Opcode[] ALL = new Opcode[OPCODES];

  static {
    set(0x00, 0xFF, Kind.OTHER, 0);
    set(0x00, 0x0F, Kind.PLAIN, 0); // nop, constants
    set(0x10, 0x10, Kind.PLAIN, 1); // bipush
    set(0x11, 0x11, Kind.PLAIN, 2); // sipush
    set(0x12, 0x12, Kind.PLAIN, 1); // ldc; dynamic constants are linked by bootstrap methods
    set(0x13, 0x14, Kind.PLAIN, 2); // ldc_w, ldc2_w
    set(0x15, 0x19, Kind.PLAIN, 1); // loads
    set(0x1A, 0x35, Kind.PLAIN, 0); // loads
    set(0x36, 0x3A, Kind.PLAIN, 1); // stores
    set(0x3B, 0x83, Kind.PLAIN, 0); // stores, the stack, arithmetic
    set(0x84, 0x84, Kind.PLAIN, 2); // iinc
    set(0x85, 0x98, Kind.PLAIN, 0); // conversions, comparisons
    set(0x99, 0xA7, Kind.PLAIN, 2); // branches
    set(0xAC, 0xB1, Kind.PLAIN, 0); // returns
    set(0xB2, 0xB2, Kind.FIELD_READ, 2); // getstatic
    set(0xB3, 0xB3, Kind.FIELD_WRITE, 2); // putstatic
    set(0xB4, 0xB4, Kind.FIELD_READ, 2); // getfield
    set(0xB5, 0xB5, Kind.FIELD_WRITE, 2); // putfield
    set(0xB6, 0xB8, Kind.CALL, 2); // invokevirtual, invokespecial, invokestatic
    set(0xBB, 0xBB, Kind.NEW, 2);
    set(0xBC, 0xBC, Kind.PLAIN, 1); // newarray
    set(0xBD, 0xBD, Kind.PLAIN, 2); // anewarray
    set(0xBE, 0xBF, Kind.PLAIN, 0); // arraylength, athrow
    set(0xC0, 0xC1, Kind.PLAIN, 2); // checkcast, instanceof
    set(0xC6, 0xC7, Kind.PLAIN, 2); // ifnull, ifnonnull
  }

  static Opcode of(int code) {
    return ALL[code];
  }

  private static void set(int first, int last, Kind kind, int operandBytes) {
    Opcode opcode = new Opcode(kind, operandBytes);
    for (int code = first; code <= last; code++) {
      ALL[code] = opcode;
    }
  }
}
