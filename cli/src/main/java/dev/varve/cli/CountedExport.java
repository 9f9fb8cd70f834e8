package dev.varve.cli;

import dev.varve.cli.io.Progress;
import dev.varve.formats.export.ExportWriter;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.io.IOException;

/**
 * Passes samples on to a writer, without those of an earlier run. Counts them and shows the
 * progress.
 */
final class CountedExport implements ExportWriter {
  private final ExportWriter writer;
  private final Progress progress;
  private final ExportState begun;
  private long written;
  private long before;

  /**
   * Prepares to export.
   *
   * @param begun the part that an earlier run has written
   */
  CountedExport(ExportWriter writer, Progress progress, ExportState begun) {
    this.writer = writer;
    this.progress = progress;
    this.begun = begun;
    this.written = begun.written();
  }

  /** Returns a writer of a part of the export, which does not end the file. */
  ExportWriter part() {
    CountedExport whole = this;
    return new ExportWriter() {
      @Override
      public void write(Series series, Samples samples, int from, int to) throws IOException {
        whole.write(series, samples, from, to);
      }

      @Override
      public void finish() {}

      @Override
      public long leftOut() {
        return whole.leftOut();
      }
    };
  }

  @Override
  public void write(Series series, Samples samples, int from, int to) throws IOException {
    int first = begun.firstAfter(series, samples, from, to);
    if (first == to) {
      return;
    }
    writer.write(series, samples, first, to);
    written += to - first;
    progress.update(written, 0, series.metric());
  }

  /** Counts samples that were left out before they came here. */
  void leftOutBefore(long samples) {
    before += samples;
  }

  long before() {
    return before;
  }

  /** Returns the samples that reached the writer, in this run and in an earlier one. */
  long written() {
    return written;
  }

  /** Returns the number of those that the format cannot hold. */
  long unheld() {
    return writer.leftOut();
  }

  @Override
  public void finish() throws IOException {
    writer.finish();
  }

  @Override
  public long leftOut() {
    return before + writer.leftOut();
  }
}
