package dev.varve.cli;

import dev.varve.cli.io.JsonTree;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/** Prints explanations for people. */
final class ExplanationText {
  private final PrintWriter out;

  private ExplanationText(PrintWriter out) {
    this.out = out;
  }

  /** Prints an explanation of a query or of points, given as the server's JSON. */
  static void print(Object explanation, PrintWriter out) {
    ExplanationText text = new ExplanationText(out);
    if (explanation instanceof List<?> cells) {
      cells.forEach(text::printCell);
    } else {
      text.printPlan(explanation);
    }
  }

  private void printPlan(Object query) {
    printOperator((Map<?, ?>) member(query, "plan"), "", "");
    print("note      ", query, "notes");
    for (Object scan : (List<?>) member(query, "scans")) {
      out.println();
      out.printf(
          "scan %-4s %s, %s to %s%s, labels: %s%n",
          member(scan, "number"),
          member(scan, "selector"),
          member(scan, "from"),
          member(scan, "to"),
          recurring((Map<?, ?>) scan),
          member(scan, "labels"));
      printScan(scan);
    }
    if (((Map<?, ?>) query).containsKey("microseconds")) {
      out.println();
      out.printf("whole query in %s us%n", member(query, "microseconds"));
    }
  }

  /** Describes the times that a scan reads if there are gaps between them. */
  private static String recurring(Map<?, ?> scan) {
    Object recurring = scan.get("recurring");
    return recurring == null
        ? ""
        : ", of every %s ms the last %s"
            .formatted(member(recurring, "step"), member(recurring, "width"));
  }

  private void printOperator(Map<?, ?> plan, String indent, String below) {
    StringBuilder line = new StringBuilder(indent).append(plan.get("operator"));
    if (plan.containsKey("detail")) {
      line.append("  ").append(plan.get("detail"));
    }
    if (plan.containsKey("scan")) {
      line.append("  [scan ").append(plan.get("scan")).append(']');
    }
    if (plan.containsKey("rows")) {
      line.append(
          "  (%s rows, %s values, %s us)"
              .formatted(plan.get("rows"), plan.get("values"), plan.get("microseconds")));
    }
    out.println(line);
    List<?> inputs = (List<?>) member(plan, "inputs");
    for (int i = 0; i < inputs.size(); i++) {
      boolean last = i == inputs.size() - 1;
      printOperator(
          (Map<?, ?>) inputs.get(i),
          below + (last ? "`- " : "|- "),
          below + (last ? "   " : "|  "));
    }
  }

  private void printScan(Object scan) {
    out.printf("%s series match%n", member(scan, "seriesMatched"));
    for (Object read : (List<?>) member(scan, "reads")) {
      printRead(read);
    }
    if (((Map<?, ?>) scan).get("actual") instanceof Map<?, ?> actual) {
      out.println();
      out.printf(
          "read      %s rows, %s cells, %s bytes in %s requests%n",
          actual.get("rowsRead"),
          actual.get("cellsRead"),
          actual.get("bytesRead"),
          actual.get("requests"));
      out.printf(
          "returned  %s samples of %s series, from %s cells, %s bytes, %s us reading, %s us on what becomes of them, all threads together%n",
          actual.get("samples"),
          actual.get("series"),
          actual.get("cellsReturned"),
          actual.get("bytesReturned"),
          actual.get("readMicroseconds"),
          actual.get("workMicroseconds"));
    }
  }

  private void printRead(Object read) {
    out.println();
    out.printf(
        "layout    %s, times %s to %s%n",
        member(read, "layout"), member(read, "from"), member(read, "to"));
    out.printf(
        "expected  %s partitions, %s ranges, %s rows (%s wanted), %s cells%n",
        member(read, "partitions"),
        member(read, "slices"),
        member(read, "rows"),
        member(read, "rowsWanted"),
        member(read, "cells"));
    for (Object range : (List<?>) member(read, "ranges")) {
      out.printf("range     %s%n", member(range, "table"));
      out.printf("  from    %-60s %s%n", member(range, "from"), member(range, "fromHex"));
      out.printf("  to      %-60s %s%n", member(range, "to"), member(range, "toHex"));
    }
    print("filter    ", read, "filters");
    for (Object alternative : (List<?>) member(read, "alternatives")) {
      out.printf(
          "way       %s, cost %s: %s%n",
          member(alternative, "name"), member(alternative, "cost"), member(alternative, "reason"));
    }
    print("not read  ", read, "lost");
    print("note      ", read, "notes");
  }

  private void print(String label, Object read, String name) {
    for (Object line : (List<?>) member(read, name)) {
      out.println(label + line);
    }
  }

  private void printCell(Object cell) {
    out.printf(
        "%s  %s/%s%s  %s%n",
        member(cell, "layout"),
        member(cell, "table"),
        member(cell, "family"),
        member(cell, "index").equals(true) ? " (index)" : "",
        member(cell, "summary"));
    for (Object part : (List<?>) member(cell, "parts")) {
      out.printf(
          "  %-9s  %-22s %-30s %s%n",
          member(part, "coordinate"),
          member(part, "label"),
          member(part, "text"),
          member(part, "hex"));
    }
  }

  private static Object member(Object object, String name) {
    return JsonTree.member(object, name);
  }
}
