package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/**
 * A random story in which KairosDB and Varve write in turn to one keyspace, with the answers that
 * both must give after every turn. Both get the same requests.
 */
final class KairosDbStory {
  static final long ROW = 1_814_400_000L;

  /** The time of the last row that is written, a multiple of the row width. */
  static final long LAST_ROW = 937 * ROW;

  static final TimeRange TIMES = new TimeRange(-5 * ROW, 1000 * ROW);

  private static final int ROUNDS = 3;

  /**
   * The metric whose rows are also listed by some of its tags, as KairosDB and Varve are
   * configured.
   */
  static final String INDEXED = "\u00fcber: alles=\u2603";

  static final List<String> INDEXED_TAGS = List.of("host", "d:e=f", "\ud83d\ude00");

  private static final List<String> METRICS = List.of("taken over", INDEXED);

  /** Points written into a row that was deleted as a whole. */
  private static final int WRITTEN_AGAIN = 5;

  /** The kind of values of a series. */
  private enum Values {
    LONGS,
    DOUBLES,
    TEXTS,
    /** The time decides the kind, so that two kinds never meet at one instant. */
    ANY
  }

  /** A series whose host no other series of its metric has. */
  private record Told(String metric, Tags tags, Values values) {
    String host() {
      return String.valueOf(tags.get("host"));
    }
  }

  private final KairosDbClient kairos;
  private final KairosDbClient varve;
  private final long seed;
  private final Random random;
  private final Map<Told, NavigableMap<Long, Value>> model = new LinkedHashMap<>();

  KairosDbStory(KairosDbClient kairos, KairosDbClient varve, long seed) {
    this.kairos = kairos;
    this.varve = varve;
    this.seed = seed;
    this.random = new Random(seed);
    for (String metric : METRICS) {
      told(metric, Tags.of("host", "plain"), Values.LONGS);
      told(metric, Tags.of("host", "a:b=c", "d:e=f", "g"), Values.DOUBLES);
      told(metric, Tags.of("host", "with space", "ort", "Z\u00fcrich \ud83d\ude00"), Values.TEXTS);
      told(metric, Tags.of("host", "=:", "\ud83d\ude00", "x", "\uff5e", "y"), Values.ANY);
    }
  }

  private void told(String metric, Tags tags, Values values) {
    model.put(new Told(metric, tags, values), new TreeMap<>());
  }

  /** Lets each of the two write a number of points, and KairosDB delete some. */
  void tell(int points) {
    for (int round = 0; round < ROUNDS; round++) {
      write(kairos, Math.ceilDiv(points, ROUNDS));
      check("written by KairosDB");
      write(varve, Math.ceilDiv(points, ROUNDS));
      check("written by Varve");
      delete();
      check("deleted by KairosDB");
      List<Told> deleted = deleteRows(round == ROUNDS - 1);
      check("deleted as whole rows by KairosDB");
      writeAgain(deleted);
      check("written by Varve where whole rows were deleted");
    }
  }

  private void write(KairosDbClient client, int points) {
    Map<Told, Map<Long, Value>> written = new HashMap<>();
    List<Told> all = new ArrayList<>(model.keySet());
    for (int count = 0; count < points; ) {
      Told told = all.get(random.nextInt(all.size()));
      long time = time(told);
      Value value = value(told.values, time);
      Map<Long, Value> own = written.computeIfAbsent(told, any -> new TreeMap<>());
      // KairosDB keeps either of two points of one request at one instant.
      count += own.putIfAbsent(time, value) == null ? 1 : 0;
    }
    written.forEach((told, own) -> {
      client.put(told.metric, told.tags, own);
      of(told).putAll(own);
    });
  }

  private NavigableMap<Long, Value> of(Told told) {
    return model.computeIfAbsent(told, any -> new TreeMap<>());
  }

  /**
   * Returns an instant: one with a point, the border of a row, before 1970, or any of the last row.
   */
  private long time(Told told) {
    NavigableMap<Long, Value> known = of(told);
    int what = random.nextInt(100);
    if (what < 10 && !known.isEmpty()) {
      Long time = known.ceilingKey(known.firstKey() + random.nextLong(span(known)));
      return time == null ? known.firstKey() : time;
    }
    if (what < 11) {
      // Nearly every millisecond before 1970 has its own row.
      return -random.nextLong(2 * ROW) - 1;
    }
    if (what < 40) {
      long row = random.nextBoolean() ? random.nextInt(3) * ROW : LAST_ROW;
      return row + random.nextInt(200) - 100;
    }
    return LAST_ROW + random.nextLong(ROW);
  }

  private static long span(NavigableMap<Long, Value> known) {
    return known.lastKey() - known.firstKey() + 1;
  }

  private Value value(Values values, long time) {
    return switch (values) {
      case LONGS -> new Value.Int64(random.nextLong() >> random.nextInt(64));
      case DOUBLES -> new Value.Real(real());
      case TEXTS -> new Value.Text("text \"%d\" \u00e9\ud83d\ude00".formatted(random.nextInt()));
      case ANY -> value(Values.values()[(int) Math.floorMod(time, 3L)], time);
    };
  }

  private double real() {
    return switch (random.nextInt(3)) {
      case 0 -> random.nextInt(2000) / 8.0 - 100;
      case 1 -> random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20);
      default -> random.nextLong() >> random.nextInt(64);
    };
  }

  /** Deletes a range of the last row of one series. */
  private void delete() {
    Told told = new ArrayList<>(model.keySet()).get(random.nextInt(model.size()));
    long from = LAST_ROW + 1 + random.nextLong(ROW / 2);
    TimeRange stretch = new TimeRange(from, from + random.nextLong(ROW / 4));
    kairos.delete(told.metric, Tags.of("host", told.host()), stretch);
    of(told).subMap(stretch.from(), stretch.to()).clear();
  }

  /**
   * Deletes the whole last row of a series of each metric, with its entries in the index tables; or
   * the rows of all its series, and with them the fact that the metric has such a row.
   */
  private List<Told> deleteRows(boolean ofAll) {
    TimeRange row = new TimeRange(LAST_ROW, LAST_ROW + ROW);
    List<Told> deleted = new ArrayList<>();
    for (String metric : METRICS) {
      List<Told> series =
          model.keySet().stream().filter(told -> told.metric.equals(metric)).toList();
      Told one = series.get(random.nextInt(series.size()));
      kairos.delete(metric, ofAll ? Tags.EMPTY : Tags.of("host", one.host()), row);
      deleted.addAll(ofAll ? series : List.of(one));
    }
    deleted.forEach(told -> of(told).subMap(row.from(), row.to()).clear());
    return deleted;
  }

  private void writeAgain(List<Told> deleted) {
    for (Told told : deleted) {
      Map<Long, Value> points = new TreeMap<>();
      while (points.size() < WRITTEN_AGAIN) {
        long time = LAST_ROW + random.nextLong(ROW);
        points.put(time, value(told.values, time));
      }
      varve.put(told.metric, told.tags, points);
      of(told).putAll(points);
    }
  }

  /**
   * Without its entry in the tag index, neither server finds the last row of a series by a tag:
   * both read the index.
   */
  void checkWithoutTagIndexOf(String host) {
    model.forEach((told, points) -> {
      if (told.metric.equals(INDEXED) && told.host().equals(host)) {
        points.subMap(LAST_ROW, LAST_ROW + ROW).clear();
      }
    });
    check("not in the tag index");
  }

  private void check(String what) {
    check(kairos, what + ", read by KairosDB");
    check(varve, what + ", read by Varve");
  }

  /**
   * KairosDB answers before it has written, and Varve looks for rows of other servers periodically.
   */
  private void check(KairosDbClient client, String what) {
    model.forEach((told, points) ->
        await()
            .atMost(Duration.ofSeconds(60))
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(200))
            .untilAsserted(() ->
                assertThat(client.points(told.metric, "host", told.host(), TIMES))
                    .as("-Dvarve.seed=%d, %s: %s", seed, told, what)
                    .isEqualTo(KairosDbClient.shown(points))));
  }
}
