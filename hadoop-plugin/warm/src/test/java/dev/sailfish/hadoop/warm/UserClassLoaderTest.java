package dev.sailfish.hadoop.warm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.warm.user.Answers;
import dev.sailfish.hadoop.warm.user.Visits;
import java.io.File;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;

class UserClassLoaderTest {
  private static final String RESOURCE = "container-log4j.properties";

  private final ClassLoader own = UserClassLoaderTest.class.getClassLoader();

  @TempDir private Path directory;

  /** Hadoop's classes, among which the user's are not. */
  private static final class Hadoops extends ClassLoader {
    private Hadoops(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.equals(Visits.class.getName())) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }

  private static URL of(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  private String visit(UserClassLoader loader) throws Exception {
    Object visits = loader.loadClass(Visits.class.getName()).getConstructor().newInstance();
    ((Runnable) visits).run();
    return visits.toString();
  }

  @Test
  void staticStateShouldBeginAnewInEachLoader() throws Exception {
    for (int i = 0; i < 2; i++) {
      try (UserClassLoader loader =
          new UserClassLoader(List.of(of(Visits.class)), new Hadoops(own), false)) {
        assertThat(visit(loader)).isEqualTo("1");
        assertThat(visit(loader)).isEqualTo("2");
      }
    }
  }

  @Test
  void hadoopsClassesShouldComeFirstUnlessTheJobWantsItsOwn() throws Exception {
    List<URL> jars = List.of(of(AssertionFailedError.class), of(Text.class));
    try (UserClassLoader after = new UserClassLoader(jars, own, false);
        UserClassLoader before = new UserClassLoader(jars, own, true)) {
      String name = AssertionFailedError.class.getName();
      assertThat(after.loadClass(name)).isSameAs(AssertionFailedError.class);
      assertThat(before.loadClass(name).getClassLoader()).isSameAs(before);
      assertThat(before.loadClass(Text.class.getName())).isSameAs(Text.class);
      assertThat(before.loadClass("java.lang.String")).isSameAs(String.class);
    }
  }

  @Test
  void resourcesShouldComeInTheOrderOfClasses() throws Exception {
    Files.writeString(directory.resolve(RESOURCE), "");
    List<URL> urls = List.of(directory.toUri().toURL());
    URL users = directory.resolve(RESOURCE).toUri().toURL();
    URL hadoops = own.getResource(RESOURCE);
    try (UserClassLoader after = new UserClassLoader(urls, own, false);
        UserClassLoader before = new UserClassLoader(urls, own, true)) {
      assertThat(after.getResource(RESOURCE)).isEqualTo(hadoops);
      assertThat(before.getResource(RESOURCE)).isEqualTo(users);
      assertThat(Collections.list(after.getResources(RESOURCE))).containsExactly(hadoops, users);
      assertThat(Collections.list(before.getResources(RESOURCE))).containsExactly(users, hadoops);
    }
  }

  /** It is the first entry of Hadoop's class path of a task. */
  @Test
  void whatLiesInTheWorkingDirectoryShouldComeBeforeHadoops() throws Exception {
    File here = new File("").getAbsoluteFile();
    URL classes = of(Visits.class);
    String file = here.toURI().relativize(classes.toURI()).getPath();
    try (UserClassLoader loader =
        new UserClassLoader(List.of(here.toURI().toURL(), classes), own, false)) {
      assertThat(loader.getResource(file)).isEqualTo(new File(here, file).toURI().toURL());
      assertThat(loader.getResource(RESOURCE)).isEqualTo(own.getResource(RESOURCE));
    }
  }

  /** A task can have written them. */
  @Test
  void classesOfTheWorkingDirectoryShouldNotBeKept() throws Exception {
    URL classes = of(Answers.class);
    File there = new File(classes.toURI());
    try (UserClassLoader given =
            new UserClassLoader(List.of(directory.toUri().toURL(), classes), own, false, there);
        UserClassLoader written = new UserClassLoader(List.of(classes), own, false, there)) {
      given.findClass(Answers.class.getName());
      written.findClass(Answers.class.getName());
      assertThat(given.difference()).isNull();
      assertThat(written.difference())
          .isEqualTo(Answers.class.getName() + " comes from the working directory");
    }
  }

  @Test
  void noNativeLibrariesAreLoadedAtFirst() throws Exception {
    try (UserClassLoader loader = new UserClassLoader(List.of(), own, false)) {
      assertThat(NativeLibraries.count(loader)).isZero();
    }
  }
}
