package dev.varve.store.rocksdb;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Flips bytes in the table files of a closed store. */
final class DamagedFiles {
  private DamagedFiles() {}

  /** Returns the table files, largest first. */
  static List<Path> tables(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".sst"))
          .sorted(Comparator.comparingLong((Path file) -> file.toFile().length()).reversed())
          .toList();
    }
  }

  /** Flips a bit in the middle of a block, and returns the block. */
  static SstIndex.Block flipBlock(Path file, int number) throws IOException {
    SstIndex.Block block = SstIndex.read(file).blocks().get(number);
    flip(file, block.offset() + block.size() / 2);
    return block;
  }

  static void flip(Path file, long offset) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(offset);
      int before = bytes.read();
      bytes.seek(offset);
      bytes.write(before ^ 1);
    }
  }
}
