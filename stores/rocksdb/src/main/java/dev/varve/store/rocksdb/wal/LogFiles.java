package dev.varve.store.rocksdb.wal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SortedMap;
import java.util.TreeMap;

/** The log files of a database. */
public final class LogFiles {
  private static final String SUFFIX = ".log";

  private LogFiles() {}

  /** Returns all logs of a directory, by number. */
  public static SortedMap<Long, Path> of(Path directory) throws IOException {
    SortedMap<Long, Path> logs = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        String number = name.substring(0, name.length() - SUFFIX.length());
        if (number.matches("\\d{1,18}")) {
          logs.put(Long.parseLong(number), file);
        }
      }
    }
    return logs;
  }

  static Path file(Path directory, long number) {
    return directory.resolve("%06d%s".formatted(number, SUFFIX));
  }

  /** Makes the names in a directory durable. */
  public static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
