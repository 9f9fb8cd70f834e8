package dev.varve.store.rocksdb;

import dev.varve.store.FileCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;

/** Reads all table files of a store completely and finds their damaged blocks. */
final class TableFiles {
  /*
   * Files appear and disappear while the store is in use. When a compaction replaces a file, it
   * reads the old one and verifies its checksums. The new files are checked with the next list, as
   * long as lists still name files that existed when the check began or that replaced them soon
   * after.
   */
  private static final int LISTS_MAX = 3;
  private static final Pattern OFFSET = Pattern.compile("\\.sst offset (\\d+)");

  private final Path directory;
  private final NativeGate gate;
  private final Database database;

  TableFiles(Path directory, NativeGate gate, Database database) {
    this.directory = directory;
    this.gate = gate;
    this.database = database;
  }

  /**
   * Checks all files.
   *
   * @param damaged receives RocksDB's description of each damaged place, with file and offset
   */
  void check(FileCheck check, Consumer<String> damaged) {
    Set<String> checked = new TreeSet<>();
    for (int list = 0; list < LISTS_MAX; list++) {
      List<LiveFileMetaData> files = gate.call(database::tableFiles);
      boolean anew = false;
      for (LiveFileMetaData file : files) {
        if (checked.add(file.fileName())) {
          anew = true;
          check.reading(file.fileName().substring(1), file.size());
          damages(file).forEach(damaged);
        }
      }
      if (!anew) {
        return;
      }
    }
  }

  private List<String> damages(LiveFileMetaData file) {
    Path path = directory.resolve(file.fileName().substring(1));
    List<String> damages = gate.call(() -> damages(path, file.size()));
    // If the file has been replaced since, other files contain its cells.
    return damages.isEmpty() || isLive(file) ? damages : List.of();
  }

  private boolean isLive(LiveFileMetaData file) {
    return gate.call(database::tableFiles).stream()
        .anyMatch(live -> live.fileName().equals(file.fileName()));
  }

  /** Returns what is wrong with a file, in words that name it and the offsets of bad blocks. */
  static List<String> damages(Path file, long size) {
    try {
      if (Files.size(file) != size) {
        return List.of("%s has %,d bytes instead of %,d".formatted(file, Files.size(file), size));
      }
    } catch (IOException e) {
      return List.of("%s cannot be read: %s".formatted(file, e));
    }
    try (Options options = new Options();
        SstFileReader reader = new SstFileReader(options)) {
      reader.open(file.toString());
      try {
        reader.verifyChecksum();
        return List.of();
      } catch (RocksDBException e) {
        return blocks(file, reader, String.valueOf(e.getMessage()));
      }
    } catch (RocksDBException e) {
      return List.of("%s cannot be opened: %s".formatted(file, e.getMessage()));
    }
  }

  /** Returns why RocksDB cannot open a file; null if it can. */
  static @Nullable String openingProblem(Path file) {
    RocksDB.loadLibrary();
    try (Options options = new Options();
        SstFileReader reader = new SstFileReader(options)) {
      reader.open(file.toString());
      return null;
    } catch (RocksDBException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /**
   * Returns every damaged data block. If the index cannot be read, returns only the first damage
   * found.
   */
  private static List<String> blocks(Path file, SstFileReader reader, String first) {
    List<SstIndex.Block> blocks;
    try {
      blocks = SstIndex.read(file).blocks();
    } catch (IOException e) {
      return List.of(named(file, first));
    }
    Set<Long> places = new TreeSet<>();
    List<String> damages = new ArrayList<>();
    try (ReadOptions options = new ReadOptions().setFillCache(false);
        SstFileReaderIterator iterator = reader.newIterator(options)) {
      for (SstIndex.Block block : blocks) {
        iterator.seek(block.last());
        try {
          iterator.status();
        } catch (RocksDBException e) {
          String message = String.valueOf(e.getMessage());
          Matcher offset = OFFSET.matcher(message);
          if (!offset.find() || places.add(Long.parseLong(offset.group(1)))) {
            damages.add(named(file, message));
          }
        }
      }
    }
    return damages.isEmpty() ? List.of(named(file, first)) : damages;
  }

  private static String named(Path file, String message) {
    return message.contains(String.valueOf(file.getFileName())) ? message : file + ": " + message;
  }
}
