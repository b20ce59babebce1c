package dev.sailfish.lineage.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class AnswersTest {
  private static final byte[] ANSWER = {1, 2, 3};

  private final Answers answers = new Answers();

  private void keep(long client, long number, long nowMs) {
    answers.forget(client, 0, nowMs);
    answers.keep(client, number, ANSWER);
  }

  @Test
  void keepsAnAnswerUntilTheClientHasIt() {
    keep(1, 10, 0);
    keep(1, 11, 0);
    assertThat(answers.find(1, 10)).isSameAs(ANSWER);
    assertThat(answers.find(2, 10)).isNull();
    assertThat(answers.isAnswered(1, 10)).isFalse();
    answers.forget(1, 11, 0);
    assertThat(answers.find(1, 10)).isNull();
    assertThat(answers.find(1, 11)).isSameAs(ANSWER);
    assertThat(answers.isAnswered(1, 10)).isTrue();
    answers.forget(1, 5, 0);
    assertThat(answers.isAnswered(1, 10)).as("it has not forgotten").isTrue();
  }

  @Test
  void keepsSoManyForAClient() {
    for (int i = 0; i < Answers.MOST_PER_CLIENT; i++) {
      assertThat(answers.isFull(1)).isFalse();
      keep(1, i, 0);
    }
    assertThat(answers.isFull(1)).isTrue();
    assertThat(answers.isFull(2)).isFalse();
    answers.forget(1, 1, 0);
    assertThat(answers.isFull(1)).isFalse();
  }

  @Test
  void forgetsClientsThatAreSilentForTenMinutes() {
    keep(1, 1, 0);
    keep(2, 1, 1);
    keep(3, 1, 2);
    answers.forget(1, 0, 300_000);
    answers.expire(600_001);
    assertThat(answers.clients()).isEqualTo(3);
    answers.expire(600_002);
    assertThat(answers.find(2, 1)).isNull();
    assertThat(answers.clients()).isEqualTo(2);
    answers.expire(900_000);
    assertThat(answers.find(1, 1)).isSameAs(ANSWER);
    assertThat(answers.clients()).isOne();
  }

  @Test
  void isTheSameAfterASnapshot() throws IOException {
    keep(1, 1, 0);
    keep(2, 1, 1);
    keep(2, 2, 1);
    answers.forget(1, 1, 5);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    answers.write(new DataOutputStream(bytes));
    Answers read = Answers.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    assertThat(read.find(2, 2)).containsExactly(ANSWER);
    assertThat(read.isAnswered(1, 0)).isTrue();
    read.expire(600_002);
    assertThat(read.clients()).as("the order in which they were silent").isOne();
    assertThat(read.find(1, 1)).containsExactly(ANSWER);
  }
}
