package dev.varve.formats.text;

import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads lines and formats the resulting samples, one text each: {@code m{tag="v"}#field time
 * value}.
 */
final class Reading {
  private Reading() {}

  /** Reads valid lines. */
  static List<String> of(LineFormat format, String... lines) {
    BatchBuilder batch = new BatchBuilder();
    for (String line : lines) {
      read(format, line.getBytes(StandardCharsets.UTF_8), batch);
    }
    return show(batch.build());
  }

  /** Reads an invalid line and returns the error. */
  static String complaint(LineFormat format, String line) {
    return complaint(format, line.getBytes(StandardCharsets.UTF_8));
  }

  static String complaint(LineFormat format, byte[] line) {
    try {
      read(format, line, new BatchBuilder());
    } catch (BadLineException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("the line was read");
  }

  static void read(LineFormat format, byte[] line, BatchBuilder into) {
    format.read(line, 0, line.length, into);
  }

  static List<String> show(Batch batch) {
    List<String> samples = new ArrayList<>();
    for (SampleGroup group : batch.groups()) {
      for (int place = 0; place < group.size(); place++) {
        for (Column column : group.columns()) {
          if (column.has(place)) {
            samples.add(
                group.key().field(column.field())
                    + " "
                    + group.times()[place]
                    + " "
                    + value(column, place));
          }
        }
      }
    }
    return samples;
  }

  /** Formats integers with an i and texts in quotes, so that the kind is visible. */
  private static String value(Column column, int place) {
    return switch (column) {
      case Column.Doubles doubles -> Double.toString(doubles.values()[place]);
      case Column.Longs longs -> longs.values()[place] + "i";
      case Column.Texts texts -> {
        int start = texts.start(place);
        int length = texts.end(place) - start;
        yield '"' + new String(texts.bytes(), start, length, StandardCharsets.UTF_8) + '"';
      }
    };
  }
}
