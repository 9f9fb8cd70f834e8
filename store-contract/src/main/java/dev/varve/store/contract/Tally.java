package dev.varve.store.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How many promises of the contract a store was tried for, kept in a file of its module for the
 * page of the docs.
 */
public final class Tally {
  private final Path file;
  private int kept;
  private int declared;

  Tally(String store) {
    this.file = file(Path.of(""), store);
  }

  /** A promise was kept, or failed as a gap says that it does. */
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
   * What the last run counted.
   *
   * @param kept promises that the store keeps
   * @param declared those that it is declared not to keep, and does not
   */
  public record Counts(int kept, int declared) {
    /**
     * Reads the file of a store.
     *
     * @param module the folder of the module that has the tests of the store
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
