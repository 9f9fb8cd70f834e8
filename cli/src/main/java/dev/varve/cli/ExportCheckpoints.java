package dev.varve.cli;

import dev.varve.formats.export.ParallelExport;
import dev.varve.formats.parquet.ParquetExport;
import dev.varve.model.Series;
import java.io.IOException;
import java.util.List;

/** Records from time to time how much of an export is final. */
final class ExportCheckpoints implements ParquetExport.Checkpoints, ParallelExport.Checkpoints {
  /** Minimum time between two records. */
  private static final long BETWEEN_NANOS = 250_000_000;

  /**
   * Divisor of the elapsed time: recording takes at most this fraction, however long the list of
   * row groups is.
   */
  private static final int COST = 20;

  private final ExportFile file;
  private long due = System.nanoTime();

  ExportCheckpoints(ExportFile file) {
    this.file = file;
  }

  @Override
  public void reached(Series last, long time, ParquetExport.Written written) throws IOException {
    reached(
        new ExportState(
            last,
            time,
            0,
            written.rows() + written.leftOut(),
            written.leftOut(),
            written.groups()));
  }

  @Override
  public void reached(Series last, long time, long written, long leftOut) throws IOException {
    reached(new ExportState(last, time, 0, written, leftOut, List.of()));
  }

  /** Records what reached the file, if the last record is old enough. The length is the file's. */
  private void reached(ExportState state) throws IOException {
    long start = System.nanoTime();
    if (start - due >= 0) {
      file.complete(state);
      long end = System.nanoTime();
      due = end + Math.max(BETWEEN_NANOS, COST * (end - start));
    }
  }
}
