package dev.varve.store.rocksdb.wal;

import dev.varve.store.rocksdb.wal.LogReader.Entry;
import dev.varve.store.rocksdb.wal.LogReader.Whole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Reads the batches in the logs of a database that {@link LogRecovery} has checked. */
public final class LogBatches {
  private LogBatches() {}

  /** Receives batches in the order in which they were written. */
  public interface Sink {
    /**
     * Receives one batch.
     *
     * @param sequence the sequence number of its first edit
     * @param batch the batch in RocksDB's serialised form
     */
    void take(long sequence, byte[] batch) throws IOException;
  }

  /**
   * Reads all batches that are not in table files yet.
   *
   * @param firstLog the number of the first log to read
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
