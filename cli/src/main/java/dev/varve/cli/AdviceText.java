package dev.varve.cli;

import dev.varve.cli.io.JsonTree;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Prints advice for people: what to do, why, what it brings, and how it is done. */
final class AdviceText {
  private static final int QUERIES_SHOWN = 10;
  private static final double SMALL = 0.05;

  private final Object advice;

  AdviceText(Object advice) {
    this.advice = advice;
  }

  void print(PrintWriter out) {
    out.printf(
        "%s: %s%n",
        printable(JsonTree.text(advice, "dataset")), verdict(JsonTree.text(advice, "verdict")));
    String layouts =
        JsonTree.list(JsonTree.member(advice, "layout")).stream()
            .map(String::valueOf)
            .collect(Collectors.joining("; "));
    out.printf("Present layout: %s%n", printable(layouts));
    for (Object missing : JsonTree.list(JsonTree.member(advice, "missing"))) {
      out.printf("Missing: %s%n", printable(String.valueOf(missing)));
    }
    for (Object reason : JsonTree.list(JsonTree.member(advice, "reasons"))) {
      out.printf(
          "%n%s: %s%n  %s%n",
          JsonTree.text(reason, "rule"),
          JsonTree.text(reason, "about"),
          printable(JsonTree.text(reason, "text")));
    }
    Object proposal = optional(advice, "proposal");
    // In blocks nothing is planned: there is no layout to compare them with.
    if (number(JsonTree.member(JsonTree.member(advice, "present"), "write"), "cells") > 0) {
      costs(proposal, out);
    }
    queries(proposal != null, out);
    if (proposal != null) {
      for (Object command : JsonTree.list(JsonTree.member(proposal, "commands"))) {
        out.printf("%n%s%n%n", printable(JsonTree.text(command, "about")));
        JsonTree.text(command, "text")
            .lines()
            .forEach(line -> out.println(line.isEmpty() ? "" : "    " + printable(line)));
      }
    }
  }

  private static String verdict(String verdict) {
    return switch (verdict) {
      case "keep" -> "keep the layout";
      case "change" -> "change the layout";
      case "companion" -> "add a second layout";
      default -> "too little is known to advise";
    };
  }

  private void costs(@Nullable Object proposal, PrintWriter out) {
    Object present = JsonTree.member(advice, "present");
    Object read = JsonTree.member(present, "read");
    Object then = proposal == null ? null : JsonTree.member(proposal, "read");
    out.printf(
        "%n%-28s %14s%s%n",
        "a query, as planned", "present", then == null ? "" : "       proposed");
    for (String[] line :
        new String[][] {
          {"ranges", "requests"}, {"rows", "rows"}, {"cells", "cells"}, {"bytes", "bytes"}
        }) {
      line(
          line[0],
          number(read, line[1]),
          then == null ? null : number(then, line[1]),
          "%,.1f",
          out);
    }
    Object write = JsonTree.member(present, "write");
    Object later = proposal == null ? null : JsonTree.member(proposal, "write");
    out.printf("%na sample written%n");
    for (String[] line :
        new String[][] {
          {"cells", "cells"}, {"bytes", "bytes"}, {"bytes of the largest row", "largestRow"}
        }) {
      line(
          line[0],
          number(write, line[1]),
          later == null ? null : number(later, line[1]),
          "%,.1f",
          out);
    }
    line(
        "% of writes in one place",
        100 * number(write, "hottest"),
        later == null ? null : 100 * number(later, "hottest"),
        "%,.0f",
        out);
  }

  private static void line(
      String name, double present, @Nullable Double proposed, String form, PrintWriter out) {
    out.printf(
        "  %-26s %14s%s%n",
        name, text(present, form), proposed == null ? "" : " %14s".formatted(text(proposed, form)));
  }

  /** Writes a number in a form, or with one digit if that would leave nothing of it. */
  private static String text(double value, String form) {
    return String.format(Locale.ROOT, value > 0 && value < SMALL ? "%.1g" : form, value);
  }

  /** Returns a member of an object; null if it is null or missing. */
  private static @Nullable Object optional(Object object, String name) {
    return object instanceof Map<?, ?> map ? map.get(name) : null;
  }

  private static double number(@Nullable Object of, String name) {
    Object value = of == null ? null : optional(of, name);
    return value instanceof Number number ? number.doubleValue() : 0;
  }

  private void queries(boolean proposed, PrintWriter out) {
    List<Object> queries = JsonTree.list(JsonTree.member(advice, "queries"));
    if (queries.isEmpty()) {
      return;
    }
    out.printf(
        "%nqueries, and the cells that one read, reads%s%n", proposed ? ", and would read" : "");
    for (Object query : queries.subList(0, Math.min(QUERIES_SHOWN, queries.size()))) {
      out.printf(
          "  %3.0f %%  %,14.0f %,14.0f%s  %s%n",
          100 * number(query, "share"),
          number(JsonTree.member(query, "measured"), "cells"),
          number(JsonTree.member(query, "present"), "cells"),
          proposed ? " %,14.0f".formatted(number(optional(query, "proposed"), "cells")) : "",
          printable(JsonTree.text(query, "query")));
    }
  }

  /** Replaces characters that a terminal would interpret as commands. */
  private static String printable(String text) {
    return text.codePoints()
        .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
