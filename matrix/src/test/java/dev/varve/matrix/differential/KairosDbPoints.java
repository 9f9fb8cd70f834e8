package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The points that random queries of KairosDB's API are about. */
final class KairosDbPoints {
  /** The metrics with points between {@link #START} and {@link #END}. */
  static final List<String> DENSE =
      List.of("cpu", "same.times", "mixed", "text", "one", "\u00fcber all", "none");

  /** A metric with points between {@link #SPARSE_START} and {@link #SPARSE_END}. */
  static final String SPARSE = "sparse";

  static final long START = 1_700_000_000_000L;
  static final long END = START + 2 * 3_600_000L;

  /** In this range clocks of Europe and of America are changed. */
  static final long SPARSE_START = 1_708_000_000_000L;

  static final long SPARSE_END = SPARSE_START + 80 * 86_400_000L;

  private static final int POINTS = 40;

  private final Choices choices;
  private final List<Object> bodies = new ArrayList<>();

  private KairosDbPoints(Choices choices) {
    this.choices = choices;
  }

  /** Returns requests that write all points. */
  static List<Request> writes(Choices choices) {
    KairosDbPoints points = new KairosDbPoints(choices);
    points.make();
    return points.bodies.stream()
        .map(body ->
            new Request(
                "POST",
                "/api/v1/datapoints",
                JsonTree.write(List.of(body)),
                Set.of("endpoint POST datapoints")))
        .toList();
  }

  private void make() {
    for (String host : List.of("a", "b", "c")) {
      for (String dc : List.of("x", "y")) {
        boolean whole = choices.oneIn(2);
        series("cpu", JsonTree.object("host", host, "dc", dc), random(START, END, whole));
      }
      series("same.times", JsonTree.object("host", host), minutes());
    }
    series("same.times", JsonTree.object("host", "d", "rack", "r1"), minutes());
    series("mixed", JsonTree.object("host", "a"), mixed());
    series("mixed", JsonTree.object("host", "b"), random(START, END, true));
    series("text", JsonTree.object("host", "a"), texts());
    series("text", JsonTree.object("host", "b"), texts());
    series("one", JsonTree.object("host", "a"), List.of(List.of(START + 60_000, 7)));
    series(
        "\u00fcber all",
        JsonTree.object("tag name", "va:l=ue", "host", "a"),
        random(START, END, false));
    series(SPARSE, JsonTree.object("host", "a"), random(SPARSE_START, SPARSE_END, true));
    series(SPARSE, JsonTree.object("host", "b"), random(SPARSE_START, SPARSE_END, false));
  }

  private void series(String metric, Map<String, @Nullable Object> tags, List<Object> points) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("name", metric);
    body.put("tags", tags);
    body.put("datapoints", points);
    bodies.add(body);
  }

  private List<Object> random(long from, long to, boolean whole) {
    List<Object> points = new ArrayList<>();
    for (int i = 0; i < POINTS; i++) {
      points.add(List.of(choices.between(from, to), whole ? whole() : quarter()));
    }
    return points;
  }

  private List<Object> minutes() {
    List<Object> points = new ArrayList<>();
    // Different values at one time, since the order of equal points is not defined.
    int series = bodies.size();
    for (int i = 0; i < POINTS; i++) {
      points.add(List.of(START + 60_000L * i, 10 * choices.below(50) + series));
    }
    return points;
  }

  private List<Object> mixed() {
    List<Object> points = new ArrayList<>();
    for (int i = 0; i < POINTS; i++) {
      Object value =
          choices.pick(
              whole(),
              quarter(),
              "text " + i,
              new JsonTree.Numeral("1.0E20"),
              9_007_199_254_740_993L);
      points.add(List.of(START + 90_000L * i + choices.below(80_000), value));
    }
    return points;
  }

  private List<Object> texts() {
    List<Object> points = new ArrayList<>();
    for (int i = 0; i < POINTS / 2; i++) {
      points.add(List.of(START + choices.below(7_000_000), "word " + choices.below(9)));
    }
    return points;
  }

  private long whole() {
    return choices.between(-100, 100);
  }

  /** Returns a number whose sums are exact. */
  private Object quarter() {
    return new JsonTree.Numeral(String.valueOf(choices.between(-400, 400) / 4.0));
  }
}
