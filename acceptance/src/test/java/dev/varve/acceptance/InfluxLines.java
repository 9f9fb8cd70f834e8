package dev.varve.acceptance;

import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Hostile samples of all types as InfluxDB's line protocol, with times in ns. */
final class InfluxLines {
  private static final int STEPS = 120;
  private static final long STEP = 1_800_017;
  private static final long MONTH = 30 * 86_400_000L;
  private static final int LINES_PER_REQUEST = 2_000;

  private static final double[] DOUBLES = {
    1.5, -1e25, 1e20, -0.0, Double.MIN_VALUE, -Double.MAX_VALUE, 0.1 + 0.2, 1.2345678901234568E17
  };

  private final HostileSamples expected;
  private final long start;
  private final List<String> lines = new ArrayList<>();

  /**
   * @param expected gets what a migration makes of the samples
   * @param start the first time, in ms since 1970
   */
  InfluxLines(HostileSamples expected, long start) {
    this.expected = expected;
    this.start = start;
  }

  /** Returns the bodies of requests, one after the other. */
  List<byte[]> requests() {
    List<Tags> tags = new ArrayList<>();
    HostileSamples.TEXTS.forEach(text -> tags.add(Tags.of("host", text)));
    tags.add(Tags.EMPTY);
    tags.add(Tags.of(Map.of("host", "a", "d c=,", "b")));
    for (String measurement : List.of("cpu", "größe, total=m \"x\"", "m\\easure")) {
      for (Tags one : tags) {
        addSeries(GroupKey.of(measurement, one));
      }
    }
    addTypes(GroupKey.of("types", Tags.of("host", "a")));
    lines.add("nanos v=1 " + (start * 1_000_000 + 1));
    List<byte[]> requests = new ArrayList<>();
    for (int from = 0; from < lines.size(); from += LINES_PER_REQUEST) {
      int to = Math.min(lines.size(), from + LINES_PER_REQUEST);
      requests.add(String.join("\n", lines.subList(from, to)).getBytes(StandardCharsets.UTF_8));
    }
    return requests;
  }

  /** Adds lines with fields of all types, one of them named as a tag, of which each has gaps. */
  private void addSeries(GroupKey key) {
    for (int i = 0; i < STEPS; i++) {
      long time = start + i * STEP;
      Map<String, String> fields = new TreeMap<>();
      if (i % 7 != 0) {
        double value = DOUBLES[i % DOUBLES.length] * ((i % 3 + 1) / 4.0);
        fields.put("host", Double.toString(value));
        expected.add(key.field("host"), time, value);
      }
      if (i % 7 != 1) {
        long value = i % 2 == 0 ? Long.MIN_VALUE + i : Long.MAX_VALUE - i;
        fields.put("c, o=unt", value + "i");
        expected.add(key.field("c, o=unt"), time, value);
      }
      if (i % 7 != 2) {
        String text = i % 13 == 0 ? "" : i + HostileSamples.TEXTS.get(i % 11) + "\n";
        fields.put("text", '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"');
        expected.add(key.field("text"), time, text);
      }
      if (i % 7 != 3) {
        fields.put("o\"k", i % 2 == 0 ? "true" : "false");
        expected.add(key.field("o\"k"), time, i % 2 == 0 ? 1L : 0L);
      }
      add(key, fields, time);
    }
  }

  /** Adds a field whose type is another one every month. */
  private void addTypes(GroupKey key) {
    List<String> values = List.of("1.5", "7i", "\"text\"", "true", "-2.5");
    for (int i = 0; i < values.size(); i++) {
      add(key, Map.of("v", values.get(i)), start + i * MONTH);
    }
    Series series = key.field("v");
    expected.add(series, start, 1.5);
    expected.add(series, start + MONTH, 7.0);
    expected.add(series, start + 2 * MONTH, "text");
    expected.add(series, start + 3 * MONTH, 1L);
    expected.add(series, start + 4 * MONTH, -2.5);
  }

  private void add(GroupKey key, Map<String, String> fields, long time) {
    StringBuilder line = new StringBuilder(key.metric().replaceAll("([, ])", "\\\\$1"));
    key.tags()
        .forEach((name, value) ->
            line.append(',').append(escaped(name)).append('=').append(escaped(value)));
    line.append(' ');
    line.append(
        fields.entrySet().stream()
            .map(field -> escaped(field.getKey()) + "=" + field.getValue())
            .collect(Collectors.joining(",")));
    lines.add(line.append(' ').append(time * 1_000_000).toString());
  }

  private static String escaped(String text) {
    return text.replaceAll("([,= ])", "\\\\$1");
  }
}
