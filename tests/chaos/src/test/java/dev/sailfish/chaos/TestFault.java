package dev.sailfish.chaos;

import java.util.List;

/** Kinds of faults of a {@link TestTarget}. */
enum TestFault implements FaultKind<TestTarget> {
  FIRST(TestMoment.STARTED),
  SECOND(TestMoment.STARTED, TestMoment.HALF),
  ONCE(TestMoment.HALF),
  BEFORE(TestMoment.BEFORE);

  private final List<Moment> moments;

  TestFault(Moment... moments) {
    this.moments = List.of(moments);
  }

  /** What is seen of the work. */
  enum TestMoment implements Moment {
    BEFORE,
    STARTED,
    HALF;

    @Override
    public boolean isBefore() {
      return this == BEFORE;
    }
  }

  /** The work may fail when the fault was {@link #ONCE}, and says so. */
  enum TestExpectation implements Expectation {
    SUCCEEDS,
    MAY_FAIL;

    @Override
    public boolean allowsFailure(String diagnostics) {
      return this == MAY_FAIL && diagnostics.contains("once");
    }
  }

  @Override
  public Expectation expectation() {
    return this == ONCE ? TestExpectation.MAY_FAIL : TestExpectation.SUCCEEDS;
  }

  @Override
  public List<Moment> moments() {
    return moments;
  }

  @Override
  public boolean goesWith(FaultKind<TestTarget> other) {
    return this != ONCE || other != ONCE;
  }

  @Override
  public Strike<TestTarget> strike() {
    return (target, course) -> target.hit(this, course);
  }
}
