package dev.varve.acceptance;

import dev.varve.engine.catalog.Matches;
import dev.varve.formats.export.ExportFormat;
import dev.varve.formats.export.ExportWriter;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Samples whose names, labels and values are hard to carry from one database to another, and what a
 * dataset has of them afterwards.
 */
final class HostileSamples {
  /** Values of labels with what some language quotes, escapes or separates by. */
  static final List<String> TEXTS =
      List.of(
          "a",
          "A",
          "say \"hi\"",
          "it's",
          "back\\slash",
          "tail\\n",
          "comma, equals=, colon:",
          " blanks  around ",
          "{}[]()$^.*|?#&+%41;",
          "größer 日本 😀",
          "</script>");

  private static final Comparator<Series> ORDER =
      Comparator.comparing(Series::key, Matches.ORDER).thenComparing(Series::field);

  /** By series, in the order of time, parted where the kind changes. */
  private final Map<Series, List<Samples>> all = new TreeMap<>(ORDER);

  private long count;

  /** Adds a sample; those of a series in the order of time. */
  void add(Series series, long time, double value) {
    of(series, Kind.DOUBLE).add(time, value, 0);
  }

  /** Adds a sample; those of a series in the order of time. */
  void add(Series series, long time, long value) {
    of(series, Kind.INT64).add(time, value, 0);
  }

  /** Adds a sample; those of a series in the order of time. */
  void add(Series series, long time, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    of(series, Kind.STRING).add(time, utf8, 0, utf8.length, 0);
  }

  private Samples of(Series series, Kind kind) {
    count++;
    List<Samples> parts = all.computeIfAbsent(series, _ -> new ArrayList<>());
    if (parts.isEmpty() || parts.getLast().kind() != kind) {
      parts.add(new Samples(kind));
    }
    return parts.getLast();
  }

  /** Returns the number of samples. */
  long count() {
    return count;
  }

  /** Returns the lines that {@code varve export --format csv} has of a dataset with them alone. */
  List<String> csv() throws IOException {
    StringWriter out = new StringWriter();
    ExportWriter lines = ExportFormat.csv.to(out, Resolution.MILLISECONDS, 1);
    for (Map.Entry<Series, List<Samples>> one : all.entrySet()) {
      for (Samples part : one.getValue()) {
        lines.write(one.getKey(), part, 0, part.size());
      }
    }
    lines.finish();
    return out.toString().lines().toList();
  }
}
