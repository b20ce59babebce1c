package dev.sailfish.system.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * The lineage file system of the client jar refers to no class, method or field that the Hadoop
 * client of a Spark does not have: also not on a way that no test takes.
 */
@Tag("long")
class SparkLinkageTest {
  private static final List<SparkVersion> VERSIONS = SparkVersion.ALL;

  /** A line of a class's constant pool: {@code Methodref … // owner.name:(I)V}. */
  private static final Pattern MEMBER =
      Pattern.compile(
          "= (?:Interface)?(?:Method|Field)ref .*// ([\\w/$]+)[.]\"?([\\w$<>]+)\"?:(\\S+)");

  private static final Pattern CLASS = Pattern.compile("= Class .*// \"?(?:\\[+L)?([\\w/$-]+);?");

  @ParameterizedTest
  @FieldSource("VERSIONS")
  void findsAllThatTheFileSystemRefersTo(SparkVersion version) throws Exception {
    assumeTrue(version.missing() == null, version.missing());
    List<URL> classPath = new ArrayList<>();
    classPath.add(SparkVersion.clientJar().toUri().toURL());
    for (Path jar : version.jars()) {
      classPath.add(jar.toUri().toURL());
    }
    Set<String> missing = new TreeSet<>();
    int seen = 0;
    try (URLClassLoader loader =
        new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      for (String line : constants()) {
        Matcher member = MEMBER.matcher(line);
        Matcher type = CLASS.matcher(line);
        if (member.find()) {
          seen++;
          if (!hasMember(loader, member.group(1), member.group(2), member.group(3))) {
            missing.add(member.group(1) + "." + member.group(2) + member.group(3));
          }
        } else if (type.find() && load(loader, type.group(1)) == null) {
          missing.add(type.group(1));
        }
      }
    }
    assertThat(seen).as("references that were looked at").isGreaterThan(500);
    assertThat(missing).as("what %s does not have", version).isEmpty();
  }

  /** What javap says of the classes that see Hadoop. */
  private static List<String> constants() throws Exception {
    List<String> arguments =
        new ArrayList<>(List.of("-v", "-p", "-cp", SparkVersion.clientJar().toString()));
    try (JarFile jar = new JarFile(SparkVersion.clientJar().toFile())) {
      jar.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.matches("dev/sailfish/lineage/hadoop/.*[.]class"))
          .map(name -> name.replace('/', '.').replaceAll("[.]class$", ""))
          .forEach(arguments::add);
    }
    StringWriter said = new StringWriter();
    PrintWriter out = new PrintWriter(said);
    int status =
        ToolProvider.findFirst("javap")
            .orElseThrow()
            .run(out, out, arguments.toArray(String[]::new));
    assertThat(status).as("javap: %s", said).isZero();
    return said.toString().lines().toList();
  }

  private static Class<?> load(ClassLoader loader, String internalName) {
    try {
      return Class.forName(internalName.replace('/', '.'), false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }

  private static boolean hasMember(
      ClassLoader loader, String owner, String name, String descriptor) {
    Class<?> type = load(loader, owner);
    return type != null && declares(type, name, descriptor);
  }

  /** Whether a class has a member, or inherits it. */
  private static boolean declares(Class<?> type, String name, String descriptor) {
    Stream<String> own =
        switch (name) {
          case "<init>" ->
              Stream.of(type.getDeclaredConstructors()).map(SparkLinkageTest::descriptor);
          default ->
              descriptor.startsWith("(")
                  ? Stream.of(type.getDeclaredMethods())
                      .filter(method -> method.getName().equals(name))
                      .map(SparkLinkageTest::descriptor)
                  : Stream.of(type.getDeclaredFields())
                      .filter(field -> field.getName().equals(name))
                      .map(SparkLinkageTest::descriptor);
        };
    if (own.anyMatch(descriptor::equals)) {
      return true;
    }
    Class<?> parent = type.isInterface() ? Object.class : type.getSuperclass();
    return !name.equals("<init>")
        && (isPolymorphic(type, name)
            || parent != null && declares(parent, name, descriptor)
            || Stream.of(type.getInterfaces()).anyMatch(each -> declares(each, name, descriptor)));
  }

  /** Methods whose signature is what the caller says. */
  private static boolean isPolymorphic(Class<?> type, String name) {
    return type.getName().startsWith("java.lang.invoke.")
        && Stream.of(type.getDeclaredMethods()).anyMatch(method -> method.getName().equals(name));
  }

  private static String descriptor(Method method) {
    return descriptor(method.getParameterTypes()) + method.getReturnType().descriptorString();
  }

  private static String descriptor(Constructor<?> constructor) {
    return descriptor(constructor.getParameterTypes()) + "V";
  }

  private static String descriptor(Field field) {
    return field.getType().descriptorString();
  }

  private static String descriptor(Class<?>[] parameters) {
    StringBuilder text = new StringBuilder("(");
    for (Class<?> parameter : parameters) {
      text.append(parameter.descriptorString());
    }
    return text.append(')').toString();
  }
}
