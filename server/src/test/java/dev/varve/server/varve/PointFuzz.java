package dev.varve.server.varve;

import dev.varve.formats.points.Point;
import dev.varve.formats.points.PointFormatException;
import dev.varve.formats.points.PointLines;
import dev.varve.formats.points.PointReader;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.server.FuzzIntake;
import dev.varve.server.http.ShortLines;
import dev.varve.server.http.WriteBudget;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringWriter;

/**
 * Fuzzes lines of the point form. A point must be the same after it is printed and read again, and
 * so must a batch of all points.
 */
public final class PointFuzz {
  private PointFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    BatchBuilder read = new BatchBuilder();
    try (ShortLines lines =
        new ShortLines(new ByteArrayInputStream(input), WriteBudget.unlimited())) {
      for (String line = lines.next(); line != null; line = lines.next()) {
        read(line, read);
      }
    }
    Batch batch = read.build();
    StringWriter printed = new StringWriter();
    PointLines.write(batch, printed);
    BatchBuilder again = new BatchBuilder();
    printed.toString().lines().forEach(line -> PointReader.read(line).addTo(again));
    StringWriter twice = new StringWriter();
    PointLines.write(again.build(), twice);
    if (!twice.toString().equals(printed.toString())) {
      throw new AssertionError("printed as %s, then as %s".formatted(printed, twice));
    }
    FuzzIntake.next().writeOwn(batch, input.length % 2 == 0);
  }

  private static void read(String line, BatchBuilder batch) {
    Point point;
    try {
      point = PointReader.read(line);
    } catch (PointFormatException e) {
      return;
    }
    StringWriter printed = new StringWriter();
    PointLines.write(point, printed);
    if (!PointReader.read(printed.toString()).equals(point)) {
      throw new AssertionError("%s is printed as %s".formatted(point, printed));
    }
    point.addTo(batch);
  }
}
