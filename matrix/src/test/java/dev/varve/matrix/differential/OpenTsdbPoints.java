package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The points that random queries of OpenTSDB's API are about. */
final class OpenTsdbPoints {
  static final List<String> DENSE =
      List.of("sys.int", "sys.float", "sys.mixed", "sys.counter", "sys.tags", "sys.ms", "sys.one");

  /** A metric with a point every few hours between {@link #START} and {@link #DAYS_END}. */
  static final String DAYS = "sys.days";

  /** Start of an hour, in seconds; the day on which America changes its clocks. */
  static final long START = 1_710_000_000;

  static final long END = START + 3 * 3600;
  static final long DAYS_END = START + 70 * 86_400L;

  static final List<String> METRICS =
      List.of(
          "hist.ms",
          "roll.int",
          "sys.counter",
          "sys.days",
          "sys.float",
          "sys.int",
          "sys.mixed",
          "sys.ms",
          "sys.one",
          "sys.tags");

  /** Names as the original gets to know them, so that its order by UIDs is Varve's by names. */
  static final List<String> TAGS = List.of("rack", "host", "dc", "_aggregate");

  static final List<String> VALUES =
      List.of("aus", "db-1", "lga", "MAX", "r1", "r2", "sjc", "SUM", "web01", "Web02", "web03");

  private final Choices choices;
  private final List<Object> points = new ArrayList<>();

  private OpenTsdbPoints(Choices choices) {
    this.choices = choices;
  }

  /** Returns requests that assign UIDs in the order of names, to be sent to the original alone. */
  static List<Request> names() {
    List<Request> requests = new ArrayList<>();
    METRICS.forEach(name -> requests.add(assign("metric", name)));
    TAGS.forEach(name -> requests.add(assign("tagk", name)));
    VALUES.forEach(name -> requests.add(assign("tagv", name)));
    return requests;
  }

  private static Request assign(String kind, String name) {
    return new Request("GET", "/api/uid/assign?%s=%s".formatted(kind, name), null, Set.of());
  }

  /** Returns requests that write all points. */
  static List<Request> writes(Choices choices) {
    OpenTsdbPoints all = new OpenTsdbPoints(choices);
    all.make();
    List<Request> requests = new ArrayList<>();
    for (int from = 0; from < all.points.size(); from += 200) {
      List<Object> some = all.points.subList(from, Math.min(all.points.size(), from + 200));
      requests.add(
          new Request(
              "POST", "/api/put?sync&details", JsonTree.write(some), Set.of("endpoint put")));
    }
    return requests;
  }

  private void make() {
    for (String host : List.of("web01", "Web02", "web03")) {
      for (String dc : List.of("lga", "sjc")) {
        Map<String, @Nullable Object> tags = JsonTree.object("host", host, "dc", dc);
        every("sys.int", tags, 300, this::whole);
        every("sys.float", tags, 400, this::quarter);
      }
      every(
          "sys.mixed", JsonTree.object("host", host), 200, () -> choices.pick(whole(), quarter()));
      counter(JsonTree.object("host", host));
      every(DAYS, JsonTree.object("host", host), 40_000, this::whole);
    }
    for (Map<String, @Nullable Object> tags :
        List.of(
            JsonTree.object("host", "web01"),
            JsonTree.object("host", "Web02", "rack", "r1"),
            JsonTree.object("host", "web03", "rack", "r2", "dc", "aus"),
            JsonTree.object("dc", "lga"))) {
      every("sys.tags", tags, 600, this::whole);
    }
    for (String host : List.of("web01", "db-1")) {
      long time = START * 1000 + choices.below(500);
      for (int i = 0; i < 60; i++) {
        time += 1 + choices.below(i % 10 == 0 ? 60_000 : 700);
        add("sys.ms", time, whole(), JsonTree.object("host", host));
      }
    }
    add("sys.one", START + 60, 7, JsonTree.object("host", "db-1"));
  }

  private void every(
      String metric, Map<String, @Nullable Object> tags, int seconds, Supplier<Object> value) {
    long end = metric.equals(DAYS) ? DAYS_END : END;
    for (long time = START + choices.below(seconds);
        time < end;
        time += seconds / 2 + choices.below(seconds)) {
      add(metric, time, value.get(), tags);
    }
  }

  private void counter(Map<String, @Nullable Object> tags) {
    long count = choices.below(1000);
    for (long time = START + choices.below(60); time < END; time += 60 + choices.below(400)) {
      count = choices.oneIn(12) ? choices.below(50) : count + choices.below(500);
      add("sys.counter", time, count, tags);
    }
  }

  private void add(String metric, long time, Object value, Map<String, @Nullable Object> tags) {
    points.add(JsonTree.object("metric", metric, "timestamp", time, "value", value, "tags", tags));
  }

  private Object whole() {
    return choices.between(-100, 100);
  }

  /** Returns a number whose sums are exact. */
  private Object quarter() {
    return new JsonTree.Numeral(String.valueOf(choices.between(-400, 400) / 4.0));
  }
}
