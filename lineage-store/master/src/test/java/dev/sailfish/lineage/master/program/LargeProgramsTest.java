package dev.sailfish.lineage.master.program;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LargeProgramsTest {
  private static final long LENGTH = 1000;

  private final LargePrograms programs = new LargePrograms(LENGTH, 2);

  private static String hash(int number) {
    return "hash " + number;
  }

  @Test
  void theyAreFoundByTheirUsersAndLengths() {
    programs.add("alice", LENGTH, hash(1));
    programs.add("alice", LENGTH + 1, hash(2));
    assertThat(programs.find("alice", LENGTH)).containsExactly(hash(1));
    assertThat(programs.find("alice", LENGTH + 1)).containsExactly(hash(2));
    assertThat(programs.find("alice", LENGTH + 2)).isEmpty();
    assertThat(programs.find("bob", LENGTH)).isEmpty();
    programs.clear();
    assertThat(programs.find("alice", LENGTH)).isEmpty();
  }

  @Test
  void smallOnesAreNotKept() {
    programs.add("alice", LENGTH - 1, hash(1));
    assertThat(programs.find("alice", LENGTH - 1)).isEmpty();
  }

  @Test
  void ofOneLengthTheLastFourAreKept() {
    for (int number = 1; number <= 4; number++) {
      programs.add("alice", LENGTH, hash(number));
    }
    programs.add("alice", LENGTH, hash(1));
    programs.add("alice", LENGTH, hash(5));
    assertThat(programs.find("alice", LENGTH)).containsExactly(hash(5), hash(1), hash(4), hash(3));
  }

  @Test
  void theLengthThatWasUsedLongestAgoGoesFirst() {
    programs.add("alice", LENGTH, hash(1));
    programs.add("bob", LENGTH, hash(2));
    assertThat(programs.find("alice", LENGTH)).hasSize(1);
    programs.add("carol", LENGTH, hash(3));
    assertThat(programs.find("bob", LENGTH)).isEmpty();
    assertThat(programs.find("alice", LENGTH)).hasSize(1);
    assertThat(programs.find("carol", LENGTH)).hasSize(1);
  }
}
