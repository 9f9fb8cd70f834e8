package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.Printer;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.QueryGenerator;
import dev.varve.query.promql.QueryUses;
import dev.varve.query.running.Runs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares random queries of random series with a real Prometheus: values, errors and warnings. A
 * difference is a {@link KnownDifference} or fails the test. At the end, {@code
 * target/promql-uses.md} shows how often each part of the language was used.
 */
class PrometheusIT {
  private static final int QUERIES = Integer.getInteger("varve.promql.queries", 1_000);
  private static final long SEED = Long.getLong("varve.promql.seed", 35);
  private static final int DIFFERENCES_SHOWN = 40;
  private static final long[] STEPS = {15_000, 37_000, 60_000, 300_000, 12_345, 1_800_000};
  private static final int TRIES = 200_000;

  /**
   * Functions of native histograms, which are not supported: they return nothing for other samples.
   */
  private static final Set<String> OF_NATIVE_HISTOGRAMS =
      Set.of(
          "histogram_avg()",
          "histogram_count()",
          "histogram_stddev()",
          "histogram_stdvar()",
          "histogram_sum()");

  @TempDir private Path directory;

  private final Map<String, int[]> uses = new TreeMap<>();
  private final Map<KnownDifference, Integer> known = new TreeMap<>();
  private final List<String> differences = new ArrayList<>();
  private int asked;
  private int errors;
  private int empty;

  @Test
  void randomQueriesGiveWhatPrometheusGives() throws IOException {
    QueryUses.all().forEach(use -> uses.put(use, new int[2]));
    List<RandomSeries.Made> series = RandomSeries.of(SEED);
    Path original = Files.createDirectories(directory.resolve("prometheus"));
    try (Engine engine = engine();
        OriginalPrometheus prometheus = OriginalPrometheus.with(series, original)) {
      Dataset dataset = engine.defaultDataset();
      write(series, dataset);
      SampleOrders samples = SampleOrders.of(series, Runs.of(dataset), SEED);
      Random random = new Random(SEED);
      QueryGenerator queries = new QueryGenerator(random, RandomSeries.VOCABULARY);
      for (int i = 0; i < QUERIES; i++) {
        ask(random, queries.next(1 + random.nextInt(4)), samples, prometheus);
      }
      // Search for uses that have not occurred by chance.
      for (int i = 0; i < TRIES && !missing().isEmpty(); i++) {
        Expr query = queries.next(1 + random.nextInt(4));
        if (!Collections.disjoint(QueryUses.of(query), missing())) {
          ask(random, query, samples, prometheus);
        }
      }
      report(prometheus.version());
    }
    assertThat(differences).as("seed %d", SEED).isEmpty();
    assertThat(missing()).as("never used, or never with an answer").isEmpty();
  }

  private Set<String> missing() {
    Set<String> missing = new TreeSet<>();
    uses.forEach((use, count) -> {
      if (count[OF_NATIVE_HISTOGRAMS.contains(use) ? 0 : 1] == 0) {
        missing.add(use);
      }
    });
    return missing;
  }

  /** Rows are short, so that long steps skip some. */
  private Engine engine() throws IOException {
    Layout layout = Layouts.of(Layouts.OF_CELLS, Map.of("bucket", "10m"));
    DatasetConfig dataset =
        new DatasetConfig(
            "main",
            new StoreConfig("memory", Map.of()),
            List.of(new PeriodConfig(Instant.MIN, List.of(layout))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    Path home = Files.createDirectories(directory.resolve("varve"));
    return Engine.open(
        new EngineConfig(home, EngineConfig.DEFAULT_MEMORY, List.of(dataset), "main"));
  }

  private static void write(List<RandomSeries.Made> series, Dataset dataset) {
    BatchBuilder batch = new BatchBuilder();
    for (RandomSeries.Made made : series) {
      GroupKey key = SampleOrders.key(made);
      for (int i = 0; i < made.times().size(); i++) {
        batch.group(key).add("value", made.times().get(i), made.values().get(i));
      }
    }
    assertThat(dataset.write(batch.build()).refused()).isZero();
  }

  private void ask(Random random, Expr expr, SampleOrders samples, OriginalPrometheus prometheus) {
    asked++;
    String query = Printer.print(expr);
    long start = RandomSeries.START + random.nextInt(-300, 3 * 3600) * 1000L;
    AskedAgain here;
    Answer theirs;
    String when;
    if (random.nextBoolean()) {
      long time = random.nextBoolean() ? start : start + random.nextInt(1000);
      here = new AskedAgain(query, samples, time, time, 0);
      theirs = prometheus.instant(query, time);
      when = "at " + time;
    } else {
      long step = STEPS[random.nextInt(STEPS.length)];
      long end = start + random.nextInt(2400) * 1000L;
      here = new AskedAgain(query, samples, start, end, step);
      theirs = prometheus.range(query, start, end, step);
      when = "from %d to %d by %d".formatted(start, end, step);
    }
    compare(expr, when, theirs, here);
    count(expr, theirs);
  }

  private void compare(Expr expr, String when, Answer theirs, AskedAgain here) {
    Answer ours = here.answer();
    boolean ordered = isOrdered(expr, theirs);
    String difference = ours.difference(theirs, ordered);
    if (difference == null) {
      return;
    }
    KnownDifference reason =
        KnownDifference.of(
            new KnownDifference.Found(PromQl.parse(here.query()), ours, theirs, ordered), here);
    if (reason != null) {
      known.merge(reason, 1, Integer::sum);
    } else if (differences.size() < DIFFERENCES_SHOWN) {
      differences.add(
          "%s%n  %s%n  %s%n  ours %s%n  theirs %s"
              .formatted(here.query(), when, difference, ours.head(), theirs.head()));
    }
  }

  /** Returns whether the order of the result matters. */
  private static boolean isOrdered(Expr expr, Answer answer) {
    return answer.type().equals("vector") && KnownDifference.isSort(expr);
  }

  private void count(Expr expr, Answer answer) {
    errors += answer.isError() ? 1 : 0;
    empty += answer.isEmpty() && !answer.isError() ? 1 : 0;
    for (String use : QueryUses.of(expr)) {
      int[] count = uses.computeIfAbsent(use, name -> new int[2]);
      count[0]++;
      count[1] += answer.isEmpty() ? 0 : 1;
    }
  }

  private void report(String version) throws IOException {
    StringBuilder report = new StringBuilder();
    report.append(
        "Prometheus %s, seed %d: %,d queries, %d failed in both, %d gave nothing, %d differ%n%n"
            .formatted(version, SEED, asked, errors, empty, differences.size()));
    known.forEach((reason, count) ->
        report.append("%d differ as is known: %s%n%n".formatted(count, reason.reason())));
    report.append("| what | used | with an answer |\n| --- | ---: | ---: |\n");
    uses.forEach((use, count) ->
        report.append(String.format(Locale.ROOT, "| `%s` | %d | %d |%n", use, count[0], count[1])));
    Files.createDirectories(Path.of("target"));
    Files.writeString(Path.of("target", "promql-uses.md"), report);
    System.out.println(report.substring(0, report.indexOf("| what")));
    differences.forEach(System.out::println);
  }
}
