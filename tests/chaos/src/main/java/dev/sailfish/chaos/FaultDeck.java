package dev.sailfish.chaos;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Kinds of faults, dealt like cards until none is left and then shuffled anew, so that each comes
 * up as often as any other. The same for the same kinds and generator.
 *
 * @param <T> what the faults strike
 */
public final class FaultDeck<T extends Target> {
  private final List<FaultKind<T>> kinds;
  private final SplittableRandom random;
  private final Deque<FaultKind<T>> cards = new ArrayDeque<>();

  /**
   * A deck.
   *
   * @param random drawn from at each deal
   */
  public FaultDeck(Collection<? extends FaultKind<T>> kinds, SplittableRandom random) {
    this.kinds = List.copyOf(kinds);
    this.random = random;
  }

  /**
   * The faults that meet one piece of work, in no order.
   *
   * @throws IllegalArgumentException when no kind goes with those that were dealt
   */
  public List<Fault<T>> deal(int count) {
    List<FaultKind<T>> dealt = new ArrayList<>();
    while (dealt.size() < count) {
      dealt.add(next(dealt));
    }
    return dealt.stream().map(kind -> Fault.of(kind, random)).toList();
  }

  /** The first card that goes together with those of the work; what is passed over stays. */
  private FaultKind<T> next(List<FaultKind<T>> dealt) {
    for (int round = 0; round < 2; round++) {
      for (Iterator<FaultKind<T>> all = cards.iterator(); all.hasNext(); ) {
        FaultKind<T> kind = all.next();
        if (dealt.stream().allMatch(kind::goesWith)) {
          all.remove();
          return kind;
        }
      }
      shuffleIn();
    }
    throw new IllegalArgumentException("no kind of " + kinds + " goes with " + dealt);
  }

  private void shuffleIn() {
    List<FaultKind<T>> fresh = new ArrayList<>(kinds);
    while (!fresh.isEmpty()) {
      cards.add(fresh.remove(random.nextInt(fresh.size())));
    }
  }
}
