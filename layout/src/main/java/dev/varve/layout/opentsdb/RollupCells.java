package dev.varve.layout.opentsdb;

import dev.varve.layout.CellDescription;
import dev.varve.layout.CellDescription.Part;
import dev.varve.layout.CellSink;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.LaterPlaces;
import dev.varve.layout.Refusal;
import dev.varve.layout.RowSamples;
import dev.varve.layout.opentsdb.Attachments.Rollup;
import dev.varve.model.Column;
import dev.varve.model.Kind;
import dev.varve.model.SampleGroup;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes and reads the cells of roll-ups, one for each interval and aggregator. */
final class RollupCells {
  /** The latest cell time in ms that fits into a stamp in microseconds. */
  private static final long CELL_TIME_MAX = Long.MAX_VALUE / 1000;

  /** Length of the qualifiers that are written, in bytes. */
  private static final int QUALIFIER = 3;

  private static final int FLAGS = 0xf;

  private static final Refusal GLOBAL =
      new Refusal("opentsdb.metric", "the key of global annotations cannot hold roll-ups");

  private final NumberForm form;
  private final RollupInterval interval;
  private final RowKeys keys;
  private final Map<String, Integer> numbers;

  /** Fields by the numbers of their aggregators: names, or numbers in digits without a name. */
  private final String[] fields = new String[Rollup.AGGREGATORS_MAX];

  RollupCells(
      OpenTsdbParameters parameters,
      RollupInterval interval,
      RowKeys keys,
      Map<String, Integer> numbers) {
    this.form = new NumberForm(parameters.floats());
    this.interval = interval;
    this.keys = keys;
    this.numbers = Map.copyOf(numbers);
    Arrays.setAll(fields, Integer::toString);
    numbers.forEach((name, number) -> fields[number] = name);
  }

  /** Returns the numbers of aggregators as a text. */
  String aggregations() {
    List<String> all = new ArrayList<>();
    new TreeMap<>(numbers).forEach((name, number) -> all.add(name + "=" + number));
    return String.join(" ", all);
  }

  void write(UidBinding binding, SampleGroup group, long firstStamp, CellSink sink) {
    MutationBatch out = sink.data(OpenTsdbLayout.DATA);
    byte[] scratch = keys.row(binding, QUALIFIER + PointCodec.VALUE_MAX);
    int @Nullable [] later = LaterPlaces.of(group);
    List<Column> columns = group.columns();
    for (int place = 0; place < group.size(); place++) {
      long time = group.times()[place];
      Refusal refusal = binding.global() ? GLOBAL : refusal(time);
      if (refusal != null) {
        sink.refuse(-1, place, refusal);
        continue;
      }
      long base = interval.floor(time / 1000);
      keys.setBase(scratch, 1000 * base);
      int at = (int) ((time / 1000 - base) / interval.seconds());
      long cellTime = Math.floorDiv(firstStamp + place, 1000L) - (later == null ? 0 : later[place]);
      for (int i = 0; i < columns.size(); i++) {
        Column column = columns.get(i);
        if (column.has(place)) {
          Refusal unfit = refusal(column, place);
          if (unfit == null) {
            put(column, place, at, cellTime, scratch, out);
          } else {
            sink.refuse(i, place, unfit);
          }
        }
      }
    }
  }

  private void put(
      Column column, int place, int at, long cellTime, byte[] scratch, MutationBatch out) {
    int value = scratch.length - PointCodec.VALUE_MAX;
    int qualifier = value - QUALIFIER;
    int flags = form.put(column, place, scratch, value);
    int entry = (at << 4) | flags;
    scratch[qualifier] = (byte) number(column.field());
    scratch[qualifier + 1] = (byte) (entry >>> 8);
    scratch[qualifier + 2] = (byte) entry;
    out.put(
        scratch,
        0,
        qualifier,
        OpenTsdbLayout.POINTS,
        scratch,
        qualifier,
        QUALIFIER,
        cellTime,
        scratch,
        value,
        PointCodec.valueLength(flags));
  }

  /** Returns the number of the aggregator of a field; -1 if it has none. */
  private int number(String field) {
    for (int i = 0; i < fields.length; i++) {
      if (fields[i].equals(field)) {
        return i;
      }
    }
    return -1;
  }

  private @Nullable Refusal refusal(long time) {
    if (time < 1000 || time > 1000 * RollupBase.LAST_SECOND) {
      return new Refusal(
          "opentsdb.time",
          "time %d ms: OpenTSDB holds roll-ups from 1 to %d s"
              .formatted(time, RollupBase.LAST_SECOND));
    }
    long start = 1000 * interval.interval(time / 1000);
    return start == time
        ? null
        : new Refusal(
            "opentsdb.time",
            "time %d ms is not the start of an interval of %s; that is %d ms"
                .formatted(time, interval.text(), start));
  }

  private @Nullable Refusal refusal(Column column, int place) {
    if (number(column.field()) < 0) {
      return new Refusal(
          "opentsdb.field",
          "field '%s': fields are the aggregators that have a number, %s"
              .formatted(column.field(), aggregations()));
    }
    return NumberForm.refusal(column, place);
  }

  /**
   * Decodes cells of one row. If several hold one interval, all of them are returned, and the stamp
   * says which one wins: the one with the later cell time or, at equal cell times, the first.
   */
  void read(CellBatch cells, int from, int to, RowSamples out) {
    for (int cell = from; cell < to; cell++) {
      try {
        int row = cells.rowOffset(cell);
        long base = keys.base(cells.bytes(), row, row + cells.rowLength(cell));
        long stamp =
            1000 * Math.clamp(cells.time(cell), -CELL_TIME_MAX, CELL_TIME_MAX)
                - Math.min(cell - from, 999);
        add(cells, cell, base, stamp, out);
      } catch (DamagedCellException e) {
        out.damaged(cell, e.getMessage() == null ? e.toString() : e.getMessage());
      }
    }
  }

  private void add(CellBatch cells, int cell, long base, long stamp, RowSamples out) {
    String field = field(cells, cell);
    int entry = entry(cells, cell);
    long time = time(entry, base);
    int length = PointCodec.checkedLength(entry & FLAGS);
    if (cells.valueLength(cell) != length) {
      throw new DamagedCellException(
          "value: %d bytes, the qualifier says %d".formatted(cells.valueLength(cell), length));
    }
    byte[] bytes = cells.bytes();
    int at = cells.valueOffset(cell);
    if ((entry & PointCodec.FLOAT) == 0) {
      out.samples(field, Kind.INT64).add(time, PointCodec.integer(bytes, at, length), stamp);
      return;
    }
    double real = PointCodec.real(bytes, at, length);
    if (!Double.isFinite(real)) {
      throw new DamagedCellException("value: %s, a number of OpenTSDB is finite".formatted(real));
    }
    out.samples(field, Kind.DOUBLE).add(time, real, stamp);
  }

  private static int entry(CellBatch cells, int cell) {
    int end = cells.qualifierOffset(cell) + cells.qualifierLength(cell);
    byte[] bytes = cells.bytes();
    return ((bytes[end - 2] & 0xff) << 8) | (bytes[end - 1] & 0xff);
  }

  private long time(int entry, long base) {
    long seconds = base / 1000 + (entry >>> 4) * interval.seconds();
    if (seconds >= interval.next(base / 1000) || seconds < 1 || seconds > RollupBase.LAST_SECOND) {
      throw new DamagedCellException(
          "qualifier: interval %d of %s is beyond the row's span of %s"
              .formatted(entry >>> 4, interval.text(), interval.rowSpan()));
    }
    return 1000 * seconds;
  }

  /** Returns the field of a cell, by the number of its aggregator or, in old cells, its name. */
  private String field(CellBatch cells, int cell) {
    byte[] bytes = cells.bytes();
    int from = cells.qualifierOffset(cell);
    int length = cells.qualifierLength(cell);
    if (length == QUALIFIER) {
      int number = bytes[from] & 0xff;
      if (number >= fields.length) {
        throw new DamagedCellException(
            "qualifier: aggregator %d, they are numbered 0 to %d"
                .formatted(number, fields.length - 1));
      }
      return fields[number];
    }
    int colon = length - 1 - Rollup.ENTRY_LENGTH;
    if (colon > 0 && bytes[from + colon] == ':') {
      for (String field : numbers.keySet()) {
        if (isName(field, bytes, from, colon)) {
          return field;
        }
      }
    }
    throw new DamagedCellException(
        "qualifier %s: a roll-up has the number of an aggregator, or the name of one that has a number and a colon, then two bytes"
            .formatted(RowKeys.HEX.formatHex(bytes, from, from + Math.min(length, 16))));
  }

  private static boolean isName(String field, byte[] bytes, int from, int length) {
    if (field.length() != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (Character.toLowerCase((char) bytes[from + i]) != Character.toLowerCase(field.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Describes a cell.
   *
   * @throws DamagedCellException if it is damaged
   */
  CellDescription describe(Cell cell) {
    CellBatch cells = new CellBatch();
    cells.add(cell);
    byte[] row = cell.row().toArray();
    long base = keys.base(row, 0, row.length);
    RowSamples read = new RowSamples();
    add(cells, 0, base, 0, read);
    RowSamples.Vector found = read.vectors().getFirst();
    String start = Instant.ofEpochMilli(found.samples().time(0)).toString();
    String number =
        found.samples().kind() == Kind.INT64
            ? Long.toString(found.samples().longAt(0))
            : Double.toString(found.samples().doubleAt(0));
    int length = cells.qualifierLength(0);
    int tail = length - Rollup.ENTRY_LENGTH;
    List<Part> parts = new ArrayList<>(keys.shape().describe(cell.row()));
    parts.add(new Part("qualifier", "aggregator", found.field(), 0, tail));
    parts.add(new Part("qualifier", "interval and type", start, tail, length));
    parts.add(new Part("value", "number", number, 0, cells.valueLength(0)));
    return new CellDescription(
        "%s %s %s of %s = %s"
            .formatted(
                RowKeys.HEX.formatHex(keys.tsuid(cell.row()).toArray()),
                start,
                found.field(),
                interval.text(),
                number),
        parts);
  }
}
