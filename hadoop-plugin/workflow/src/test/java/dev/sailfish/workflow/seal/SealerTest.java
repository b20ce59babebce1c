package dev.sailfish.workflow.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.ListDependenciesResponse;
import dev.sailfish.workflow.seal.Applications.Life;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SealerTest {
  private static final int PAGE = 2;

  private final NavigableMap<Long, DependencyRecord> records = new TreeMap<>();
  private final Map<String, Life> applications = new HashMap<>();
  private final List<Long> sealed = new ArrayList<>();
  private final List<Long> asked = new ArrayList<>();
  private boolean yarnAnswers = true;

  private final Sealer sealer =
      new Sealer(
          new GrowingRecords() {
            @Override
            public ListDependenciesResponse after(long id) {
              asked.add(id);
              ListDependenciesResponse.Builder page = ListDependenciesResponse.newBuilder();
              records.tailMap(id, false).values().stream()
                  .limit(PAGE)
                  .forEach(page::addDependencies);
              long last =
                  page.getDependenciesCount() == 0
                      ? 0
                      : page.getDependencies(page.getDependenciesCount() - 1).getId();
              return page.setNextAfter(last).setMore(page.getDependenciesCount() == PAGE).build();
            }

            @Override
            public Optional<DependencyRecord> record(long id) {
              return Optional.ofNullable(records.get(id));
            }

            @Override
            public void seal(long id) {
              sealed.add(id);
            }
          },
          id -> {
            if (!yarnAnswers) {
              throw new IOException("the ResourceManager does not answer");
            }
            return applications.getOrDefault(id, Life.UNKNOWN);
          },
          100);

  private void record(long id, String name, boolean growing) {
    records.put(
        id, DependencyRecord.newBuilder().setId(id).setName(name).setGrowing(growing).build());
  }

  @Test
  void recordsOfJobsThatHaveEndedAreSealed() throws IOException {
    record(1, "job_7_0001", true);
    record(2, "job_7_0002", false);
    record(3, "job_99999999999999999999_1", true);
    record(4, "job_7_0003", true);
    applications.put("application_7_0001", Life.RUNS);
    applications.put("application_7_0003", Life.ENDED);
    sealer.round(0);
    assertThat(sealed).containsExactly(4L);
    assertThat(sealer.growing()).isEqualTo(1);
    applications.put("application_7_0001", Life.ENDED);
    record(5, "job_7_0004", true);
    applications.put("application_7_0004", Life.ENDED);
    asked.clear();
    sealer.round(1);
    assertThat(sealed).containsExactlyInAnyOrder(4L, 1L, 5L);
    assertThat(asked).as("what was seen is not looked at again").containsExactly(4L);
    assertThat(sealer.sealed()).isEqualTo(3);
  }

  @Test
  void aJobThatYarnDoesNotKnowHasEndedSomeTimeLater() throws IOException {
    record(1, "job_7_0001", true);
    sealer.round(0);
    sealer.round(99);
    applications.put("application_7_0001", Life.RUNS);
    sealer.round(100);
    applications.clear();
    sealer.round(150);
    sealer.round(249);
    assertThat(sealed).isEmpty();
    sealer.round(250);
    assertThat(sealed).containsExactly(1L);
  }

  @Test
  void whatWasSealedOrIsGoneIsForgotten() throws IOException {
    record(1, "job_7_0001", true);
    record(2, "job_7_0001", true);
    applications.put("application_7_0001", Life.RUNS);
    sealer.round(0);
    record(1, "job_7_0001", false);
    records.remove(2L);
    applications.put("application_7_0001", Life.ENDED);
    sealer.round(1);
    assertThat(sealed).isEmpty();
    assertThat(sealer.growing()).isZero();
  }

  @Test
  void whatYarnDoesNotAnswerIsAskedAgain() throws IOException {
    record(1, "job_7_0001", true);
    applications.put("application_7_0001", Life.ENDED);
    yarnAnswers = false;
    assertThatIOException().isThrownBy(() -> sealer.round(0));
    yarnAnswers = true;
    sealer.round(1);
    assertThat(sealed).containsExactly(1L);
  }
}
