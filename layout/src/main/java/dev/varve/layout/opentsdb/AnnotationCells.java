package dev.varve.layout.opentsdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.NoteCells;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import java.util.ArrayList;
import java.util.List;

/** The cells of annotations, by TSUID. Those of no series are in rows of metric zero. */
final class AnnotationCells implements NoteCells {
  /**
   * Maximum number of hours whose rows are read one by one; for more hours, one read covers the
   * rows of all series of the metric.
   */
  private static final int HOURS_APART = 2_000;

  /** The last whole hour that a base time of 32 bits holds, in ms. */
  private static final long LAST_HOUR = 0xffff_f960L * 1000;

  private static final GroupKey ANY = GroupKey.of("", Tags.EMPTY);

  private static final FamilySelect CELLS =
      new FamilySelect(
          OpenTsdbLayout.POINTS,
          List.of(QualifierRange.prefix(Bytes.of(Columns.ANNOTATION_PREFIX))),
          TimeRange.ALL,
          1);

  private final RowKeys keys;
  private final OpenTsdbParameters parameters;

  AnnotationCells(RowKeys keys, OpenTsdbParameters parameters) {
    this.keys = keys;
    this.parameters = parameters;
  }

  @Override
  public String attribute() {
    return Attachments.ANNOTATION;
  }

  @Override
  public boolean mayOwn(Bytes owner) {
    int pairs = owner.length() - parameters.metricWidth();
    return owner.isEmpty()
        || (pairs > 0 && pairs % (parameters.tagkWidth() + parameters.tagvWidth()) == 0);
  }

  private UidBinding binding(Bytes owner) {
    int metric = parameters.metricWidth();
    if (owner.isEmpty()) {
      return new UidBinding(ANY, Bytes.of(new byte[metric]), Bytes.EMPTY, 0);
    }
    Bytes uid = owner.slice(0, metric);
    Bytes pairs = owner.slice(metric, owner.length());
    return new UidBinding(ANY, uid, pairs, keys.bucket(uid, pairs));
  }

  private Bytes row(UidBinding binding, long hour) {
    byte[] row = keys.row(binding, 0);
    keys.setBase(row, hour);
    return Bytes.of(row);
  }

  private Bytes partition(Bytes row) {
    return row.slice(0, parameters.saltWidth() + parameters.metricWidth());
  }

  @Override
  public Place place(Bytes owner, long start) {
    long millis = AnnotationJson.isMillis(start) ? start : 1000 * start;
    Refusal refusal = SampleWriter.timeRefusal(OpenTsdbParameters.TimeForm.AUTO, millis);
    if (refusal != null) {
      throw new RefusedException(refusal.rule(), refusal.message());
    }
    return new Place(
        row(binding(owner), millis - millis % RowKeys.HOUR_MILLIS),
        OpenTsdbLayout.POINTS,
        Attachments.annotationQualifier(start));
  }

  @Override
  public ReadPlan between(Bytes owner, long from, long to) {
    UidBinding binding = binding(owner);
    long first = Math.max(0, from - Math.floorMod(from, RowKeys.HOUR_MILLIS));
    long last = Math.min(to, LAST_HOUR);
    List<Slice> slices = new ArrayList<>();
    if (owner.isEmpty() || (last - first) / RowKeys.HOUR_MILLIS >= HOURS_APART) {
      UidBinding metric = new UidBinding(ANY, binding.metric(), Bytes.EMPTY, binding.bucket());
      Bytes begin = row(metric, first);
      Bytes end = row(metric, Math.ceilDiv(last, RowKeys.HOUR_MILLIS) * RowKeys.HOUR_MILLIS);
      slices.add(Slice.rows(partition(begin), begin, end));
    } else {
      for (long hour = first; hour < last; hour += RowKeys.HOUR_MILLIS) {
        Bytes row = row(binding, hour);
        slices.add(Slice.row(partition(row), row));
      }
    }
    return ReadPlan.of(slices, List.of(CELLS));
  }

  @Override
  public boolean isOf(Bytes owner, CellBatch cells, int cell) {
    try {
      Bytes tsuid = keys.tsuid(cells.row(cell));
      return Columns.content(cells, cell) == Columns.Content.ANNOTATION
          && (owner.isEmpty() ? RowKeys.isGlobal(tsuid) : tsuid.equals(owner));
    } catch (DamagedCellException e) {
      return false;
    }
  }
}
