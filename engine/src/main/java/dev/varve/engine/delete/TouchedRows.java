package dev.varve.engine.delete;

import dev.varve.model.Bytes;

/** The range of rows from the first to the last one that had deleted samples. */
record TouchedRows(Bytes first, Bytes last) {
  static TouchedRows of(Bytes row) {
    return new TouchedRows(row, row);
  }

  TouchedRows plus(Bytes row) {
    return row.compareTo(first) >= 0 && row.compareTo(last) <= 0
        ? this
        : plus(new TouchedRows(row, row));
  }

  TouchedRows plus(TouchedRows other) {
    return new TouchedRows(
        first.compareTo(other.first) <= 0 ? first : other.first,
        last.compareTo(other.last) >= 0 ? last : other.last);
  }
}
