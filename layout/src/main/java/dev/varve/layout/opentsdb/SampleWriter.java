package dev.varve.layout.opentsdb;

import dev.varve.layout.CellSink;
import dev.varve.layout.LaterPlaces;
import dev.varve.layout.Refusal;
import dev.varve.layout.opentsdb.OpenTsdbParameters.TimeForm;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import dev.varve.model.Series;
import dev.varve.store.MutationBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the samples of a group, one cell per sample.
 *
 * <p>Row key, qualifier and value share one scratch array, in which only the base time changes from
 * hour to hour.
 */
final class SampleWriter {
  private static final long LAST_SECOND = 0xffff_ffffL;

  private static final Refusal GLOBAL =
      new Refusal("opentsdb.metric", "the key of global annotations cannot hold samples");

  private final TimeForm times;
  private final NumberForm numbers;
  private final RowKeys keys;

  SampleWriter(OpenTsdbParameters parameters, RowKeys keys) {
    this.times = parameters.time();
    this.numbers = new NumberForm(parameters.floats());
    this.keys = keys;
  }

  void write(UidBinding binding, SampleGroup group, long firstStamp, CellSink sink) {
    MutationBatch out = sink.data(OpenTsdbLayout.DATA);
    byte[] scratch = keys.row(binding, PointCodec.QUALIFIER_MAX + PointCodec.VALUE_MAX);
    int rowLength = scratch.length - PointCodec.QUALIFIER_MAX - PointCodec.VALUE_MAX;
    int @Nullable [] later = LaterPlaces.of(group);
    List<Column> columns = group.columns();
    for (int place = 0; place < group.size(); place++) {
      long time = group.times()[place];
      Refusal refusal = binding.global() ? GLOBAL : timeRefusal(times, time);
      if (refusal != null) {
        sink.refuse(-1, place, refusal);
        continue;
      }
      keys.setBase(scratch, time - time % RowKeys.HOUR_MILLIS);
      long cellTime = Math.floorDiv(firstStamp + place, 1000L) - (later == null ? 0 : later[place]);
      for (int i = 0; i < columns.size(); i++) {
        Column column = columns.get(i);
        if (column.has(place)) {
          Refusal unfit = refusal(column, place);
          if (unfit == null) {
            put(column, place, time, cellTime, scratch, rowLength, out);
          } else {
            sink.refuse(i, place, unfit);
          }
        }
      }
    }
  }

  private void put(
      Column column,
      int place,
      long time,
      long cellTime,
      byte[] scratch,
      int rowLength,
      MutationBatch out) {
    int value = rowLength + PointCodec.QUALIFIER_MAX;
    int flags = numbers.put(column, place, scratch, value);
    int offset = (int) (time % RowKeys.HOUR_MILLIS);
    boolean millis = millis(times, time);
    int qualifierLength = PointCodec.putQualifier(scratch, rowLength, offset, millis, flags);
    out.put(
        scratch,
        0,
        rowLength,
        OpenTsdbLayout.POINTS,
        scratch,
        rowLength,
        qualifierLength,
        cellTime,
        scratch,
        value,
        PointCodec.valueLength(flags));
  }

  static boolean millis(TimeForm form, long time) {
    return form == TimeForm.MILLISECONDS || (form == TimeForm.AUTO && !takesSeconds(time));
  }

  /**
   * Returns whether a time can be written in seconds. It must be a whole number of seconds and fit
   * into 32 bits, because the original interprets larger numbers as milliseconds.
   */
  private static boolean takesSeconds(long time) {
    return time % 1000 == 0 && time / 1000 <= LAST_SECOND;
  }

  /** Returns why a time is refused; null if it is not. */
  static @Nullable Refusal timeRefusal(TimeForm form, long time) {
    if (time < 1 || time > RowKeys.LAST_TIME) {
      return new Refusal(
          "opentsdb.time", "time %d ms: OpenTSDB holds 1 to %d".formatted(time, RowKeys.LAST_TIME));
    }
    if (form == TimeForm.SECONDS && !takesSeconds(time)) {
      return new Refusal(
          "opentsdb.time",
          "time %d ms is not a whole second up to %d s (time=seconds)"
              .formatted(time, LAST_SECOND));
    }
    return null;
  }

  private static @Nullable Refusal refusal(Column column, int place) {
    if (!column.field().equals(Series.DEFAULT_FIELD)) {
      return new Refusal(
          "opentsdb.field",
          "field '%s': OpenTSDB has no fields but 'value'".formatted(column.field()));
    }
    return NumberForm.refusal(column, place);
  }
}
