package dev.sailfish.blockstore.file;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Functions of the C library of Linux that Java does not have, with numbers of its headers. */
final class CLibrary {
  private static final Logger LOG = LoggerFactory.getLogger(CLibrary.class);

  /** Whether they can be called. */
  static final boolean IS_LOADED = isLoaded();

  static final int READ_WRITE = 2;
  static final int CLOSE_ON_EXEC = 0x80000;
  static final int READ = 1;
  static final int SHARED = 1;
  static final int PRIVATE = 2;
  static final int FIXED = 0x10;
  static final int ANONYMOUS = 0x20;
  static final int NO_RESERVE = 0x4000;
  static final int COLLAPSE = 25;
  static final int INTERRUPTED = 4;
  static final int NO_SPACE = 28;
  static final int NO_QUOTA = 122;

  private CLibrary() {}

  private static boolean isLoaded() {
    try {
      boolean isKnown = Platform.isLinux() && Platform.is64Bit();
      if (isKnown) {
        Native.register(CLibrary.class, Platform.C_LIBRARY_NAME);
      }
      return isKnown;
    } catch (LinkageError e) {
      LOG.warn("pages are made by writing zeros, which takes longer: no native library: {}", e, e);
      return false;
    }
  }

  static native int open(String path, int flags) throws LastErrorException;

  static native int fallocate(int descriptor, int mode, long offset, long length)
      throws LastErrorException;

  static native long mmap(
      long address, long length, int protection, int flags, int descriptor, long offset)
      throws LastErrorException;

  static native int madvise(long address, long length, int advice) throws LastErrorException;

  static native int munmap(long address, long length) throws LastErrorException;

  static native int close(int descriptor) throws LastErrorException;
}
