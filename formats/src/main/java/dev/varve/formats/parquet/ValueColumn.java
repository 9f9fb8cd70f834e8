package dev.varve.formats.parquet;

import dev.varve.model.Kind;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** Encodes the column of the times, or that of the values of one kind. */
final class ValueColumn {
  private static final int PAGE_ROWS = 1 << 14;
  private static final int PAGE_BYTES = 1 << 20;

  private final ColumnChunk chunk;
  private final RowGroup rows;
  private final long[] numbers = new long[PAGE_ROWS];

  private ValueColumn(ColumnChunk chunk, RowGroup rows) {
    this.chunk = chunk;
    this.rows = rows;
  }

  static void times(ColumnChunk chunk, RowGroup rows) {
    new ValueColumn(chunk, rows).times();
  }

  static void values(ColumnChunk chunk, RowGroup rows, Kind kind) {
    new ValueColumn(chunk, rows).values(kind);
  }

  private void times() {
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (int row = 0; row < rows.size(); row += PAGE_ROWS) {
      int count = Math.min(PAGE_ROWS, rows.size() - row);
      for (int i = 0; i < count; i++) {
        numbers[i] = rows.time(row + i);
        least = Math.min(least, numbers[i]);
        most = Math.max(most, numbers[i]);
      }
      chunk.data(DeltaPacked.encode(numbers, count), count, ColumnChunk.DELTA_BINARY_PACKED);
    }
    chunk.statistics(new ColumnChunk.Statistics(0, bytes(least), bytes(most)));
  }

  private void values(Kind kind) {
    int row = 0;
    while (row < rows.size()) {
      row = page(row, kind);
    }
    chunk.statistics(statistics(kind));
  }

  /** Writes a page and returns the row after it. */
  private int page(int from, Kind kind) {
    HybridRuns present = new HybridRuns(1);
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    int count = 0;
    int row = from;
    while (row < rows.size() && row - from < PAGE_ROWS && plain.size() < PAGE_BYTES) {
      boolean here = rows.kind(row) == kind;
      present.add(here ? 1 : 0);
      if (here) {
        switch (kind) {
          case DOUBLE -> Bits.littleEndian(plain, rows.bits(row), Long.BYTES);
          case INT64 -> numbers[count] = rows.bits(row);
          case STRING -> {
            Bits.littleEndian(plain, rows.textLength(row), Integer.BYTES);
            plain.write(rows.text(), rows.textStart(row), rows.textLength(row));
          }
        }
        count++;
      }
      row++;
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    Levels.write(body, present);
    boolean packs = kind == Kind.INT64 && count > 0;
    body.writeBytes(packs ? DeltaPacked.encode(numbers, count) : plain.toByteArray());
    chunk.data(
        body.toByteArray(),
        row - from,
        packs ? ColumnChunk.DELTA_BINARY_PACKED : ColumnChunk.PLAIN);
    return row;
  }

  private ColumnChunk.Statistics statistics(Kind kind) {
    long there = 0;
    for (int row = 0; row < rows.size(); row++) {
      there += rows.kind(row) == kind ? 1 : 0;
    }
    long nulls = rows.size() - there;
    if (there > 0) {
      switch (kind) {
        case DOUBLE -> {
          ColumnChunk.Statistics known = ofDoubles(nulls);
          if (known != null) {
            return known;
          }
        }
        case INT64 -> {
          return ofIntegers(nulls);
        }
        case STRING -> {}
      }
    }
    return new ColumnChunk.Statistics(nulls, null, null);
  }

  /** Returns null if there is a NaN, which has no place in the order of Parquet's doubles. */
  private ColumnChunk.@Nullable Statistics ofDoubles(long nulls) {
    double least = Double.POSITIVE_INFINITY;
    double most = Double.NEGATIVE_INFINITY;
    for (int row = 0; row < rows.size(); row++) {
      if (rows.kind(row) == Kind.DOUBLE) {
        double value = Double.longBitsToDouble(rows.bits(row));
        if (Double.isNaN(value)) {
          return null;
        }
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    }
    // The format asks for these signs of zero, because some readers tell them apart.
    return new ColumnChunk.Statistics(
        nulls,
        bytes(Double.doubleToRawLongBits(least == 0 ? -0.0 : least)),
        bytes(Double.doubleToRawLongBits(most == 0 ? 0.0 : most)));
  }

  private ColumnChunk.Statistics ofIntegers(long nulls) {
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (int row = 0; row < rows.size(); row++) {
      if (rows.kind(row) == Kind.INT64) {
        least = Math.min(least, rows.bits(row));
        most = Math.max(most, rows.bits(row));
      }
    }
    return new ColumnChunk.Statistics(nulls, bytes(least), bytes(most));
  }

  private static byte[] bytes(long value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(Long.BYTES);
    Bits.littleEndian(out, value, Long.BYTES);
    return out.toByteArray();
  }
}
