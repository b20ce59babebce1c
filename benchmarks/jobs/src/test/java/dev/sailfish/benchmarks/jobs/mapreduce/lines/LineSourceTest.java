package dev.sailfish.benchmarks.jobs.mapreduce.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Seeded
class LineSourceTest {
  private static final double SCALE = 0.01;
  private static final int SAMPLE = 500;
  private static final double MB = 1e6;

  private static String text(LineSource source, long index) {
    Line line = new Line(source.longest());
    source.write(index, line);
    return new String(line.bytes(), 0, line.length(), StandardCharsets.US_ASCII);
  }

  @ParameterizedTest
  @EnumSource(PaperJob.class)
  void linesAreFieldsOfPrintableTextAndHaveTheirLength(
      PaperJob job, Seed seed, SplittableRandom random) {
    LineSource source = job.source(SCALE, seed.value());
    for (int i = 0; i < SAMPLE; i++) {
      long index = random.nextLong(source.records());
      assertThat(text(source, index))
          .hasSize(source.lineBytes(index))
          .matches("([ -~]+\t){2,}[ -~]+")
          .contains("\t");
    }
  }

  @ParameterizedTest
  @EnumSource(PaperJob.class)
  void aLineFollowsFromIndexAndSeed(PaperJob job, Seed seed, SplittableRandom random) {
    LineSource source = job.source(SCALE, seed.value());
    LineSource again = job.source(SCALE, seed.value());
    LineSource other = job.source(SCALE, seed.value() + 1);
    for (int i = 0; i < SAMPLE; i++) {
      long index = random.nextLong(source.records());
      assertThat(text(source, index)).isEqualTo(text(again, index));
      assertThat(text(source, index)).isNotEqualTo(text(other, index));
    }
  }

  @ParameterizedTest
  @EnumSource(PaperJob.class)
  void splitsAreTheWholeInput(PaperJob job, Seed seed) {
    LineSource source = job.source(SCALE, seed.value());
    long[] splits = source.splits();
    assertThat(splits).hasSize(job.maps());
    double bytes = 0;
    long first = 0;
    for (long lines : splits) {
      assertThat(source.lineBytes(first)).isEqualTo(source.lineBytes(first + lines - 1));
      bytes += lines * (double) source.lineBytes(first);
      first += lines;
    }
    assertThat(bytes).isCloseTo(job.inputMb(1) * MB * SCALE, within(1_000.0));
    assertThat(source.results()).isBetween(1L, GeoLines.LEVELS * source.records());
  }

  @Test
  void oneMapOfLogProcHasElevenTimesTheMean(Seed seed) {
    long[] splits = PaperJob.LOG_PROC.source(SCALE, seed.value()).splits();
    double mean = (double) Arrays.stream(splits).sum() / splits.length;
    assertThat(splits[0] / mean).isCloseTo(11, within(0.01));
    assertThat(Arrays.stream(splits).skip(1).max().orElseThrow() / mean).isLessThan(0.5);
  }

  @Test
  void halfOfTheMapsOfNdayModelHaveTwentyTwoTimesTheBytes(Seed seed) {
    LineSource source = PaperJob.NDAY_MODEL.source(SCALE, seed.value());
    long[] splits = source.splits();
    double heavy = splits[0] * (double) source.lineBytes(0);
    double light = splits[splits.length - 1] * (double) source.lineBytes(source.records() - 1);
    assertThat(heavy / light).isCloseTo(10_000.0 / 450, within(0.3));
    assertThat(splits[splits.length / 2 - 1]).isCloseTo(splits[0], within(1L));
  }

  @Test
  void eachUserOfOneDayHasAModelOverDaysAndNoneHasTwo(Seed seed) {
    LineSource source = PaperJob.NDAY_MODEL.source(SCALE, seed.value());
    Set<String> overDays = new HashSet<>();
    Set<String> ofOneDay = new HashSet<>();
    for (long i = 0; i < source.records(); i++) {
      String[] fields = text(source, i).split("\t");
      assertThat((fields[1].equals("nday") ? overDays : ofOneDay).add(fields[0])).isTrue();
    }
    assertThat(overDays).containsAll(ofOneDay);
    assertThat(ofOneDay).hasSize((int) source.results());
  }

  @Test
  void aClickedAdWasSeen(Seed seed) {
    LineSource source = PaperJob.CLICK_ATTRIBUTION.source(SCALE, seed.value());
    Set<String> seen = new HashSet<>();
    long clicks = 0;
    for (long i = 0; i < source.records(); i++) {
      String[] fields = text(source, i).split("\t");
      String pair = fields[2] + fields[3];
      if (fields[1].equals("view")) {
        seen.add(pair);
      } else if (fields[4].equals("person")) {
        clicks++;
        assertThat(seen).contains(pair);
      }
    }
    assertThat(clicks).isEqualTo(source.results());
  }

  @Test
  void everyScaleFromTheLeastOnHasWork(Seed seed) {
    for (PaperJob job : PaperJob.values()) {
      LineSource source = job.source(0.001, seed.value());
      assertThat(source.splits()).as(job.title()).doesNotContain(0);
      assertThat(source.results()).as(job.title()).isPositive();
    }
  }
}
