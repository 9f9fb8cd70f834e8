package dev.varve.bench.compare;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The answers of the first server that gave them, with which those of the others are compared. */
final class Answers {
  /** Queries of each type that are compared. */
  static final int COMPARED = 3;

  private record Given(Product server, List<Answer> answers) {}

  private final Map<String, Given> first = new HashMap<>();
  private final Results results;

  Answers(Results results) {
    this.results = results;
  }

  /** Compares the answers to the first queries of a type and notes the differences. */
  void compare(Product server, DataSet data, QueryType type, List<Answer> answers) {
    String place = data.name() + " " + type.name();
    Given other = first.putIfAbsent(place, new Given(server, List.copyOf(answers)));
    if (other == null) {
      if (answers.stream().allMatch(answer -> answer.series().isEmpty())) {
        results.note("%s answers nothing to %s".formatted(server.name(), place));
      }
      return;
    }
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < answers.size(); i++) {
      double difference = answers.get(i).difference(other.answers().get(i));
      if (difference > Answer.AGREEMENT) {
        differences.add(
            Double.isInfinite(difference)
                ? "%s and %s".formatted(size(answers.get(i)), size(other.answers().get(i)))
                : String.format(Locale.ROOT, "values by %.2g", difference));
      }
    }
    if (!differences.isEmpty()) {
      boolean ruled = isVictoriaMetrics(server) != isVictoriaMetrics(other.server());
      results.note(
          "%s and %s differ in %s: %s%s"
              .formatted(
                  server.name(),
                  other.server().name(),
                  place,
                  String.join("; ", differences),
                  ruled && !type.reason().isEmpty()
                      ? "; expected of VictoriaMetrics: " + type.reason()
                      : ""));
    }
  }

  private static boolean isVictoriaMetrics(Product server) {
    return server instanceof VictoriaMetrics;
  }

  private static String size(Answer answer) {
    return "%,d series of %,d points".formatted(answer.series().size(), answer.points());
  }
}
