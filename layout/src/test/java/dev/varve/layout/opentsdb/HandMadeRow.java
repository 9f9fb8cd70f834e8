package dev.varve.layout.opentsdb;

import dev.varve.layout.RowSamples;
import dev.varve.model.Bytes;
import dev.varve.model.Samples;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.util.ArrayList;
import java.util.List;

/** Cells of the row of 2013-01-01T00:00:00Z of one series, written by hand in hex. */
final class HandMadeRow {
  static final String KEY = "00000150e22700000001000001";
  static final long BASE = 1_356_998_400_000L;

  final CellBatch cells = new CellBatch();

  /** Adds a cell; spaces in the hex are ignored. */
  HandMadeRow cell(String qualifier, String value, long cellTime) {
    cells.add(
        new Cell(
            Bytes.fromHex(KEY),
            OpenTsdbLayout.POINTS,
            Bytes.fromHex(qualifier.replace(" ", "")),
            cellTime,
            Bytes.fromHex(value.replace(" ", ""))));
    return this;
  }

  HandMadeRow cell(String qualifier, String value) {
    return cell(qualifier, value, 1000);
  }

  /** Adds a cell whose value is a text. */
  HandMadeRow text(String qualifier, String value) {
    return cell(qualifier, Bytes.utf8(value).hex());
  }

  RowSamples decode(OpenTsdbLayout layout) {
    RowSamples out = new RowSamples();
    layout.decode(cells, 0, cells.size(), out);
    return out;
  }

  /**
   * Returns the samples as {@code offset=value@stamp}, integers before doubles, with offsets in
   * milliseconds.
   */
  static List<String> samples(RowSamples row) {
    List<String> lines = new ArrayList<>();
    for (RowSamples.Vector vector : row.vectors()) {
      Samples samples = vector.samples();
      for (int i = 0; i < samples.size(); i++) {
        Object value =
            switch (samples.kind()) {
              case INT64 -> samples.longAt(i);
              case DOUBLE -> samples.doubleAt(i);
              case STRING -> samples.textAt(i);
            };
        lines.add((samples.time(i) - BASE) + "=" + value + "@" + samples.stamp(i));
      }
    }
    return lines;
  }
}
