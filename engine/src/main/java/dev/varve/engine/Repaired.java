package dev.varve.engine;

import java.nio.file.Path;
import java.util.List;

/**
 * What a repair has come to.
 *
 * @param damages how many places were damaged
 * @param sound whether everything that is left can be read
 * @param kept the folders that hold the damaged files
 */
public record Repaired(long damages, boolean sound, List<Path> kept) {
  public Repaired {
    kept = List.copyOf(kept);
  }
}
