package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.query.promql.PromQl;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checks that no rule accepts a difference that may be a defect of Varve. */
class KnownDifferenceTest {
  private static final long SEED = 35;
  private static final long NOON = RandomSeries.START + 3_600_000L;
  private static final SampleOrders SAMPLES = samples();

  private static SampleOrders samples() {
    Set<String> asked = Set.of("temperature", "queue", "ratio", "boot_time_seconds");
    List<RandomSeries.Made> series = new ArrayList<>(RandomSeries.of(SEED));
    series.removeIf(made -> !asked.contains(made.labels().getOrDefault("__name__", "")));
    double[] values = {1e308, -1e308, 1e308};
    for (int i = 0; i < values.length; i++) {
      Map<String, String> labels = Map.of("__name__", "huge", "instance", Integer.toString(i));
      series.add(new RandomSeries.Made(labels, List.of(NOON), List.of(values[i])));
    }
    return SampleOrders.of(series, null, SEED);
  }

  private static AskedAgain asked(String query, long time) {
    return new AskedAgain(query, SAMPLES, time, time, 0);
  }

  /** Returns what would explain a changed answer of Prometheus; null if nothing does. */
  private static @Nullable KnownDifference judged(String query, UnaryOperator<Answer> change) {
    return judged(asked(query, NOON), change);
  }

  private static @Nullable KnownDifference judged(AskedAgain asked, UnaryOperator<Answer> change) {
    Answer ours = asked.answer();
    Answer theirs = change.apply(ours);
    boolean ordered = KnownDifference.isSort(PromQl.parse(asked.query()));
    assertThat(ours.difference(theirs, ordered)).as(asked.query()).isNotNull();
    return KnownDifference.of(
        new KnownDifference.Found(PromQl.parse(asked.query()), ours, theirs, ordered), asked);
  }

  private static Answer reversed(Answer answer) {
    Map<Map<String, String>, Answer.Row> rows = new LinkedHashMap<>();
    List<Map<String, String>> labels = new ArrayList<>(answer.rows().keySet());
    labels.reversed().forEach(one -> rows.put(one, row(answer, one)));
    return new Answer(answer.type(), rows, answer.text(), answer.notes());
  }

  private static Answer.Row row(Answer answer, Map<String, String> labels) {
    return answer.rows().getOrDefault(labels, new Answer.Row(new long[0], new double[0]));
  }

  private static UnaryOperator<Answer> values(DoubleUnaryOperator change) {
    return answer -> {
      Map<Map<String, String>, Answer.Row> rows = new LinkedHashMap<>();
      answer
          .rows()
          .forEach((labels, row) ->
              rows.put(
                  labels,
                  new Answer.Row(row.times(), Arrays.stream(row.values()).map(change).toArray())));
      return new Answer(answer.type(), rows, answer.text(), answer.notes());
    };
  }

  private static UnaryOperator<Answer> notes(String pattern, String other) {
    return answer -> {
      TreeSet<String> notes = new TreeSet<>();
      answer.notes().forEach(note -> notes.add(note.replaceAll(pattern, other)));
      return answer.withNotes(notes);
    };
  }

  private static UnaryOperator<Answer> error(String pattern, String other) {
    return answer -> Answer.error(answer.text().replaceAll(pattern, other));
  }

  @Test
  void theOrderUnderSortCounts() {
    for (String query :
        List.of(
            "sort(temperature)",
            "sort_desc(temperature)",
            "(sort(exp(temperature)))",
            "sort(sum by (instance) (temperature))",
            "sort_desc(topk(3, temperature))",
            "sort(count_values(\"v\", exp(ratio)) > -Inf or queue)")) {
      assertThat(judged(query, KnownDifferenceTest::reversed)).as(query).isNull();
    }
  }

  @Test
  void theDirectionOfSortCounts() {
    String query = "sort(temperature)";
    Answer down = asked("sort_desc(temperature)", NOON).answer();
    assertThat(judged(query, ours -> down)).isNull();
  }

  @Test
  void placesOfNotesHaveAReason() {
    String place = "\\(\\d+:\\d+\\)$";
    assertThat(judged("rate(temperature[5m])", notes(place, "(1:1)"))).isNull();
    assertThat(judged("rate(temperature[5m])", notes(place, "(1:7)"))).isNull();
    assertThat(judged("abs(rate(temperature[5m:15s]))", notes(place, "(1:1)")))
        .isEqualTo(KnownDifference.PLACES);
    assertThat(judged("abs(rate(temperature[5m:15s]))", notes(place, "(1:5)"))).isNull();
    assertThat(judged("rate((temperature[5m]))", notes(place, "(1:6)")))
        .isEqualTo(KnownDifference.PLACES);
    assertThat(judged("rate((temperature[5m]))", notes(place, "(1:5)"))).isNull();
    String twice = "rate(temperature[5m]) + rate(temperature[5m])";
    assertThat(judged(twice, notes("\\(1:6\\)", "(1:30)"))).isEqualTo(KnownDifference.PLACES);
    assertThat(judged(twice, notes("\\(1:6\\)", "(1:7)"))).isNull();
    assertThat(judged("quantile(2, temperature)", notes(place, "(1:1)"))).isNull();
  }

  @Test
  void notesThatAreMissingOrTooManyCount() {
    UnaryOperator<Answer> none = answer -> answer.withNotes(new TreeSet<>());
    for (String query :
        List.of(
            "rate(temperature[5m])",
            "sum(rate(temperature[5m]))",
            "exp(rate(temperature[5m:1m]))",
            "quantile(2, exp(temperature))")) {
      assertThat(judged(query, none)).as(query).isNull();
      assertThat(
              judged(
                  query,
                  answer -> {
                    TreeSet<String> more = new TreeSet<>(answer.notes());
                    more.add("PromQL warning: something else (1:1)");
                    return answer.withNotes(more);
                  }))
          .as(query)
          .isNull();
    }
  }

  @Test
  void valuesThatHangOnAnOrderLieAmongThoseOfOtherOrders() {
    UnaryOperator<Answer> infinite = values(value -> Double.POSITIVE_INFINITY);
    assertThat(judged("sum(huge)", infinite)).isEqualTo(KnownDifference.ORDER_OF_SERIES);
    assertThat(judged("sum(huge)", values(value -> 12))).isNull();
    assertThat(judged("sum(huge)", values(value -> Double.NaN))).isNull();
    assertThat(judged("sum(huge)", values(value -> -value))).isNull();
  }

  @Test
  void valuesThatHangOnALastDigitLieWhereTheyMay() {
    String chaotic = "sin(exp(abs(temperature) + 20) * 1e12)";
    Answer nextDigit =
        asked("sin(exp(abs(temperature) + 20) * (1 + 2.220446049250313e-16) * 1e12)", NOON)
            .answer();
    assertThat(judged(chaotic, ours -> nextDigit)).isEqualTo(KnownDifference.LAST_DIGITS);
    assertThat(judged(chaotic, values(value -> 7))).isNull();
    Answer cosine = asked("cos(exp(abs(temperature) + 20) * 1e12)", NOON).answer();
    assertThat(judged(chaotic, ours -> cosine)).isNull();
    assertThat(judged("exp(temperature)", values(value -> value * 1.00001))).isNull();
    assertThat(judged("sum(temperature)", values(value -> value * 1.00001))).isNull();
    assertThat(judged("topk(2, boot_time_seconds)", values(value -> value * 1.00001))).isNull();
  }

  @Test
  void textsOfErrorsCount() {
    String twins = "temperature + on (job) temperature";
    assertThat(judged(twins, error("\\[(.*), (\\{.*)]", "[$2, $1]")))
        .isEqualTo(KnownDifference.WHICH_ERROR);
    assertThat(judged(twins, error("instance=\"\\d\"", "instance=\"7\""))).isNull();
    assertThat(judged(twins, error("job=\"", "job=\"x"))).isNull();
    assertThat(judged(twins, error("on the right", "on the left"))).isNull();
    assertThat(judged(twins, error("found", "there were"))).isNull();
    assertThat(
            judged(
                "label_replace(temperature, \"\", \"x\", \"job\", \".*\")",
                error("invalid", "wrong")))
        .isNull();
    assertThat(judged("abs({__name__=~\"temperature|queue\"})", error("vector", "matrix")))
        .isNull();
  }

  @Test
  void noNumberIsAnInfinity() {
    for (double other : new double[] {Double.POSITIVE_INFINITY, Double.NaN, -0x1p-1074}) {
      assertThat(judged("temperature", values(value -> other))).isNull();
      assertThat(judged("exp(temperature)", values(value -> other))).isNull();
    }
  }

  @Test
  void anErrorIsNoAnswer() {
    for (String query :
        List.of(
            "sum(temperature)",
            "sum(exp(temperature))",
            "max_over_time(temperature[5m:1m])",
            "topk(1, temperature)")) {
      assertThat(judged(query, answer -> Answer.error("it is wrong"))).as(query).isNull();
    }
  }
}
