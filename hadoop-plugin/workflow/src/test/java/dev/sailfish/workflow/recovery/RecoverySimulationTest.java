package dev.sailfish.workflow.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.edge.recompute.RecoveryModel;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.workflow.recovery.World.Application;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Random lineage, and random losses, failures, deaths of the manager, silences of store and YARN.
 * Two applications of one dependency never run at once; and once nothing fails any more, every file
 * is back or was given up for a reason that holds.
 */
@Seeded
class RecoverySimulationTest {
  private static final int RECORDS = 12;
  private static final int ROUNDS = 300;
  private static final int QUIET_ROUNDS = 400;

  private final World world = new World();
  private final List<Long> files = new ArrayList<>();
  private final Set<Long> raw = new HashSet<>();
  private Recovery recovery;
  private int answered;

  @RepeatedTest(60)
  void everythingThatCanComeBackDoes(SplittableRandom random) throws IOException {
    lineage(random);
    RecoveryModel model = random.nextBoolean() ? RecoveryModel.PROACTIVE : RecoveryModel.REACTIVE;
    start(model);
    for (int i = 0; i < ROUNDS; i++) {
      happen(random, model);
      work(random, 8);
      round();
      checkOneForEach();
    }
    world.storeAnswers = true;
    world.yarnAnswers = true;
    world.givenUp.clear();
    files.forEach(file -> world.wants("application_9_1", file));
    for (int i = 0; i < QUIET_ROUNDS; i++) {
      work(random, 0);
      round();
      checkOneForEach();
    }
    checkAllIsBack();
    assertThat(recovery.status().running()).isZero();
    assertThat(recovery.status().waiting()).isZero();
    assertThat(answered).as("rounds that were answered").isGreaterThan(QUIET_ROUNDS);
  }

  private void lineage(SplittableRandom random) {
    for (long fid = 1; fid <= 3; fid++) {
      files.add(fid);
      raw.add(fid);
    }
    long fid = 100;
    for (long id = 1; id <= RECORDS; id++) {
      Set<Long> inputs = new HashSet<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        inputs.add(files.get(random.nextInt(files.size())));
      }
      Long[] outputs = new Long[1 + random.nextInt(3)];
      for (int i = 0; i < outputs.length; i++) {
        outputs[i] = fid++;
      }
      world.record(id, List.copyOf(inputs), outputs);
      files.addAll(List.of(outputs));
    }
  }

  private void start(RecoveryModel model) {
    recovery = new Recovery(World.settings(model, 3), world, world, world);
  }

  private void round() {
    world.nowNs += World.SECOND_NS;
    try {
      recovery.round(world.nowNs);
      answered++;
    } catch (IOException e) {
      assertThat(world.storeAnswers && world.yarnAnswers).as(e.getMessage()).isFalse();
    }
  }

  private void happen(SplittableRandom random, RecoveryModel model) {
    long file = files.get(random.nextInt(files.size()));
    switch (random.nextInt(12)) {
      case 0, 1 -> world.lose(file);
      case 2 -> world.comesBack(file);
      case 3 -> world.storeAnswers = !world.storeAnswers || random.nextInt(3) > 0;
      case 4 -> world.yarnAnswers = !world.yarnAnswers || random.nextInt(3) > 0;
      case 5 -> {
        if (random.nextInt(4) == 0) {
          world.managerEnds();
          start(model);
        }
      }
      case 6 -> world.wants("application_9_" + random.nextInt(3), file);
      case 7 -> world.wantsNoMore();
      default -> world.application("application_9_1", "q", random.nextInt(9), random.nextInt(5));
    }
  }

  /**
   * Applications get on.
   *
   * @param failures one of so many fails; 0: none
   */
  private void work(SplittableRandom random, int failures) {
    for (Application application : world.running()) {
      if (random.nextInt(4) > 0) {
        continue;
      }
      boolean canRead =
          application.request.record().getInputsList().stream()
              .allMatch(input -> world.isStored(input.getFid()));
      if (!canRead || failures > 0 && random.nextInt(failures) == 0) {
        world.fail(application, "it failed");
      } else {
        world.write(application);
        if (random.nextBoolean()) {
          world.succeed(application);
        }
      }
    }
  }

  private void checkOneForEach() {
    assertThat(world.running()).extracting(Application::dependency).doesNotHaveDuplicates();
  }

  private void checkAllIsBack() {
    for (long file : files) {
      if (!world.isStored(file) && !raw.contains(file)) {
        assertThat(world.givenUp).as("file %d is lost", file).containsKey(file);
        assertThat(raw)
            .as("something that it is made of is lost for ever")
            .anyMatch(input -> !world.isStored(input));
        assertThat(world.givenUp.get(file)).contains("is not available and has no lineage");
      }
    }
  }
}
