package dev.sailfish.simulator;

import java.util.SplittableRandom;

/**
 * How bad the network is in one schedule.
 *
 * @param slowestNs longest time of a piece on its way, but for stalls
 * @param stall how likely a piece takes seconds
 * @param cut how likely a piece breaks its connection
 * @param lose how likely a piece and all behind it vanish, and nobody is told
 * @param refuse how likely a connection is refused
 * @param outBytes what a connection takes from a client before it has delivered any
 */
public record Weather(
    long slowestNs, double stall, double cut, double lose, double refuse, int outBytes) {
  private static final long MILLI = 1_000_000;

  /** Nothing goes wrong. */
  public static Weather fair(SplittableRandom random) {
    return new Weather((1 + random.nextInt(20)) * MILLI, 0, 0, 0, 0, outBytes(random));
  }

  /** Any of the faults may happen, none, or all. */
  public static Weather foul(SplittableRandom random) {
    return new Weather(
        (1 + random.nextInt(100)) * MILLI,
        rare(random, 0.02),
        rare(random, 0.02),
        rare(random, 0.005),
        rare(random, 0.2),
        outBytes(random));
  }

  /** Often less than a block, so that blocks take their time to arrive. */
  private static int outBytes(SplittableRandom random) {
    return 100 + random.nextInt(random.nextBoolean() ? 700 : 20_000);
  }

  private static double rare(SplittableRandom random, double most) {
    return random.nextBoolean() ? 0 : most * random.nextDouble();
  }

  /** The same latency without faults. */
  public Weather calmed() {
    return new Weather(slowestNs, 0, 0, 0, 0, outBytes);
  }
}
