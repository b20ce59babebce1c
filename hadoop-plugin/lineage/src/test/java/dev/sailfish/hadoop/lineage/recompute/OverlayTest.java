package dev.sailfish.hadoop.lineage.recompute;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import org.junit.jupiter.api.Test;

class OverlayTest {
  private final Overlay overlay = new Overlay();

  private static Overlay.Written file() {
    return new Overlay.Written(new WrittenOutput(OutputStream.nullOutputStream(), 0, 0));
  }

  private static Overlay.Stored stored(String path) {
    return new Overlay.Stored(path);
  }

  @Test
  void whatNobodyHasTouchedIsTheStores() {
    assertThat(overlay.at("/")).isEqualTo(stored("/"));
    assertThat(overlay.at("/a/b")).isEqualTo(stored("/a/b"));
    assertThat(overlay.in("/a")).isEmpty();
  }

  @Test
  void belowWhatWasMadeTheStoreIsNotSeen() {
    Overlay.Made made = new Overlay.Made(1);
    overlay.put("/a", made);
    Overlay.Written file = file();
    overlay.put("/a/f", file);
    assertThat(overlay.at("/a")).isEqualTo(made);
    assertThat(overlay.at("/a/f")).isEqualTo(file);
    assertThat(overlay.at("/a/g")).isEqualTo(new Overlay.Gone());
    assertThat(overlay.at("/ab")).isEqualTo(stored("/ab"));
    assertThat(overlay.in("/a")).containsOnlyKeys("f");
    assertThat(overlay.in("/")).containsOnlyKeys("a");
  }

  @Test
  void whatWasRemovedIsGoneWithAllBelowIt() {
    overlay.put("/a/b/f", file());
    overlay.remove("/a/b");
    assertThat(overlay.at("/a/b/f")).isEqualTo(new Overlay.Gone());
    assertThat(overlay.at("/a/c")).isEqualTo(stored("/a/c"));
    overlay.put("/a/b", new Overlay.Made(1));
    assertThat(overlay.at("/a/b/f")).isEqualTo(new Overlay.Gone());
  }

  @Test
  void aMoveTakesAlongWhatWasMadeMovedAndDeletedBelow() {
    overlay.put("/t", new Overlay.Made(1));
    Overlay.Written file = file();
    overlay.put("/t/f", file);
    overlay.put("/t/d", new Overlay.Made(2));
    overlay.put("/t/d/g", file);
    overlay.move("/t", "/out");
    assertThat(overlay.at("/t/f")).isEqualTo(new Overlay.Gone());
    assertThat(overlay.at("/out/f")).isEqualTo(file);
    assertThat(overlay.at("/out/d/g")).isEqualTo(file);
    assertThat(overlay.in("/out")).containsOnlyKeys("d", "f");
    assertThat(overlay.in("/")).containsOnlyKeys("out", "t");
  }

  @Test
  void whatTheStoreHasIsSeenWhereItWasMovedTo() {
    overlay.remove("/a/x");
    overlay.move("/a", "/b");
    assertThat(overlay.at("/a")).isEqualTo(new Overlay.Gone());
    assertThat(overlay.at("/b")).isEqualTo(stored("/a"));
    assertThat(overlay.at("/b/y/z")).isEqualTo(stored("/a/y/z"));
    assertThat(overlay.at("/b/x")).isEqualTo(new Overlay.Gone());
    overlay.move("/b", "/c");
    assertThat(overlay.at("/c/y")).isEqualTo(stored("/a/y"));
    assertThat(overlay.at("/b/y")).isEqualTo(new Overlay.Gone());
  }

  @Test
  void aMoveReplacesWhatWasThere() {
    overlay.put("/a", file());
    Overlay.Written other = file();
    overlay.put("/b", new Overlay.Made(1));
    overlay.put("/b/old", file());
    overlay.put("/c", other);
    overlay.move("/c", "/b");
    assertThat(overlay.at("/b")).isEqualTo(other);
    assertThat(overlay.in("/b")).isEmpty();
  }
}
