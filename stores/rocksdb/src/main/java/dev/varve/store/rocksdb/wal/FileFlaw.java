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
 * A reason other than a damaged log why a database cannot be opened.
 *
 * @param kind kind of the file
 * @param file the damaged or missing file
 * @param offset offset of the first bad byte; -1 if unknown
 * @param text a clause that names the file
 */
record FileFlaw(Kind kind, Path file, long offset, String text) {
  /**
   * Checks CURRENT, the MANIFEST, and the names and sizes of the table files.
   *
   * @param length the recorded length of the MANIFEST in bytes; 0 if unknown
   * @param stopped whether that was at a clean stop, and the database has not been opened since
   * @param checksum checksum of the MANIFEST at that stop; empty if there is none
   * @return the first flaw; null if there is none
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
    // A crash may truncate the last edit, which then had not taken effect.
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

  /** RocksDB would drop the last edit and then delete the table files that it added. */
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

  /** Returns this flaw as a report for the operator. */
  StoreDamage damage(Instant found) {
    return new StoreDamage(
        kind, Outcome.IN_PLACE, file.toString(), offset, 0, -1, null, null, null, found, text);
  }
}
