package dev.sailfish.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.SeedExtension;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reducers tell the AM of a loss as often as it needs, and no more often. */
@ExtendWith(SeedExtension.class)
class FetchFailureReportsTest {
  private static final long TENTH_NS = 100_000_000L;
  private static final int MOST_TENTHS = 200;
  private static final int MAP = 7;
  private static final int ATTEMPT = 1;

  /** Counts as the AM's JobImpl does, for one map attempt. */
  private static final class Am {
    private final int notifications;
    private final float fraction;
    private final int shuffling;
    private int failures;
    private boolean acted;

    Am(int notifications, float fraction, int shuffling) {
      this.notifications = notifications;
      this.fraction = fraction;
      this.shuffling = shuffling;
    }

    void hear(int times) {
      for (int i = 0; i < times; i++) {
        failures++;
        float rate = shuffling == 0 ? 1 : (float) failures / shuffling;
        acted |= failures >= notifications && rate >= fraction;
      }
    }
  }

  /** How often each reducer has reported until the AM acted; fails when it never does. */
  private static int[] report(Am am, List<FetchFailureReports> reducers) {
    int[] told = new int[reducers.size()];
    for (FetchFailureReports reducer : reducers) {
      assertThat(reducer.lost(MAP, ATTEMPT, 0)).isTrue();
    }
    for (int tenth = 0; tenth < MOST_TENTHS && !am.acted; tenth++) {
      for (int i = 0; i < told.length && !am.acted; i++) {
        int times = reducers.get(i).due(MAP, ATTEMPT, tenth * TENTH_NS);
        told[i] += times;
        am.hear(times);
      }
    }
    assertThat(am.acted).as("acted after %d failures", am.failures).isTrue();
    return told;
  }

  private static FetchFailureReports reducer(int reduces, int reduce) {
    return FetchFailureReports.of(new Configuration(false), reduces, reduce, false);
  }

  @Test
  void aSmallJobNamesALossThreeTimesAtOnceAndNeverAgain() {
    FetchFailureReports reports = reducer(6, 5);
    assertThat(reports.lost(MAP, ATTEMPT, 0)).isTrue();
    assertThat(reports.due(MAP, ATTEMPT, 0)).isEqualTo(3);
    for (int tenth = 1; tenth < MOST_TENTHS; tenth++) {
      assertThat(reports.due(MAP, ATTEMPT, tenth * TENTH_NS)).isZero();
    }
  }

  @Test
  void aLossIsNewOnce() {
    FetchFailureReports reports = reducer(6, 5);
    assertThat(reports.lost(MAP, 0, 0)).isTrue();
    assertThat(reports.lost(MAP, 0, 0)).isFalse();
    assertThat(reports.lost(MAP, 1, 0)).isTrue();
    assertThat(reports.lost(0, 0, 0)).isTrue();
  }

  @Test
  void lossesOfTheSameMapAreCounted() {
    FetchFailureReports reports = reducer(6, 5);
    assertThat(reports.mostLosses()).isZero();
    for (int attempt = 0; attempt < 3; attempt++) {
      reports.lost(MAP, attempt, 0);
      reports.lost(MAP, attempt, 0);
      reports.lost(MAP + 1 + attempt, 0, 0);
      assertThat(reports.mostLosses()).isEqualTo(1 + attempt);
    }
  }

  @Test
  void oneOfAThousandReducersThatAllShuffleIsHeard() {
    Am am = new Am(3, 0.5f, 1000);
    assertThat(report(am, List.of(reducer(1000, 999)))).containsExactly(500);
  }

  @Test
  void manyReducersThatLoseTheSameShareTheReports() {
    List<FetchFailureReports> reducers = new ArrayList<>();
    for (int reduce = 0; reduce < 1000; reduce++) {
      reducers.add(reducer(1000, reduce));
    }
    Am am = new Am(3, 0.5f, 1000);
    report(am, reducers);
    assertThat(am.failures).isBetween(500, 502);
  }

  /** It may not have heard of the first one, or have been busy with the attempt. */
  @Test
  void sailfishsAmIsToldOnceASecondForAsLongAsTheAttemptCounts() {
    for (int reduces : new int[] {1, 1000}) {
      int told = 0;
      FetchFailureReports reports =
          FetchFailureReports.of(new Configuration(false), reduces, 0, true);
      reports.lost(MAP, ATTEMPT, 0);
      for (int tenth = 0; tenth < MOST_TENTHS; tenth++) {
        told += reports.due(MAP, ATTEMPT, tenth * TENTH_NS);
        assertThat(told).isEqualTo(1 + tenth / 10);
      }
    }
  }

  @Test
  void theJobsOwnThresholdsCount() {
    Configuration conf = new Configuration(false);
    conf.setInt(MRJobConfig.MAX_FETCH_FAILURES_NOTIFICATIONS, 1);
    conf.setFloat(MRJobConfig.MAX_ALLOWED_FETCH_FAILURES_FRACTION, 0.1f);
    FetchFailureReports reports = FetchFailureReports.of(conf, 10, 0, false);
    reports.lost(MAP, ATTEMPT, 0);
    assertThat(reports.due(MAP, ATTEMPT, 0)).isEqualTo(1);
    assertThat(reports.due(MAP, ATTEMPT, 99 * TENTH_NS)).isZero();
  }

  @RepeatedTest(200)
  void theAmActsWhicheverReduceNoticesAndHoweverManyShuffle(SplittableRandom random) {
    int reduces = random.nextInt(1, 2000);
    int notifications = random.nextInt(0, 6);
    float fraction = random.nextInt(11) / 10f;
    int shuffling = random.nextInt(reduces + 1);
    List<FetchFailureReports> noticing = new ArrayList<>();
    int count = random.nextInt(1, Math.min(20, reduces) + 1);
    for (int i = 0; i < count; i++) {
      int reduce = random.nextInt(reduces);
      noticing.add(new FetchFailureReports(notifications, fraction, reduces, reduce, false));
    }
    int needed = (int) Math.max(Math.max(1, notifications), Math.ceil(fraction * reduces) + 1);
    assertThat(Arrays.stream(report(new Am(notifications, fraction, shuffling), noticing)))
        .allMatch(times -> times <= needed);
  }
}
