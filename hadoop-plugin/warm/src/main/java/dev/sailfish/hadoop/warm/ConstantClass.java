package dev.sailfish.hadoop.warm;

import dev.sailfish.hadoop.warm.ClassFile.Field;
import dev.sailfish.hadoop.warm.ClassFile.Member;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds classes that are the same for each task: whose static fields are final and hold what cannot
 * change, and whose initialization does nothing but make these of constants. Whether such a class
 * is loaded anew, nobody can tell. Of all others it says that they may not be so: a counter, a
 * cache, a time, a random number, whatever a static initializer prints, reads or registers. Pure.
 */
final class ConstantClass {
  /** What static fields, and the fields of enum constants, may hold: beside primitives. */
  private static final Set<String> IMMUTABLE =
      Set.of(
          "Ljava/lang/String;",
          "Ljava/lang/Class;",
          "Ljava/lang/Boolean;",
          "Ljava/lang/Byte;",
          "Ljava/lang/Character;",
          "Ljava/lang/Short;",
          "Ljava/lang/Integer;",
          "Ljava/lang/Long;",
          "Ljava/lang/Float;",
          "Ljava/lang/Double;",
          "Ljava/lang/invoke/VarHandle;",
          "Ljava/nio/ByteOrder;",
          "Ljava/nio/charset/Charset;",
          "Ljava/time/Duration;",
          "Ljava/util/concurrent/TimeUnit;",
          "Ljava/util/regex/Pattern;",
          "Ljava/util/logging/Logger;",
          "Lorg/apache/commons/logging/Log;",
          "Lorg/apache/log4j/Logger;",
          "Lorg/slf4j/Logger;");

  /** Methods that make the same of the same, and do nothing else; beginnings of their names. */
  private static final List<String> PURE =
      List.of(
          "java/lang/Object.<init>",
          "java/lang/Enum.<init>",
          "java/lang/Class.desiredAssertionStatus",
          "java/lang/Class.getName",
          "java/lang/Class.getSimpleName",
          "java/lang/Boolean.valueOf(Z)",
          "java/lang/Byte.valueOf(B)",
          "java/lang/Character.valueOf(C)",
          "java/lang/Short.valueOf(S)",
          "java/lang/Integer.valueOf(I)",
          "java/lang/Long.valueOf(J)",
          "java/lang/Float.valueOf(F)",
          "java/lang/Double.valueOf(D)",
          "java/lang/Math.",
          "java/lang/String.concat",
          "java/lang/String.length",
          "java/lang/String.valueOf",
          "java/lang/StringBuilder.<init>",
          "java/lang/StringBuilder.append",
          "java/lang/StringBuilder.toString",
          "java/lang/invoke/MethodHandles.byteArrayViewVarHandle",
          "java/nio/charset/Charset.forName",
          "java/time/Duration.of",
          "java/util/concurrent/TimeUnit.to",
          "java/util/regex/Pattern.compile",
          "java/util/logging/Logger.getLogger(Ljava/lang/String;)",
          "org/apache/commons/logging/LogFactory.getLog(",
          "org/apache/log4j/Logger.getLogger(",
          "org/slf4j/LoggerFactory.getLogger(");

  /** What links lambdas, concatenations, records and switches; others may call anything. */
  private static final Set<String> LINKERS =
      Set.of(
          "java/lang/invoke/LambdaMetafactory",
          "java/lang/invoke/StringConcatFactory",
          "java/lang/runtime/ObjectMethods",
          "java/lang/runtime/SwitchBootstraps");

  private static final String RANDOM = "java/lang/Math.random";
  private static final String BUILDER = "java/lang/StringBuilder";
  private static final String INITIALIZER = "<clinit>()V";

  private final ClassFile file;
  private final String descriptor;
  private final Set<String> seen = new HashSet<>();
  private final Deque<String> toRead = new ArrayDeque<>();

  private ConstantClass(ClassFile file) {
    this.file = file;
    descriptor = "L" + file.name() + ";";
  }

  /**
   * Why a class may differ from task to task.
   *
   * @return a phrase without a subject; null: it does not
   */
  static String difference(ClassFile file) {
    return new ConstantClass(file).difference();
  }

  private String difference() {
    for (Field field : file.fields()) {
      boolean counts = field.is(ClassFile.STATIC) || file.is(ClassFile.ENUM);
      if (counts && !(field.is(ClassFile.FINAL) && cannotChange(field))) {
        return "has the field " + field.name();
      }
    }
    for (String owner : file.bootstrapOwners()) {
      if (!LINKERS.contains(owner)) {
        return "is linked by " + owner;
      }
    }
    read(INITIALIZER);
    while (!toRead.isEmpty()) {
      String what = foreign(file.code(toRead.pop()));
      if (what != null) {
        return what + " when it is initialized";
      }
    }
    return null;
  }

  /** Arrays can change, but nobody's code names those that compilers make for enums. */
  private boolean cannotChange(Field field) {
    String type = field.descriptor();
    return switch (type.charAt(0)) {
      case 'L' -> IMMUTABLE.contains(type) || file.is(ClassFile.ENUM) && type.equals(descriptor);
      case '[' -> field.is(ClassFile.SYNTHETIC);
      default -> true;
    };
  }

  private void read(String signature) {
    if (file.code(signature) != null && seen.add(signature)) {
      toRead.push(signature);
    }
  }

  /** The first thing in the code that is not known to be the same each time; null: none. */
  private String foreign(ByteBuffer code) {
    while (code.hasRemaining()) {
      Opcode opcode = Opcode.of(code.get() & 0xFF);
      String what =
          switch (opcode.kind()) {
            case PLAIN -> null;
            case FIELD_READ -> ownOrConstant(file.member(operand(code)));
            case FIELD_WRITE -> own(file.member(operand(code)));
            case CALL -> pure(file.member(operand(code)));
            case NEW -> made(file.className(operand(code)));
            case OTHER -> "does more than make constants";
          };
      if (what != null) {
        return what;
      }
      code.position(code.position() + opcode.operandBytes());
    }
    return null;
  }

  private static int operand(ByteBuffer code) {
    return code.getChar(code.position());
  }

  /** Of others: constants of enums, and those of Java that are of a kind that cannot change. */
  private String ownOrConstant(Member field) {
    boolean constant =
        field.descriptor().equals("L" + field.owner() + ";")
            || field.owner().startsWith("java/") && IMMUTABLE.contains(field.descriptor());
    return constant ? null : own(field);
  }

  private String own(Member field) {
    return field.owner().equals(file.name()) ? null : "uses " + described(field);
  }

  private String pure(Member method) {
    String called = method.owner() + "." + method.signature();
    if (method.owner().equals(file.name()) && file.code(method.signature()) != null) {
      read(method.signature());
      return null;
    }
    boolean pure = PURE.stream().anyMatch(called::startsWith) && !called.startsWith(RANDOM);
    return pure || isNumberingOfEnum(method) ? null : "calls " + described(method);
  }

  /** What compilers make of a switch over an enum: a class with a table of numbers. */
  private boolean isNumberingOfEnum(Member method) {
    return file.is(ClassFile.SYNTHETIC)
        && (method.name().equals("values") || method.signature().equals("ordinal()I"));
  }

  private String made(String type) {
    boolean constant = type.equals(BUILDER) || file.is(ClassFile.ENUM) && type.equals(file.name());
    return constant ? null : "makes a " + type.replace('/', '.');
  }

  private static String described(Member member) {
    return member.owner().replace('/', '.') + "." + member.name();
  }
}
