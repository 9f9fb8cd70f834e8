package dev.varve.bench.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Prints the figures of a run as tables in Markdown. */
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
    for (String note : results.notes()) {
      text.append("- %s%n".formatted(note));
    }
    for (String data : of(Figure::dataset)) {
      for (String protocol : of(Figure::protocol)) {
        writing(text, data, protocol);
      }
    }
    return text.toString();
  }

  private void writing(StringBuilder text, String data, String protocol) {
    List<Figure> figures =
        results.figures().stream()
            .filter(figure -> figure.dataset().equals(data))
            .filter(figure -> figure.protocol().equals(protocol))
            .filter(figure -> figure.query().isEmpty())
            .toList();
    Set<String> servers = new LinkedHashSet<>();
    figures.forEach(figure -> servers.add(figure.server()));
    if (servers.isEmpty()) {
      return;
    }
    text.append("%n%s by %s%n%n| | %s |%n".formatted(data, protocol, String.join(" | ", servers)));
    text.append("| --- |" + " ---: |".repeat(servers.size()) + "\n");
    for (String measure : Measures.WRITING) {
      StringBuilder row = new StringBuilder("| " + measure + " |");
      boolean any = false;
      for (String server : servers) {
        String cell =
            figures.stream()
                .filter(figure -> figure.server().equals(server))
                .filter(figure -> figure.measure().equals(measure))
                .map(figure -> number(figure.value()))
                .findFirst()
                .orElse("");
        any |= !cell.isEmpty();
        row.append(" ").append(cell).append(" |");
      }
      if (any) {
        text.append(row).append("\n");
      }
    }
  }

  private Set<String> of(java.util.function.Function<Figure, String> part) {
    Set<String> found = new LinkedHashSet<>();
    results.figures().forEach(figure -> found.add(part.apply(figure)));
    return found;
  }

  static String number(double value) {
    return String.format(
        Locale.ROOT, value == Math.rint(value) || value >= 100 ? "%,.0f" : "%.3g", value);
  }
}
