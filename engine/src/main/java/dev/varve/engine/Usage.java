package dev.varve.engine;

import dev.varve.engine.advice.Advice;
import dev.varve.engine.advice.Advisor;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.heat.HeatFinding;
import dev.varve.engine.heat.HeatMap;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.usage.CardinalityDay;
import dev.varve.engine.usage.LoggedQuery;
import dev.varve.engine.usage.QueryCosts;
import dev.varve.engine.usage.QueryKind;
import dev.varve.model.Bytes;
import dev.varve.store.ReadCost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The use of a dataset: its queries, its hot keys and the growth of its series. Also advises on a
 * layout that suits this use. Safe for use by several threads.
 */
public final class Usage {
  private final DatasetView view;
  private final DatasetParts parts;

  Usage(DatasetView view) {
    this.view = view;
    this.parts = view.parts();
  }

  /**
   * Returns the heat maps of the dataset's tables. Maps for bound users have only those ranges of
   * rows that cannot hold series of others.
   */
  public HeatMaps heatMaps() {
    return new HeatMaps(parts.open(), parts.heat(), view.bounds());
  }

  /**
   * Adds a read of a query to the query log.
   *
   * @param series number of matching series
   * @param samples number of samples read
   * @param nanos time from the start of the read to its end
   */
  public void noteQuery(
      QueryKind kind, ReadRequest request, long series, long samples, ReadCost cost, long nanos) {
    parts
        .usage()
        .log()
        .note(kind, view.bound(request), QueryCosts.of(series, samples, cost, nanos));
  }

  /**
   * Returns the kinds of queries that all servers have answered, those with the most queries first.
   *
   * @throws QueryRefusedException to bound users
   */
  public List<LoggedQuery> queries() {
    view.refuseWithin("the query log");
    return parts.usage().queries();
  }

  /**
   * Returns the number of series of the dataset, day by day, oldest first.
   *
   * @throws QueryRefusedException to bound users
   */
  public List<CardinalityDay> cardinalityByDay() {
    view.refuseWithin("the cardinality of days");
    return parts.usage().days();
  }

  /**
   * Advises on the layout of the dataset.
   *
   * @param guard accounts for memory, and may end the work
   * @throws QueryRefusedException to bound users
   */
  public Advice advise(ReadGuard guard) {
    view.refuseWithin("advice on a layout");
    view.refuseWithoutCatalog();
    List<HeatFinding> findings = new ArrayList<>();
    boolean counted = false;
    long now = parts.open().clock().systemMicros() / 1000;
    long from = Math.max(0, now - Duration.ofDays(1).toMillis());
    HeatMaps maps = heatMaps();
    for (HeatMaps.MappedTable table : maps.tables()) {
      if (table.data()) {
        HeatMap.Request request = new HeatMap.Request(from, now + 1, Bytes.EMPTY, null, 2, 2);
        HeatMaps.Named map = maps.map(table.name(), request, guard);
        counted |= !map.map().rows().isEmpty();
        findings.addAll(map.findings());
      }
    }
    return new Advisor(parts.open(), parts.reader(), parts.usage().queries(), findings, counted)
        .advise(guard);
  }
}
