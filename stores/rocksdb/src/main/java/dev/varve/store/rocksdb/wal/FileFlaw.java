package dev.varve.store.rocksdb.wal;

import dev.varve.store.StoreDamage;
import dev.varve.store.StoreDamage.Kind;
import dev.varve.store.StoreDamage.Outcome;
import dev.varve.store.rocksdb.wal.Manifest.TableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What keeps a database from being opened although its logs may be whole.
 *
 * @param kind of the file
 * @param file that is damaged or missing
 * @param offset of the first bad byte; -1 where it is unknown
 * @param text a clause that names the file
 */
record FileFlaw(Kind kind, Path file, long offset, String text) {
  /**
   * Looks at CURRENT, at the MANIFEST, and at the names and sizes of the table files.
   *
   * @param length that the MANIFEST had when it was noted, in bytes; 0 where that is unknown
   * @param stopped whether that was at a clean stop, and nobody has opened the database since
   * @param checksum of the MANIFEST at that stop; empty where there is none
   * @return the first flaw; null where there is none
   * @throws IOException if the directory cannot be read
   */
  static @Nullable FileFlaw find(
      Path directory, Manifest manifest, long length, boolean stopped, String checksum)
      throws IOException {
    Path current = directory.resolve("CURRENT");
    String named = Files.readString(current, StandardCharsets.ISO_8859_1);
    if (!named.matches("MANIFEST-\\d+\n")) {
      return other(current, "%s is damaged: it names no MANIFEST".formatted(current));
    }
    Path file = directory.resolve(manifest.name());
    if (!Files.exists(file)) {
      return other(file, "%s is missing, which CURRENT names".formatted(file));
    }
    long found = Files.size(file);
    if (found < length || (stopped && length > 0 && found > length)) {
      return other(
          file,
          "%s has %,d bytes, and had %,d when the database was %s"
              .formatted(file, found, length, stopped ? "closed" : "open"));
    }
    Manifest.Flaw flaw = manifest.flaw();
    // A crash may cut the last edit short, which had not taken effect then.
    if (flaw != null
        && (stopped
            || flaw.offset() < length
            || !flaw.isTail()
            || hasUnknownTables(directory, manifest))) {
      return new FileFlaw(
          Kind.OTHER,
          file,
          flaw.offset(),
          "%s is damaged at byte %,d: %s".formatted(file, flaw.offset(), flaw.reason()));
    }
    if (!checksum.isEmpty() && !checksum.equals(StateFile.checksum(Files.readAllBytes(file)))) {
      return other(file, "%s is not what it was when the database was closed".formatted(file));
    }
    return table(directory, manifest);
  }

  /** RocksDB would drop the last edit, and then delete the table files that it has added. */
  private static boolean hasUnknownTables(Path directory, Manifest manifest) throws IOException {
    try (DirectoryStream<Path> tables = Files.newDirectoryStream(directory, "*.sst")) {
      for (Path table : tables) {
        String name = String.valueOf(table.getFileName());
        if (manifest.files().values().stream().noneMatch(file -> file.name().equals(name))) {
          return true;
        }
      }
    }
    return false;
  }

  private static @Nullable FileFlaw table(Path directory, Manifest manifest) throws IOException {
    for (TableFile table : manifest.files().values()) {
      Path file = directory.resolve(table.name());
      if (!Files.exists(file)) {
        return new FileFlaw(Kind.TABLE_FILE, file, -1, "table file %s is missing".formatted(file));
      }
      if (Files.size(file) != table.size()) {
        return new FileFlaw(
            Kind.TABLE_FILE,
            file,
            -1,
            "table file %s has %,d bytes, and had %,d when it was written"
                .formatted(file, Files.size(file), table.size()));
      }
    }
    return null;
  }

  private static FileFlaw other(Path file, String text) {
    return new FileFlaw(Kind.OTHER, file, -1, text);
  }

  /** The same for the operator. */
  StoreDamage damage(Instant found) {
    return new StoreDamage(
        kind, Outcome.IN_PLACE, file.toString(), offset, 0, -1, null, null, null, found, text);
  }
}
