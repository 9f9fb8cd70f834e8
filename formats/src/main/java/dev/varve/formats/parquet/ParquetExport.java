package dev.varve.formats.parquet;

import dev.varve.formats.export.ExportWriter;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A row for each sample: {@code metric}, {@code labels} (a map), {@code time}, one of {@code
 * value_double}, {@code value_int64} and {@code value_string}, {@code field}, and {@code resource}
 * (a map). It holds every kind and the bits of every NaN. Times are in the unit of the dataset,
 * those in seconds in milliseconds; a time that those cannot hold is left out. Rows are gathered in
 * groups of at most 262,144, which are encoded as a whole.
 */
public final class ParquetExport implements ExportWriter {
  /** The note that has the version of Varve's columns, and its only value. */
  public static final String FORMAT_NOTE = "varve.format";

  public static final String FORMAT = "1";

  /** The note that has the unit of the dataset. */
  public static final String RESOLUTION_NOTE = "varve.resolution";

  private final OutputStream out;
  private final Resolution resolution;
  private final Resolution unit;
  private final Checkpoints checkpoints;
  private final RowGroup group = new RowGroup();
  private final List<byte[]> groups;
  private long offset;
  private long rows;
  private long leftOut;

  /**
   * The written part of a file.
   *
   * @param bytes its length
   * @param rows number of rows
   * @param leftOut samples that were left out
   * @param groups an encoded entry of the footer for each group
   */
  public record Written(long bytes, long rows, long leftOut, List<byte[]> groups) {
    /** A file that has not been begun. */
    public static final Written NONE = new Written(0, 0, 0, List.of());
  }

  /** Called whenever all samples up to one have reached the stream. */
  public interface Checkpoints {
    /**
     * Receives the position.
     *
     * @param last the series of the last sample
     * @param time its time
     */
    void reached(Series last, long time, Written written) throws IOException;
  }

  /**
   * Begins a file, or goes on with one.
   *
   * @param out the file, from its beginning or from after what is written
   * @param resolution the unit of the samples' times
   */
  public ParquetExport(
      OutputStream out, Resolution resolution, Written begun, Checkpoints checkpoints) {
    this.out = out;
    this.resolution = resolution;
    this.unit = resolution == Resolution.SECONDS ? Resolution.MILLISECONDS : resolution;
    this.checkpoints = checkpoints;
    this.groups = new ArrayList<>(begun.groups());
    this.offset = begun.bytes();
    this.rows = begun.rows();
    this.leftOut = begun.leftOut();
  }

  @Override
  public void write(Series series, Samples samples, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      long time;
      try {
        time = resolution.convert(samples.time(i), unit);
      } catch (ArithmeticException e) {
        leftOut++;
        continue;
      }
      group.add(series, time, samples, i);
      if (group.isFull()) {
        writeGroup();
        checkpoints.reached(
            series, samples.time(i), new Written(offset, rows, leftOut, List.copyOf(groups)));
      }
    }
  }

  private void begin() throws IOException {
    if (offset == 0) {
      write(Footer.MAGIC);
    }
  }

  private void writeGroup() throws IOException {
    begin();
    List<ColumnChunk> columns = ColumnPages.encode(group);
    groups.add(Footer.group(columns, group.size(), offset));
    for (ColumnChunk column : columns) {
      write(column.pages());
    }
    rows += group.size();
    group.clear();
  }

  private void write(byte[] bytes) throws IOException {
    out.write(bytes);
    offset += bytes.length;
  }

  @Override
  public void finish() throws IOException {
    if (group.size() > 0) {
      writeGroup();
    }
    begin();
    Map<String, String> notes =
        new TreeMap<>(Map.of(FORMAT_NOTE, FORMAT, RESOLUTION_NOTE, resolution.symbol()));
    write(Footer.encode(unit, rows, groups, notes));
    out.flush();
  }

  @Override
  public long leftOut() {
    return leftOut;
  }
}
