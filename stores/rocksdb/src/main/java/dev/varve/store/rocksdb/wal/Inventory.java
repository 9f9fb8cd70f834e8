package dev.varve.store.rocksdb.wal;

import dev.varve.store.rocksdb.wal.StateFile.State;
import dev.varve.store.rocksdb.wal.StateFile.Stopped;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of a database that may be damaged.
 *
 * @param manifest the one that CURRENT names; if CURRENT is damaged, the newest readable one
 * @param currentProblem what is wrong with CURRENT; null if nothing is
 * @param manifestProblem what is wrong with the MANIFEST; null if nothing is
 * @param tablesAtStop lengths of the table files in use at the last clean stop, by number; empty if
 *     there was none, or the database has been opened since
 */
public record Inventory(
    Manifest manifest,
    @Nullable String currentProblem,
    @Nullable String manifestProblem,
    SortedMap<Long, Long> tablesAtStop) {
  /**
   * Reads the inventory.
   *
   * @throws IOException if a file of the directory cannot be read
   */
  public static Inventory of(Path directory) throws IOException {
    State state = StateFile.read(directory);
    List<String> manifests = manifests(directory);
    String newest = manifests.isEmpty() ? "" : manifests.getFirst();
    Stopped stopped =
        state instanceof Stopped stop && newest.compareTo(stop.manifest()) <= 0 ? stop : null;
    Manifest manifest = Manifest.of(directory);
    String current = null;
    if (manifest.name().isEmpty() || !manifests.contains(manifest.name())) {
      current =
          Files.exists(directory.resolve("CURRENT"))
              ? "%s does not name an existing MANIFEST".formatted(directory.resolve("CURRENT"))
              : "%s is missing".formatted(directory.resolve("CURRENT"));
      for (String name : manifests) {
        manifest = Manifest.of(directory, name);
        if (manifest.whole()) {
          break;
        }
      }
    }
    String problem = problem(directory, manifest, stopped);
    return new Inventory(
        problem == null ? manifest : manifest.damaged(problem),
        current,
        problem,
        stopped == null ? new TreeMap<>() : stopped.tables());
  }

  /** Returns the names of the MANIFEST files, newest first. */
  private static List<String> manifests(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(name -> name.matches("MANIFEST-\\d+"))
          .sorted(Comparator.reverseOrder())
          .toList();
    }
  }

  private static @Nullable String problem(
      Path directory, Manifest manifest, @Nullable Stopped stopped) throws IOException {
    Path file = directory.resolve(manifest.name());
    if (manifest.name().isEmpty() || !Files.exists(file)) {
      return "the MANIFEST is missing";
    }
    if (!manifest.whole()) {
      return "%s cannot be read to its end".formatted(file);
    }
    if (stopped == null
        || !stopped.manifest().equals(manifest.name())
        || stopped.manifestChecksum().isEmpty()) {
      return null;
    }
    return stopped.manifestChecksum().equals(StateFile.checksum(Files.readAllBytes(file)))
        ? null
        : "%s is not what it was when the database was closed".formatted(file);
  }

  /**
   * Makes CURRENT name a MANIFEST, durably.
   *
   * @param manifest the name of the file
   * @throws IOException if it cannot be written; CURRENT is unchanged then
   */
  public static void writeCurrent(Path directory, String manifest) throws IOException {
    Path draft = directory.resolve("CURRENT.varve");
    try (FileChannel channel =
        FileChannel.open(
            draft,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      channel.write(StandardCharsets.US_ASCII.encode(manifest + "\n"));
      channel.force(true);
    }
    Files.move(draft, directory.resolve("CURRENT"), StandardCopyOption.ATOMIC_MOVE);
    LogFiles.sync(directory);
  }
}
