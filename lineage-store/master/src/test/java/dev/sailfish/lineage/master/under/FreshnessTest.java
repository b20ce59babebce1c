package dev.sailfish.lineage.master.under;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FreshnessTest {
  private static final long PERIOD = 100;

  private final Freshness freshness = new Freshness();

  @Test
  void aPathIsFreshForAPeriod() {
    assertThat(freshness.isEntryFresh("/a", 0, PERIOD)).isFalse();
    freshness.entry("/a", 10);
    assertThat(freshness.isEntryFresh("/a", 109, PERIOD)).isTrue();
    assertThat(freshness.isEntryFresh("/a", 110, PERIOD)).isFalse();
    assertThat(freshness.isEntryFresh("/a", 10, 0)).isFalse();
    assertThat(freshness.isEntryFresh("/b", 10, PERIOD)).isFalse();
    assertThat(freshness.areEntriesFresh("/a", 10, PERIOD)).isFalse();
  }

  @Test
  void whoHasListedADirectoryKnowsItsEntries() {
    freshness.entries("/a", 10);
    assertThat(freshness.areEntriesFresh("/a", 20, PERIOD)).isTrue();
    assertThat(freshness.isEntryFresh("/a/b", 20, PERIOD)).isTrue();
    assertThat(freshness.isEntryFresh("/a/b/c", 20, PERIOD)).isFalse();
    freshness.entries("/", 10);
    assertThat(freshness.isEntryFresh("/z", 20, PERIOD)).isTrue();
  }

  @Test
  void forgetsAPathAllBelowItAndItsDirectory() {
    freshness.entries("/a", 10);
    freshness.entry("/a/b", 10);
    freshness.entry("/a/b/c", 10);
    freshness.entries("/a/b", 10);
    freshness.entry("/x", 10);
    freshness.forget("/a/b");
    assertThat(freshness.isEntryFresh("/a/b", 20, PERIOD)).isFalse();
    assertThat(freshness.isEntryFresh("/a/b/c", 20, PERIOD)).isFalse();
    assertThat(freshness.areEntriesFresh("/a", 20, PERIOD)).isFalse();
    assertThat(freshness.isEntryFresh("/x", 20, PERIOD)).isTrue();
  }

  @Test
  void isBounded() {
    for (int i = 0; i <= 100_000; i++) {
      freshness.entry("/" + i, 10);
    }
    assertThat(freshness.isEntryFresh("/0", 20, PERIOD)).isFalse();
    assertThat(freshness.isEntryFresh("/100000", 20, PERIOD)).isTrue();
  }
}
