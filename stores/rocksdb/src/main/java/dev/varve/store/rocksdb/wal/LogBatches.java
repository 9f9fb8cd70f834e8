package dev.varve.store.rocksdb.wal;

import dev.varve.store.rocksdb.wal.LogReader.Entry;
import dev.varve.store.rocksdb.wal.LogReader.Whole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The batches in the logs of a database that {@link LogRecovery} has checked. */
public final class LogBatches {
  private LogBatches() {}

  /** Takes batches in the order in which they were written. */
  public interface Sink {
    /**
     * Takes one.
     *
     * @param sequence the number of its first edit
     * @param batch as RocksDB serialises it
     */
    void take(long sequence, byte[] batch) throws IOException;
  }

  /**
   * Reads all that is not in tables yet.
   *
   * @param firstLog the first log that counts
   */
  public static void read(Path directory, long firstLog, Sink sink) throws IOException {
    for (Map.Entry<Long, Path> log : LogFiles.of(directory).tailMap(firstLog).entrySet()) {
      if (Files.size(log.getValue()) > 0) {
        readLog(log.getValue(), log.getKey(), sink);
      }
    }
  }

  private static void readLog(Path file, long number, Sink sink) throws IOException {
    try (LogReader reader = new LogReader(file, number, Integer.MAX_VALUE)) {
      for (Entry entry = reader.next(); entry != null; entry = reader.next()) {
        if (entry instanceof Whole record) {
          BatchHead head = BatchHead.of(record.payload());
          if (head != null) {
            sink.take(head.sequence(), record.payload());
          }
        }
      }
    }
  }
}
