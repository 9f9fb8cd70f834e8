package dev.varve.engine.write;

import dev.varve.engine.catalog.CatalogBudget;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.config.FieldLimits;
import dev.varve.layout.Refusal;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import dev.varve.model.Series;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Limits the series and fields that a batch adds to the catalog. For one thread. */
final class Additions {
  private final FieldLimits limits;
  private final CatalogBudget catalogs;
  private final SeriesIndex index;
  private final Map<KnownSeries, Set<String>> bySeries = new HashMap<>(0);
  private final Map<String, Set<String>> byMetric = new HashMap<>(0);

  Additions(FieldLimits limits, CatalogBudget catalogs, SeriesIndex index) {
    this.limits = limits;
    this.catalogs = catalogs;
    this.index = index;
  }

  /** Returns why the catalog has no room for a series; null if it has room or knows the series. */
  @Nullable Refusal refusal(KnownSeries series) {
    return series.state().series() < 0 ? catalogs.series(series.key().byteCount()) : null;
  }

  /**
   * Refuses the columns whose fields exceed a limit, and returns the group without them; null if
   * nothing is left.
   */
  @Nullable SampleGroup within(KnownSeries series, SampleGroup group, RefusedSamples tally) {
    Refusal full = refusal(series);
    if (full != null) {
      tally.refuse(group.sampleCount(), group.key(), null, null, full);
      return null;
    }
    List<Column> kept = null;
    FieldKinds known = series.state().fields();
    for (int c = 0; c < group.columns().size(); c++) {
      Column column = group.columns().get(c);
      String field = column.field();
      boolean isNew =
          !field.equals(Series.DEFAULT_FIELD)
              && !known.has(field, column.kind())
              && !known.has(field);
      Refusal refusal = isNew ? add(series, group.key().metric(), field) : null;
      if (refusal != null) {
        kept = kept == null ? new ArrayList<>(group.columns().subList(0, c)) : kept;
        tally.refuse(values(column, group.size()), group.key(), field, null, refusal);
      } else if (kept != null) {
        kept.add(column);
      }
    }
    return kept == null ? group : without(group, kept);
  }

  private @Nullable Refusal add(KnownSeries series, String metric, String field) {
    Set<String> ofSeries = bySeries.computeIfAbsent(series, key -> new HashSet<>());
    if (ofSeries.contains(field)) {
      return null;
    }
    FieldKinds known = series.state().fields();
    int seriesCount = known.size() - (known.has(Series.DEFAULT_FIELD) ? 1 : 0) + ofSeries.size();
    if (seriesCount >= limits.series()) {
      return new Refusal(
          "fields.series",
          "the series has %d fields, at most %d are taken (write.fields)"
              .formatted(seriesCount, limits.series()));
    }
    Set<String> ofMetric = byMetric.computeIfAbsent(metric, key -> new HashSet<>());
    if (!ofMetric.contains(field) && !index.metricHasField(metric, field)) {
      int metricCount = index.fieldsOfMetric(metric) + ofMetric.size();
      if (metricCount >= limits.metric()) {
        return new Refusal(
            "fields.metric",
            "the series of metric '%s' have %d fields, at most %d are taken (write.metric-fields)"
                .formatted(metric, metricCount, limits.metric()));
      }
      ofMetric.add(field);
    }
    ofSeries.add(field);
    return catalogs.field(field);
  }

  private static @Nullable SampleGroup without(SampleGroup group, List<Column> kept) {
    BitSet indexes = new BitSet();
    for (Column column : kept) {
      for (int i = 0; i < group.size(); i++) {
        if (column.has(i)) {
          indexes.set(i);
        }
      }
    }
    if (indexes.isEmpty()) {
      return null;
    }
    SampleGroup rest = new SampleGroup(group.key(), group.size(), group.times(), kept);
    return indexes.cardinality() == group.size() ? rest : SampleSelection.select(rest, indexes);
  }

  private static int values(Column column, int size) {
    int values = 0;
    for (int i = 0; i < size; i++) {
      values += column.has(i) ? 1 : 0;
    }
    return values;
  }
}
