package dev.varve.cli;

import dev.varve.cli.io.JsonTree;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints heat maps for people: a line for each range of rows, a shade for each stretch of time. */
final class HeatMapText {
  /** From nothing to the most. */
  private static final String SHADES = " ·░▒▓█";

  private static final int LABEL_MAX = 56;

  private final Object map;
  private final List<Object> rows;
  private final List<Object> cells;
  private final String unit;
  private long most;

  HeatMapText(Object map) {
    this.map = map;
    this.rows = JsonTree.list(JsonTree.member(map, "rows"));
    this.cells = JsonTree.list(JsonTree.member(map, "cells"));
    this.unit = JsonTree.text(map, "unit");
    for (Object row : cells) {
      for (Object cell : JsonTree.list(row)) {
        most = Math.max(most, ((Number) cell).longValue());
      }
    }
  }

  void print(PrintWriter out) {
    out.printf(
        "%s of table %s, %s to %s, %d s a column%n",
        JsonTree.text(map, "what"),
        JsonTree.text(map, "table"),
        Instant.ofEpochMilli(JsonTree.number(map, "from")),
        Instant.ofEpochMilli(JsonTree.number(map, "to")),
        JsonTree.number(map, "step") / 1000);
    boolean isPart = map instanceof Map<?, ?> members && members.containsKey("within");
    if (isPart) {
      out.printf(
          "of the last three hours, in rows that have counters of their own and only series of %s%n",
          printable(JsonTree.text(map, "within")));
    }
    if (rows.isEmpty()) {
      out.println(isPart ? "No such row was read or written." : "Nothing was read or written.");
      return;
    }
    int width = rows.stream().mapToInt(row -> label(row).length()).max().orElse(0);
    out.println();
    for (int row = 0; row < rows.size(); row++) {
      out.printf(
          "%-" + width + "s │%s│ %s%n",
          label(rows.get(row)),
          shades(JsonTree.list(cells.get(row))),
          count(JsonTree.number(rows.get(row), "total")));
    }
    out.printf(
        "%n'%s' is up to %s %s, '%s' nothing; each shade is several times the one before.%n",
        SHADES.substring(SHADES.length() - 1), count(most), unit, SHADES.substring(0, 1));
    for (Object finding : JsonTree.list(JsonTree.member(map, "findings"))) {
      out.printf(
          "%n%s: %s%n", JsonTree.text(finding, "kind"), printable(JsonTree.text(finding, "says")));
    }
  }

  private String shades(List<Object> values) {
    StringBuilder shades = new StringBuilder();
    for (Object value : values) {
      shades.append(SHADES.charAt(shade(((Number) value).longValue())));
    }
    return shades.toString();
  }

  /** Returns the shade of a value, on a logarithmic scale. */
  private int shade(long value) {
    if (value == 0) {
      return 0;
    }
    int last = SHADES.length() - 1;
    double share = Math.log1p((double) value) / Math.log1p((double) Math.max(1, most));
    return (int) Math.clamp(Math.ceil(last * Math.pow(share, 3)), 1, last);
  }

  private static String label(Object row) {
    String text = printable(JsonTree.text(row, "text"));
    return text.length() <= LABEL_MAX ? text : text.substring(0, LABEL_MAX - 1) + "…";
  }

  /** Replaces characters that a terminal would interpret as commands. */
  private static String printable(String text) {
    return text.codePoints()
        .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
