package dev.varve.bench.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;

/**
 * Prints the figures of a run as tables in Markdown. A number in parentheses is the ratio to the
 * best server that is not Varve; a star marks a figure of an earlier run.
 */
public final class Report {
  private final Results results;

  Report(Results results) {
    this.results = results;
  }

  /** Prints the tables of the file that a run has written. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      System.err.println("usage: Report FILE");
      System.exit(2);
    }
    System.out.print(new Report(Results.read(Path.of(arguments[0]))).text());
  }

  String text() {
    StringBuilder text = new StringBuilder();
    results.header().forEach((name, fact) -> text.append("- %s: %s%n".formatted(name, fact)));
    results.notes().forEach(note -> text.append("- %s%n".formatted(note)));
    for (String data : values(results.figures(), Figure::dataset)) {
      List<Figure> ofData = with(results.figures(), figure -> figure.dataset().equals(data));
      for (String protocol : values(ofData, Figure::protocol)) {
        List<Figure> figures = with(ofData, figure -> figure.protocol().equals(protocol));
        List<Figure> writing = with(figures, figure -> figure.query().isEmpty());
        table(
            text, "%s by %s".formatted(data, protocol), writing, Measures.WRITING, Figure::measure);
        String state = protocol.isEmpty() ? "" : " (%s)".formatted(protocol);
        for (String measure : Measures.ASKING) {
          List<Figure> asking =
              with(figures, one -> one.measure().equals(measure) && !one.query().isEmpty());
          List<String> queries = List.copyOf(values(asking, Figure::query));
          table(
              text,
              "Queries of %s%s: %s".formatted(data, state, measure),
              asking,
              queries,
              Figure::query);
          means(text, asking, queries.size());
        }
      }
    }
    return text.toString();
  }

  /** Appends a table with a column for each server, unless there are no figures for it. */
  private static void table(
      StringBuilder text,
      String title,
      List<Figure> figures,
      List<String> rows,
      Function<Figure, String> rowOf) {
    Set<String> servers = values(figures, Figure::server);
    if (servers.isEmpty()) {
      return;
    }
    text.append("%n%s:%n%n| | %s |%n".formatted(title, String.join(" | ", servers)));
    text.append("| --- |").append(" ---: |".repeat(servers.size())).append("\n");
    for (String row : rows) {
      List<Figure> ofRow = with(figures, figure -> rowOf.apply(figure).equals(row));
      if (ofRow.isEmpty()) {
        continue;
      }
      List<String> cells = new ArrayList<>();
      for (String server : servers) {
        cells.add(
            with(ofRow, figure -> figure.server().equals(server)).stream()
                .map(figure -> cell(figure, ofRow))
                .findFirst()
                .orElse(""));
      }
      text.append("| %s | %s |%n".formatted(row, String.join(" | ", cells)));
    }
  }

  /** Appends a row of means to a table of several queries. */
  private static void means(StringBuilder text, List<Figure> figures, int queries) {
    List<String> means =
        values(figures, Figure::server).stream().map(server -> mean(server, figures)).toList();
    if (queries > 1 && means.stream().anyMatch(mean -> !mean.isEmpty())) {
      text.append("| geometric mean of the ratios | %s |%n".formatted(String.join(" | ", means)));
    }
  }

  private static String cell(Figure figure, List<Figure> row) {
    String number = number(figure.value()) + (figure.known() ? "*" : "");
    OptionalDouble ratio = ratio(figure, row);
    return ratio.isEmpty()
        ? number
        : number + String.format(Locale.ROOT, " (%.2f)", ratio.getAsDouble());
  }

  /** Returns the ratio to the best peer, where that says something. */
  private static OptionalDouble ratio(Figure figure, List<Figure> row) {
    if (isPeer(figure) || !Measures.COMPARED.contains(figure.measure())) {
      return OptionalDouble.empty();
    }
    DoubleStream peers =
        with(row, Report::isPeer).stream().mapToDouble(Figure::value).filter(value -> value > 0);
    OptionalDouble best = figure.measure().equals(Measures.RATE) ? peers.max() : peers.min();
    return best.stream().map(value -> figure.value() / value).findFirst();
  }

  /** Returns the geometric mean of a server's ratios over all queries; empty for a peer. */
  private static String mean(String server, List<Figure> figures) {
    DoubleSummaryStatistics logarithms =
        with(figures, figure -> figure.server().equals(server)).stream()
            .flatMapToDouble(figure ->
                ratio(figure, with(figures, other -> other.query().equals(figure.query())))
                    .stream())
            .map(Math::log)
            .filter(Double::isFinite)
            .summaryStatistics();
    return logarithms.getCount() == 0
        ? ""
        : String.format(Locale.ROOT, "(%.2f)", Math.exp(logarithms.getAverage()));
  }

  private static boolean isPeer(Figure figure) {
    return !figure.server().startsWith("varve") && !figure.server().startsWith("before");
  }

  private static List<Figure> with(List<Figure> figures, Predicate<Figure> condition) {
    return figures.stream().filter(condition).toList();
  }

  private static Set<String> values(List<Figure> figures, Function<Figure, String> part) {
    Set<String> found = new LinkedHashSet<>();
    figures.forEach(figure -> found.add(part.apply(figure)));
    return found;
  }

  private static String number(double value) {
    boolean whole = value == Math.rint(value) || Math.abs(value) >= 100;
    return String.format(Locale.ROOT, whole ? "%,.0f" : "%.3g", value);
  }
}
