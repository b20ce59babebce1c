package dev.sailfish.hadoop.warm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.warm.user.Answers;
import dev.sailfish.hadoop.warm.user.Visits;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which loaders tasks get one after another. */
class TaskLoadersTest {
  @TempDir private Path directory;
  private TaskClasses classes;

  @BeforeEach
  void setUp() throws IOException {
    copy(Answers.class);
    copy(Visits.class);
    URL urls = directory.toUri().toURL();
    classes = new TaskClasses(List.of(urls), true, false);
  }

  private void copy(Class<?> type) throws IOException {
    String file = "user/" + type.getSimpleName() + ".class";
    Path to = directory.resolve("dev/sailfish/hadoop/warm").resolve(file);
    Files.createDirectories(to.getParent());
    Files.write(to, getClass().getResourceAsStream(file).readAllBytes());
  }

  private static void load(ClassLoader loader, Class<?> type) throws Exception {
    // Tests' classes are Sailfish's by their names, which come from Hadoop's loader first.
    ((UserClassLoader) loader).findClass(type.getName()).getConstructor().newInstance();
  }

  @Test
  void theNextTaskShouldHaveTheSameWhileNobodyCanTell() throws Exception {
    ClassLoader first = classes.begin();
    classes.end(first);
    assertThat(classes.begin()).isSameAs(first);
    load(first, Answers.class);
    classes.end(first);
    assertThat(classes.begin()).isSameAs(first);
  }

  @Test
  void theNextTaskShouldHaveAnotherWhenAClassMayDiffer() throws Exception {
    ClassLoader first = classes.begin();
    load(first, Answers.class);
    load(first, Visits.class);
    classes.end(first);
    ClassLoader second = classes.begin();
    assertThat(second).isNotSameAs(first);
    classes.end(second);
    assertThat(classes.begin()).isSameAs(second);
  }

  @Test
  void hadoopsLoaderShouldServeAllWhereClassesAreShared() throws Exception {
    TaskClasses shared = new TaskClasses(null, false, false);
    ClassLoader first = shared.begin();
    shared.end(first);
    assertThat(shared.begin()).isSameAs(first).isSameAs(TaskClasses.class.getClassLoader());
    assertThat(shared.isolated()).isFalse();
  }
}
