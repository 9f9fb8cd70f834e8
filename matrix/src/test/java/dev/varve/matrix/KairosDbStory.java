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
 * What KairosDB and Varve's server write in turn at one keyspace, by chance, and what both have to
 * answer after every turn. Both are spoken to with the same requests.
 */
final class KairosDbStory {
  static final long ROW = 1_814_400_000L;
  static final TimeRange TIMES = new TimeRange(-5 * ROW, 1000 * ROW);

  private static final int ROUNDS = 3;

  /** The last row that is written to, whose time is a whole number of rows. */
  private static final long LAST_ROW = 937 * ROW;

  private static final List<String> METRICS = List.of("taken over", "\u00fcber: alles=\u2603");

  /** What the values of a series are. */
  private enum Values {
    LONGS,
    DOUBLES,
    TEXTS,
    /** The time decides, so that two kinds never meet at one instant. */
    ANY
  }

  /** A series; its host is told by no other of its metric. */
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

  /** Has so many points written by each of the two, and some deleted by KairosDB. */
  void tell(int points) {
    for (int round = 0; round < ROUNDS; round++) {
      write(kairos, Math.ceilDiv(points, ROUNDS));
      check("written by KairosDB");
      write(varve, Math.ceilDiv(points, ROUNDS));
      check("written by Varve");
      delete();
      check("deleted by KairosDB");
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
      // Of two points of one request at one instant KairosDB keeps any.
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

  /** An instant: one that has a point, the border of a row, before 1970, or any of the last row. */
  private long time(Told told) {
    NavigableMap<Long, Value> known = of(told);
    int what = random.nextInt(100);
    if (what < 10 && !known.isEmpty()) {
      Long time = known.ceilingKey(known.firstKey() + random.nextLong(span(known)));
      return time == null ? known.firstKey() : time;
    }
    if (what < 11) {
      // Nearly every millisecond before 1970 is a row of its own.
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

  /** Deletes a stretch of the last row of one series, and never the whole row. */
  private void delete() {
    Told told = new ArrayList<>(model.keySet()).get(random.nextInt(model.size()));
    long from = LAST_ROW + 1 + random.nextLong(ROW / 2);
    TimeRange stretch = new TimeRange(from, from + random.nextLong(ROW / 4));
    kairos.delete(told.metric, Tags.of("host", told.host()), stretch);
    of(told).subMap(stretch.from(), stretch.to()).clear();
  }

  private void check(String what) {
    check(kairos, what + ", read by KairosDB");
    check(varve, what + ", read by Varve");
  }

  /** KairosDB answers before it has written; Varve looks for rows of others now and then. */
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
