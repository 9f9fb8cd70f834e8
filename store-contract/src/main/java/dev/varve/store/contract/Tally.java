package dev.varve.store.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Counts the promises of the contract that were tested on a store, and writes them to a file of its
 * module for the docs page.
 */
public final class Tally {
  private final Path file;
  private int kept;
  private int declared;

  Tally(String store) {
    this.file = file(Path.of(""), store);
  }

  /** Counts a promise that was kept, or that failed as declared in a gap. */
  synchronized void passed(boolean gap) {
    if (gap) {
      declared++;
    } else {
      kept++;
    }
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, kept + "\n" + declared + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The counts of the last run.
   *
   * @param kept promises that the store keeps
   * @param declared promises that the store breaks, as declared
   */
  public record Counts(int kept, int declared) {
    /**
     * Reads the counts of a store.
     *
     * @param module directory of the module that contains the store's tests
     */
    public static Counts read(Path module, String store) throws IOException {
      List<String> lines = Files.readAllLines(file(module, store));
      return new Counts(Integer.parseInt(lines.get(0)), Integer.parseInt(lines.get(1)));
    }
  }

  private static Path file(Path module, String store) {
    return module.resolve("target").resolve("contract").resolve(store);
  }
}
