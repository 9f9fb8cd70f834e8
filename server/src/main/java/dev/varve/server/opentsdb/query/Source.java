package dev.varve.server.opentsdb.query;

import dev.varve.engine.Dataset;
import dev.varve.layout.opentsdb.RollupInterval;
import dev.varve.model.Series;
import dev.varve.server.opentsdb.rollup.Rollups;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The data that a sub query reads.
 *
 * @param names the dataset that the request addresses, which knows names and UIDs
 * @param dataset the dataset to read: the same one, or one of roll-ups or pre-aggregates
 * @param part the sub query, as it runs there
 * @param rolledUp the roll-ups to read; null to read points
 * @param rollups the roll-ups of the dataset, whose names are known too; null if they are not
 */
record Source(
    Dataset names,
    Dataset dataset,
    TsQuery.Part part,
    @Nullable RolledUp rolledUp,
    @Nullable Rollups rollups) {
  static final String POINTS = "raw";

  /**
   * Roll-ups.
   *
   * @param fields the aggregators to read
   */
  record RolledUp(RollupInterval interval, Set<String> fields) {}

  /** Returns the source of a sub query that reads points. */
  static Source of(Dataset dataset, TsQuery.Part part) {
    return new Source(dataset, dataset, part, null, null);
  }

  /** Returns the labels of a series that was found here, without the aggregator of roll-ups. */
  Map<String, String> tags(Series series) {
    Map<String, String> tags = series.labels();
    if (rolledUp != null) {
      tags.remove(Series.FIELD_LABEL);
    }
    return tags;
  }

  /** Returns datasets that may know names which the addressed one does not. */
  List<Dataset> others() {
    return rollups == null ? List.of() : rollups.all();
  }

  /** Returns whether two series are one here: roll-ups of several aggregators are fields of one. */
  boolean isOne(Series series, Series other) {
    return rolledUp == null ? series.equals(other) : series.key().equals(other.key());
  }

  /** Returns the fields to read; null for all. */
  @Nullable Set<String> fields() {
    return rolledUp == null ? null : rolledUp.fields();
  }

  /** Returns the times that are read for a query of some times. */
  ScanRange range(long start, long end) {
    RolledUp of = rolledUp;
    return of == null
        ? ScanRange.of(start, end, part.downsampling())
        : ScanRange.of(start, end, of.interval(), part.sub().rate());
  }

  /** Returns OpenTSDB's word for what is read. */
  String table() {
    RolledUp of = rolledUp;
    return of == null ? POINTS : of.interval().text();
  }
}
