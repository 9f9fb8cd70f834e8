package dev.varve.engine.read;

import dev.varve.engine.catalog.Matches;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the series of requests, and refuses requests that may not be read. Thread-safe. */
final class SeriesFinder {
  private final OpenDataset dataset;

  SeriesFinder(OpenDataset dataset) {
    this.dataset = dataset;
  }

  /**
   * The series of a request.
   *
   * @param times times of the request within the retention
   */
  record Found(TimeRange times, Matches matches, List<Match> inOrder) {}

  /**
   * Finds the series of a request and begins to read it.
   *
   * @param samplesOnly whether to omit series that certainly have no sample in the range
   * @throws QueryRefusedException if it is not allowed
   */
  Reading reading(ReadRequest request, boolean samplesOnly, ReadGuard guard) {
    return reading(request, find(request, samplesOnly, guard), guard);
  }

  /**
   * Finds the series of a request.
   *
   * @param samplesOnly whether to omit series that certainly have no sample in the range
   * @throws QueryRefusedException if it is not allowed
   */
  Found find(ReadRequest request, boolean samplesOnly, ReadGuard guard) {
    if (request.selector().filters().isEmpty()
        && !request.wholeTable()
        && !dataset.config().wholeTableScans()) {
      throw new QueryRefusedException(
          "the query selects every series: name a metric or a label, or allow whole-table scans");
    }
    long closed = dataset.periods().closedFrom();
    if (closed <= dataset.now() && request.times().to() > closed) {
      throw new QueryRefusedException(
          "dataset '%s' has a period from %d on that another server has added and this server's configuration lacks: declare it here too, or ask for times before"
              .formatted(dataset.name(), closed));
    }
    long oldest = dataset.oldestKept();
    TimeRange kept = request.times().intersect(new TimeRange(oldest, Long.MAX_VALUE));
    Matches matches = match(request.selector(), samplesOnly ? kept : null, Kind.ALL, guard);
    return new Found(kept, matches, matches.inOrder());
  }

  /** Begins to read found series. */
  Reading reading(ReadRequest request, Found found, ReadGuard guard) {
    Set<String> fields = request.fields();
    return new Reading(
        request,
        dataset,
        found.times(),
        request.order() == Order.SERIES_BY_SERIES ? byField(found.inOrder()) : found.inOrder(),
        field -> (fields == null || fields.contains(field)) && found.matches().wantsField(field),
        new VersionRule(request.versions(), dataset.config().duplicates()),
        dataset.deletes().filter(found.times(), dataset.index(), guard),
        guard);
  }

  /**
   * Lists each field of a key separately. Fields share rows, so one read of all fields would
   * interleave their runs or hold all of them.
   */
  static List<Match> byField(List<Match> matches) {
    List<Match> all = new ArrayList<>(matches.size());
    for (Match match : matches) {
      if (match.fields().size() < 2) {
        all.add(match);
      } else {
        for (String field : match.fields()) {
          all.add(new Match(match.series(), match.key(), List.of(field)));
        }
      }
    }
    return all;
  }

  /**
   * Returns the matching series, after the guard has accepted their number.
   *
   * @param times omits series that certainly have no sample in them; null to omit none
   * @throws QueryRefusedException if the selector is not valid
   */
  Matches match(Selector selector, @Nullable TimeRange times, Set<Kind> kinds, ReadGuard guard) {
    try {
      Matches matches =
          dataset.index().match(selector, dataset.trustsExtents() ? times : null, kinds, guard);
      guard.matched(matches.size());
      return matches;
    } catch (IllegalArgumentException e) {
      throw new QueryRefusedException(String.valueOf(e.getMessage()));
    }
  }
}
