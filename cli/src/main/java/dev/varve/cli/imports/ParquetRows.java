package dev.varve.cli.imports;

import dev.hardwood.InputFile;
import dev.hardwood.metadata.ColumnChunk;
import dev.hardwood.metadata.CompressionCodec;
import dev.hardwood.metadata.FileMetaData;
import dev.hardwood.metadata.RowGroup;
import dev.hardwood.reader.ParquetFileReader;
import dev.hardwood.reader.RowReader;
import dev.varve.cli.io.CommandFailedException;
import dev.varve.formats.parquet.ParquetExport;
import dev.varve.formats.text.BadLineException;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Resolution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Reads the rows of a file of Parquet: an export of Varve, or a table whose columns are named. */
final class ParquetRows implements AutoCloseable {
  /** Adds the sample or samples of the current row. */
  interface Columns {
    void add(RowReader row, BatchBuilder into);
  }

  private static final Set<CompressionCodec> CODECS =
      Set.of(CompressionCodec.UNCOMPRESSED, CompressionCodec.GZIP, CompressionCodec.ZSTD);

  /** The library's. It tells of its use of processors, which is no news here. */
  private static final Logger LOG = Logger.getLogger("dev.hardwood");

  static {
    LOG.setLevel(Level.WARNING);
  }

  private final ParquetFileReader file;
  private final Columns columns;
  private final long total;
  private @Nullable RowReader rows;
  private long number;

  private ParquetRows(ParquetFileReader file, Columns columns, long total) {
    this.file = file;
    this.columns = columns;
    this.total = total;
  }

  /**
   * Opens a file.
   *
   * @param target the unit of the times of the dataset
   * @param options the meaning of the columns, if they name a metric
   * @throws CommandFailedException if the file is not Parquet
   * @throws IllegalArgumentException if it lacks columns
   */
  static ParquetRows open(Path path, Resolution target, TableOptions options) throws IOException {
    if (!Files.isRegularFile(path)) {
      if (!path.toString().equals("-") && Files.notExists(path)) {
        throw new NoSuchFileException(path.toString());
      }
      throw new CommandFailedException(
          path + ": parquet is read from its end, and so from a file alone");
    }
    ParquetFileReader file = null;
    try {
      file = ParquetFileReader.open(InputFile.of(path));
      ColumnFinder finder = new ColumnFinder(file.getFileSchema());
      requireKnownCodecs(file.getFileMetaData());
      Columns columns = columns(file, finder, target, options);
      return new ParquetRows(file, columns, file.getFileMetaData().numRows());
    } catch (IOException | RuntimeException e) {
      if (file != null) {
        file.close();
      }
      if (e instanceof IllegalArgumentException && file != null) {
        throw e;
      }
      throw new CommandFailedException(path + ": it cannot be read as Parquet: " + reason(e));
    }
  }

  /** Refuses what would need another library. */
  private static void requireKnownCodecs(FileMetaData meta) {
    for (RowGroup group : meta.rowGroups()) {
      for (ColumnChunk column : group.columns()) {
        CompressionCodec codec = column.metaData().codec();
        if (!CODECS.contains(codec)) {
          throw new IllegalArgumentException(
              "it is compressed with %s: write it with zstd, gzip or uncompressed"
                  .formatted(codec));
        }
      }
    }
  }

  private static Columns columns(
      ParquetFileReader file, ColumnFinder finder, Resolution target, TableOptions options) {
    if (options.metric != null || options.metricColumn != null) {
      return new TableColumns(finder, options, target);
    }
    Map<String, String> notes = file.getFileMetaData().keyValueMetadata();
    String format = notes == null ? null : notes.get(ParquetExport.FORMAT_NOTE);
    if (format != null && !format.equals(ParquetExport.FORMAT)) {
      throw new IllegalArgumentException(
          "it is an export in format %s, and this version reads format %s"
              .formatted(format, ParquetExport.FORMAT));
    }
    return new ExportColumns(finder, target);
  }

  /** Returns the number of rows. */
  long total() {
    return total;
  }

  /** Returns the number of the current row, from 1. */
  long number() {
    return number;
  }

  /**
   * Reads the next row.
   *
   * @return false if there is none
   * @throws BadLineException if the row has no sample
   * @throws IOException if the file is damaged
   */
  boolean next(BatchBuilder into) throws IOException {
    RowReader row = rows;
    try {
      if (row == null) {
        // Reads ahead already, and so may find damage.
        row = file.rowReader();
        rows = row;
      }
      if (!row.hasNext()) {
        if (number < total) {
          throw new IOException("it ends there, and it speaks of %,d rows".formatted(total));
        }
        return false;
      }
      row.next();
    } catch (RuntimeException e) {
      throw new IOException("it is damaged: " + reason(e), e);
    }
    number++;
    columns.add(row, into);
    return true;
  }

  /** Returns the message at the bottom of a failure, since the library wraps them. */
  private static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    @Nullable String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }

  @Override
  public void close() throws IOException {
    if (rows != null) {
      rows.close();
    }
    file.close();
  }
}
