package dev.varve.engine;

import java.nio.file.Path;
import java.util.List;

/**
 * The result of a repair.
 *
 * @param damages number of findings of damage
 * @param sound whether all remaining data can be read
 * @param kept the folders with the damaged files
 */
public record Repaired(long damages, boolean sound, List<Path> kept) {
  public Repaired {
    kept = List.copyOf(kept);
  }
}
