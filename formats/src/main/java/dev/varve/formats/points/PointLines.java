package dev.varve.formats.points;

import dev.varve.formats.json.JsonLines;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import dev.varve.model.Value;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes a batch in the point form, one point per line. */
public final class PointLines {
  private PointLines() {}

  /** Writes every sample and attribute of a batch. */
  public static void write(Batch batch, Writer out) {
    for (SampleGroup group : batch.groups()) {
      for (int i = 0; i < group.size(); i++) {
        write(group, i, out);
      }
    }
    for (Attribute attribute : batch.attributes()) {
      write(new Point.Described(attribute), out);
    }
  }

  private static void write(SampleGroup group, int place, Writer out) {
    Map<String, Value> fields = new LinkedHashMap<>();
    for (Column column : group.columns()) {
      if (column.has(place)) {
        Value before = fields.put(column.field(), value(column, place));
        if (before != null) {
          // A field with samples of two kinds at one instant becomes two points, because a point
          // has each field once.
          write(
              new Point.Sample(group.key(), group.times()[place], Map.of(column.field(), before)),
              out);
        }
      }
    }
    if (!fields.isEmpty()) {
      write(new Point.Sample(group.key(), group.times()[place], fields), out);
    }
  }

  /** Returns the value at a place that has one. */
  static Value value(Column column, int place) {
    return switch (column) {
      case Column.Doubles doubles -> new Value.Real(doubles.values()[place]);
      case Column.Longs longs -> new Value.Int64(longs.values()[place]);
      case Column.Texts texts -> {
        int start = texts.start(place);
        yield new Value.Text(
            new String(texts.bytes(), start, texts.end(place) - start, StandardCharsets.UTF_8));
      }
    };
  }

  /** Writes one point and a line feed. */
  public static void write(Point point, Writer out) {
    JsonLines.write(out, json -> PointWriter.write(point, json));
  }
}
