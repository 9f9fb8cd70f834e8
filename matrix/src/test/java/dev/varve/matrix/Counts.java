package dev.varve.matrix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;

/**
 * Counts the promises that each layout has kept on a store, in a file for the documentation page.
 */
final class Counts {
  private static final Path FOLDER = Path.of("target", "matrix");

  private final String store;
  private final Map<String, Integer> passed = new ConcurrentSkipListMap<>();

  Counts(String store) {
    this.store = store;
  }

  /** Counts a promise that a layout has kept, regardless of the number of tries. */
  void passed(String layout) {
    passed.merge(layout, 1, Integer::sum);
  }

  void write() {
    String lines =
        passed.entrySet().stream()
            .map(entry -> entry.getKey() + "\t" + entry.getValue() + "\n")
            .collect(Collectors.joining());
    try {
      Files.createDirectories(FOLDER);
      Files.writeString(file(store), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads the counts of this build's tests on a store. */
  static Map<String, Integer> read(String store) throws IOException {
    Map<String, Integer> counts = new TreeMap<>();
    for (String line : Files.readAllLines(file(store))) {
      String[] parts = line.split("\t", -1);
      counts.put(parts[0], Integer.valueOf(parts[1]));
    }
    return counts;
  }

  private static Path file(String store) {
    return FOLDER.resolve(store + ".tsv");
  }
}
