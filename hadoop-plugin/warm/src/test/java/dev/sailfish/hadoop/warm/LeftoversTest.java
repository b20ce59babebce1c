package dev.sailfish.hadoop.warm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.warm.ProcessFacts.Hook;
import dev.sailfish.hadoop.warm.ProcessFacts.LiveThread;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LeftoversTest {
  private static final LiveThread FIRST = new LiveThread(1, "sailfish-child", false);
  private static final Hook HADOOPS =
      new Hook(1, "org.apache.hadoop.util.ShutdownHookManager$1", false);
  private static final int OPEN = 20;
  private static final ProcessFacts BEFORE = facts(Set.of(FIRST), Set.of(HADOOPS), OPEN, 0, 0);

  private static ProcessFacts facts(
      Set<LiveThread> threads, Set<Hook> hooks, int open, int libraries, int factory) {
    return new ProcessFacts(threads, hooks, Map.of("a factory", factory), open, libraries, false);
  }

  private static ProcessFacts withThread(String name, boolean ofUser) {
    return facts(Set.of(FIRST, new LiveThread(2, name, ofUser)), Set.of(HADOOPS), OPEN, 0, 0);
  }

  private static ProcessFacts withHook(String type) {
    return facts(Set.of(FIRST), Set.of(HADOOPS, new Hook(2, type, false)), OPEN, 0, 0);
  }

  @Test
  void nothingLeftIsNoReason() {
    assertThat(Leftovers.reasons(BEFORE, BEFORE)).isEmpty();
  }

  @Test
  void aThreadIsAReasonUnlessItServesAllTasks() {
    assertThat(Leftovers.reasons(BEFORE, withThread("pool-1-thread-1", false)))
        .containsExactly("thread pool-1-thread-1 is left");
    String ipc = "IPC Client (7) connection to localhost from job_1";
    assertThat(Leftovers.reasons(BEFORE, withThread(ipc, false))).isEmpty();
    assertThat(Leftovers.reasons(BEFORE, withThread(ipc, true))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.hadoop.fs.FileSystem$Cache$ClientFinalizer",
        "java.util.logging.LogManager$Cleaner"
      })
  void hooksOfHadoopAndTheJdkAreNoReason(String type) {
    assertThat(Leftovers.reasons(BEFORE, withHook(type))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "java.lang.Thread",
        "com.example.Users$Hook",
        "org.apache.hadoop.fs.FileContext$FileContextFinalizer"
      })
  void otherHooksAreAReason(String type) {
    assertThat(Leftovers.reasons(BEFORE, withHook(type)))
        .containsExactly("shutdown hook " + type + " is left");
  }

  @Test
  void aHookOfTheUsersIsAReasonWhateverItIsCalled() {
    Hook users = new Hook(2, "org.apache.hadoop.users.Hook", true);
    ProcessFacts after = facts(Set.of(FIRST), Set.of(HADOOPS, users), OPEN, 0, 0);
    assertThat(Leftovers.reasons(BEFORE, after)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "20, 0, 0, ''",
    "84, 0, 0, ''",
    "85, 0, 0, open files",
    "20, 1, 0, native",
    "20, 0, 9, factory"
  })
  void filesLibrariesAndFactoriesAreReasons(int open, int libraries, int factory, String reason) {
    ProcessFacts after = facts(Set.of(FIRST), Set.of(HADOOPS), open, libraries, factory);
    assertThat(String.join(" ", Leftovers.reasons(BEFORE, after))).contains(reason);
    assertThat(Leftovers.reasons(BEFORE, after)).hasSize(reason.isEmpty() ? 0 : 1);
  }

  @Test
  void workInTheCommonPoolIsAReason() {
    ProcessFacts after =
        new ProcessFacts(Set.of(FIRST), Set.of(HADOOPS), Map.of("a factory", 0), OPEN, 0, true);
    assertThat(Leftovers.isAtWork(BEFORE, after)).isTrue();
    assertThat(Leftovers.reasons(BEFORE, after))
        .containsExactly("work in ForkJoinPool.commonPool() is left");
    assertThat(Leftovers.isAtWork(BEFORE, BEFORE)).isFalse();
  }

  @Test
  void aHeapIsFullAboveItsShare() {
    assertThat(Leftovers.isHeapFull(500, 1000, 50)).isFalse();
    assertThat(Leftovers.isHeapFull(501, 1000, 50)).isTrue();
    assertThat(Leftovers.isHeapFull(1000, 1000, 100)).isFalse();
  }
}
