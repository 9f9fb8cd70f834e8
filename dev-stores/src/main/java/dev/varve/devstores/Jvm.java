package dev.varve.devstores;

import java.util.List;

/** The set-up of the Java of a store or an original server. */
public enum Jvm {
  /** Starts fast and takes little, for tests. */
  SMALL,

  /** Compiles and collects as in production, with a heap of 1 GiB, for measurements. */
  FULL;

  /**
   * Returns the options.
   *
   * @param small the options of {@link #SMALL} that concern memory
   */
  List<String> options(List<String> small) {
    return switch (this) {
      case SMALL -> small;
      case FULL -> List.of("-Xms1g", "-Xmx1g");
    };
  }
}
