package dev.varve.cli;

import org.jspecify.annotations.Nullable;

/** Versions of Java that Varve refuses. */
final class JavaVersion {
  /** The first update of JDK 25 with the fix of JDK-8377811. */
  private static final int FIRST_SAFE_UPDATE = 3;

  private JavaVersion() {}

  /** Returns why Varve refuses a version of Java; null if it does not. */
  static @Nullable String refusal(Runtime.Version version) {
    boolean movesPinnedArrays =
        version.feature() == 25 && version.interim() == 0 && version.update() < FIRST_SAFE_UPDATE;
    return movesPinnedArrays
        ? "Java %s cannot run Varve: G1 may move an array while native code uses it and so corrupt data (JDK-8377811); use 25.0.3 or newer"
            .formatted(version)
        : null;
  }
}
