package dev.sailfish.blockstore;

import dev.sailfish.blockstore.file.PageMaker;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Makes the files of a directory's {@link WarmStock}, some pages at a time. A file is in nobody's
 * hands while its pages are touched, and counts as used; else it is in the stock, finished or not.
 */
final class StockFiller {
  /** Touched at once, in bytes: some milliseconds, also when the host has to give the pages. */
  private static final long STEP = 4L << 20;

  private final StoreDirectory directory;
  private final SpaceLedger ledger;
  private final WarmStock stock;

  StockFiller(StoreDirectory directory, SpaceLedger ledger, WarmStock stock) {
    this.directory = directory;
    this.ledger = ledger;
    this.stock = stock;
  }

  /**
   * Makes some pages, as long as much else is free. By one thread at a time.
   *
   * @return how many bytes; 0 when there are enough
   */
  long step() throws IOException {
    BackingFile file;
    WarmStock.Shape shape;
    long from;
    long to;
    synchronized (directory) {
      long room = directory.roomAhead();
      file = room > 0 ? next() : null;
      if (file == null) {
        return 0;
      }
      shape = stock.shape(file);
      stock.remove(file);
      from = file.warm;
      to = Math.min(shape.bytes(), from + Math.min(STEP, room));
      ledger.set(file, to, from);
    }
    boolean touched = false;
    try {
      touch(file, from, to);
      touched = true;
    } finally {
      end(file, shape, touched ? to : 0);
    }
    return to - from;
  }

  /**
   * Other threads get a chance to run after each piece. Else a request would wait for its processor
   * until the kernel looks at it again, up to 4 ms.
   */
  private static void touch(BackingFile file, long from, long to) throws IOException {
    file.lengthen(to);
    try (PageMaker pages = file.pages()) {
      for (long at = from; at < to; at = pages.make(at, to)) {
        Thread.yield();
      }
    }
  }

  private BackingFile next() throws IOException {
    BackingFile file = stock.unfinished();
    WarmStock.Shape missing = file == null ? stock.missing() : null;
    if (file == null && missing == null) {
      stock.complete();
    }
    if (missing != null) {
      BackingFile surplus = stock.surplus(missing);
      if (surplus != null) {
        stock.remove(surplus);
        directory.discard(surplus);
      }
      Path free = directory.path().resolve(BackingFile.nextFreeName());
      file = BackingFile.create(directory, free, missing.capacity());
      stock.add(file, missing);
    }
    return file;
  }

  private void end(BackingFile file, WarmStock.Shape shape, long warm) throws IOException {
    synchronized (directory) {
      if (warm == 0) {
        directory.discard(file);
      } else {
        directory.madeAhead(file, warm);
        stock.add(file, shape);
      }
    }
  }
}
