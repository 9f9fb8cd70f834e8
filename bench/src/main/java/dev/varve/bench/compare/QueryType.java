package dev.varve.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Queries of one form that differ in hosts and times.
 *
 * @param reason why VictoriaMetrics' answers differ from Prometheus'; empty if they do not
 * @param maker draws a query
 */
record QueryType(String name, String reason, Function<SplittableRandom, Question> maker) {
  /** Returns the first queries; they are the same in every run. */
  List<Question> questions(int count) {
    SplittableRandom random = new SplittableRandom(name.hashCode());
    List<Question> questions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      questions.add(maker.apply(random));
    }
    return questions;
  }

  boolean isIn(Language language) {
    return questions(1).getFirst().texts().containsKey(language);
  }

  /** Returns the queries of a data set; none for those that are only written. */
  static List<QueryType> of(DataSet data) {
    return switch (data.name()) {
      case "tsbs", "late" -> new TsbsQueries(data).types();
      case "mixed" -> new MixedQueries(data).types();
      default -> List.of();
    };
  }

  /** Draws a range that lies in the data set and begins at a whole minute. */
  static long from(SplittableRandom random, DataSet data, long length) {
    long minutes = (data.end() - DataSet.START - length) / DataSet.MINUTE;
    return DataSet.START + random.nextLong(minutes + 1) * DataSet.MINUTE;
  }
}
