package dev.varve.store.rocksdb;

import dev.varve.store.rocksdb.SstIndex.Block;
import dev.varve.store.rocksdb.wal.Inventory;
import dev.varve.store.rocksdb.wal.Manifest.TableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The table files that make up a database: those in its MANIFEST; if that is unreadable, those in
 * use at the last clean stop; otherwise all that exist.
 */
final class TableSet {
  private final Path directory;
  private final List<SstFile> readable = new ArrayList<>();
  private final List<LostKeys> lost = new ArrayList<>();
  private final SortedMap<Long, Path> files = new TreeMap<>();
  private long bytes;

  TableSet(Path directory, Inventory inventory) throws IOException {
    this.directory = directory;
    if (inventory.manifest().whole()) {
      for (TableFile file : inventory.manifest().files().values()) {
        open(file.number(), file.size(), file);
      }
      return;
    }
    SortedMap<Long, Long> stopped = inventory.tablesAtStop();
    if (!stopped.isEmpty()) {
      for (Map.Entry<Long, Long> file : stopped.entrySet()) {
        open(file.getKey(), file.getValue(), null);
      }
      return;
    }
    try (Stream<Path> all = Files.list(directory)) {
      for (Path file : all.sorted().toList()) {
        String name = String.valueOf(file.getFileName());
        if (name.matches("\\d{1,18}\\.sst")) {
          open(Long.parseLong(name.substring(0, name.length() - 4)), -1, null);
        }
      }
    }
  }

  private void open(long number, long size, @Nullable TableFile known) {
    Path path = directory.resolve("%06d.sst".formatted(number));
    files.put(number, path);
    if (!Files.exists(path)) {
      lose(path, 0, known, "it is missing");
      return;
    }
    try {
      long found = Files.size(path);
      bytes += found;
      if (size >= 0 && found != size) {
        lose(path, found, known, "it has %,d bytes instead of %,d".formatted(found, size));
        return;
      }
      readable.add(new SstFile(path, known));
    } catch (IOException e) {
      lose(path, size, known, String.valueOf(e.getMessage()));
    }
  }

  private void lose(Path path, long size, @Nullable TableFile known, String reason) {
    lost.add(
        new LostKeys(
            path,
            -1,
            Math.max(0, size),
            known == null ? -1 : known.family(),
            known == null ? null : known.smallest(),
            known == null ? null : known.end(),
            reason));
  }

  /** Returns the files that can be read, except for damaged blocks. */
  List<SstFile> readable() {
    return readable;
  }

  /** Returns the files that cannot be read at all. */
  List<LostKeys> lost() {
    return lost;
  }

  /** Returns the size of all files in bytes. */
  long bytes() {
    return bytes;
  }

  /** Reads every block of a file and returns the damaged ranges of keys. */
  static List<LostKeys> damaged(SstFile file) {
    List<LostKeys> damaged = new ArrayList<>();
    for (Block block : file.blocks()) {
      try {
        file.read(block);
      } catch (IOException e) {
        damaged.add(SstMerge.lost(file, block, e));
      }
    }
    try {
      file.rangeDeletes();
    } catch (IOException e) {
      damaged.add(
          new LostKeys(
              file.path(),
              -1,
              0,
              file.family(),
              null,
              null,
              "its range deletes: " + e.getMessage()));
    }
    return damaged;
  }
}
