package dev.varve.query.promql.eval;

import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.query.MemoryRuns;
import dev.varve.query.running.Runs;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Samples, and the same samples with their series in other orders.
 *
 * @param runs by metric and tags
 * @param asStored in the order in which they were sent to Prometheus
 * @param inOtherOrders in random orders; each series is the first in two of them
 */
record SampleOrders(Runs runs, Runs asStored, List<Runs> inOtherOrders) {
  /**
   * Creates the orders of some series.
   *
   * @param runs contains the series; null to hold them in memory
   */
  static SampleOrders of(List<RandomSeries.Made> series, @Nullable Runs runs, long seed) {
    MemoryRuns memory = new MemoryRuns(Resolution.MILLISECONDS);
    for (RandomSeries.Made made : series) {
      for (int i = 0; i < made.times().size(); i++) {
        memory.add(of(made), made.times().get(i), new Value.Real(made.values().get(i)));
      }
    }
    return new SampleOrders(
        runs == null ? memory : runs,
        asStored(series, memory),
        inOtherOrders(series, memory, seed));
  }

  private static Series of(RandomSeries.Made made) {
    return key(made).field(Series.DEFAULT_FIELD);
  }

  static GroupKey key(RandomSeries.Made made) {
    Map<String, String> labels = new TreeMap<>(made.labels());
    String metric = String.valueOf(labels.remove("__name__"));
    return new GroupKey(metric, Tags.of(labels), Tags.EMPTY);
  }

  private static Runs asStored(List<RandomSeries.Made> series, MemoryRuns memory) {
    List<RandomSeries.Made> inOrder = new ArrayList<>(series);
    inOrder.sort(
        Comparator.comparingLong(
            made -> (made.times().getFirst() - RandomSeries.START) / OriginalPrometheus.SLICE));
    return inOrder(inOrder, memory);
  }

  private static List<Runs> inOtherOrders(
      List<RandomSeries.Made> series, MemoryRuns memory, long seed) {
    Random random = new Random(seed);
    List<Runs> orders = new ArrayList<>();
    for (int i = 0; i < 2 * series.size(); i++) {
      List<RandomSeries.Made> mixed = new ArrayList<>(series);
      Collections.shuffle(mixed, random);
      RandomSeries.Made first = series.get(i / 2);
      mixed.remove(first);
      mixed.addFirst(first);
      orders.add(inOrder(mixed, memory));
    }
    return orders;
  }

  private static Runs inOrder(List<RandomSeries.Made> series, MemoryRuns memory) {
    Map<Series, Integer> places = new HashMap<>();
    series.forEach(made -> places.put(of(made), places.size()));
    return memory.inOrder(Comparator.comparing(places::get));
  }
}
