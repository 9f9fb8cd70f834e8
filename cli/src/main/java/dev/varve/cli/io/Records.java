package dev.varve.cli.io;

import dev.varve.formats.json.JsonLines;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Prints records with named columns in any {@link OutputFormat}. Values are strings, numbers,
 * booleans, maps of strings, or null.
 *
 * <p>The widths of a table come from its first thousand records, so that any number of records can
 * be printed as a stream.
 */
public final class Records implements AutoCloseable {
  private static final int ALIGNED_BY = 1000;

  private final OutputFormat format;
  private final PrintWriter out;
  private final List<String> columns;
  private final List<String[]> waiting = new ArrayList<>();
  private int @Nullable [] widths;
  private @Nullable Map<?, ?> lastLabels;
  private String lastLabelsText = "";
  private long count;

  public Records(OutputFormat format, PrintWriter out, String... columns) {
    this.format = format;
    this.out = out;
    this.columns = List.of(columns);
    if (format == OutputFormat.csv) {
      printCsv(columns);
    }
  }

  /** Returns the number of records so far. */
  public long count() {
    return count;
  }

  public void add(@Nullable Object... cells) {
    count++;
    switch (format) {
      case json -> printJson(cells);
      case csv -> printCsv(texts(cells));
      case table -> {
        if (widths != null) {
          printAligned(texts(cells), widths);
        } else {
          waiting.add(texts(cells));
          if (waiting.size() == ALIGNED_BY) {
            printWaiting();
          }
        }
      }
    }
  }

  private void printJson(@Nullable Object... cells) {
    JsonLines.write(
        out,
        json -> {
          json.writeStartObject();
          for (int i = 0; i < cells.length; i++) {
            json.writeName(columns.get(i));
            writeJson(cells[i], json);
          }
          json.writeEndObject();
        });
  }

  private static void writeJson(@Nullable Object cell, JsonGenerator json) {
    switch (cell) {
      case null -> json.writeNull();
      case Double number when !Double.isFinite(number) -> json.writeString(number.toString());
      case Number number -> json.writeRawValue(number.toString());
      case Boolean truth -> json.writeBoolean(truth);
      case Map<?, ?> map -> {
        json.writeStartObject();
        map.forEach(
            (name, value) -> json.writeStringProperty(String.valueOf(name), String.valueOf(value)));
        json.writeEndObject();
      }
      case List<?> list -> {
        json.writeStartArray();
        list.forEach(element -> writeJson(element, json));
        json.writeEndArray();
      }
      default -> json.writeString(cell.toString());
    }
  }

  private String[] texts(@Nullable Object... cells) {
    String[] texts = new String[cells.length];
    for (int i = 0; i < cells.length; i++) {
      texts[i] = cells[i] instanceof Map<?, ?> map ? labels(map) : text(cells[i]);
    }
    return texts;
  }

  /** Formats labels. Consecutive samples of a series have the same map, whose text is cached. */
  @SuppressWarnings("ReferenceEquality") // Comparing the labels would cost what this saves.
  private String labels(Map<?, ?> map) {
    if (map != lastLabels) {
      lastLabels = map;
      lastLabelsText = text(map);
    }
    return lastLabelsText;
  }

  private static String text(@Nullable Object cell) {
    return switch (cell) {
      case null -> "";
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(e -> e.getKey() + "=" + e.getValue())
              .collect(Collectors.joining(","));
      case List<?> list -> list.stream().map(Records::text).collect(Collectors.joining(" "));
      default -> cell.toString();
    };
  }

  /** Prints a line of CSV (RFC 4180) that ends with a line feed. */
  private void printCsv(String... cells) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      line.append(i == 0 ? "" : ",").append(csv(cells[i]));
    }
    out.println(line);
  }

  private static String csv(String cell) {
    for (int i = 0; i < cell.length(); i++) {
      if ("\",\r\n".indexOf(cell.charAt(i)) >= 0) {
        return '"' + cell.replace("\"", "\"\"") + '"';
      }
    }
    return cell;
  }

  private void printWaiting() {
    int[] found = columns.stream().mapToInt(String::length).toArray();
    for (String[] cells : waiting) {
      for (int i = 0; i < cells.length; i++) {
        found[i] = Math.max(found[i], cells[i].length());
      }
    }
    widths = found;
    printAligned(
        columns.stream().map(name -> name.toUpperCase(Locale.ROOT)).toArray(String[]::new), found);
    waiting.forEach(cells -> printAligned(cells, found));
    waiting.clear();
  }

  private void printAligned(String[] cells, int[] to) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      line.append(cells[i]);
      if (i < cells.length - 1) {
        line.append(" ".repeat(Math.max(0, to[i] - cells[i].length()) + 2));
      }
    }
    out.println(line);
  }

  @Override
  public void close() {
    if (format == OutputFormat.table && widths == null && !waiting.isEmpty()) {
      printWaiting();
    }
    out.flush();
  }
}
