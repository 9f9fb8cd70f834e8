package dev.varve.layout.heroic;

import dev.varve.layout.Binding;
import dev.varve.layout.CellDescription;
import dev.varve.layout.CellSink;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Domain;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.Layout;
import dev.varve.layout.LayoutIdentity;
import dev.varve.layout.Parameters;
import dev.varve.layout.ReadScope;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowShape;
import dev.varve.layout.Step;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The layout of Heroic in Bigtable.
 *
 * <pre>
 * row key    metric, tags, base, resource identifiers
 * family     points | distributionPoints | events
 * qualifier  time - base, 4 bytes, unsigned
 * value      points: double, 8 bytes; distributionPoints: as encoded by the sender;
 *            events: JSON of versions before 0.10.1, never written
 * cell time  when the point was accepted
 * </pre>
 *
 * Numbers are big-endian. The classes of the row key's parts document their encodings.
 */
public final class HeroicLayout implements Layout {
  public static final String NAME = "heroic";

  /** The name of the attributes in family {@code distributionPoints}. */
  public static final String DISTRIBUTION = "distribution";

  /**
   * Maximum length in bytes; Heroic drops points with longer row keys because Bigtable rejects
   * them.
   */
  static final int ROW_KEY_BYTES_MAX = 3999;

  static final int POINTS = 0;
  static final int DISTRIBUTIONS = 1;
  static final int EVENTS = 2;

  private static final int QUALIFIER_BYTES = 4;
  private static final int VALUE_BYTES = 8;

  /** The result of {@link Double#doubleToLongBits} for every NaN. */
  private static final long NAN_BITS = 0x7ff8000000000000L;

  private static final BasePart BASE = new BasePart();
  private static final RowShape ROWS =
      new RowShape(List.of(new MetricPart(), new TagsPart(), BASE, new ResourcePart()), 3);
  private static final int BASE_PART = 2;

  private static final TableSpec METRICS =
      new TableSpec(
          "metrics",
          List.of(
              FamilySpec.latest("points"),
              FamilySpec.latest("distributionPoints"),
              FamilySpec.latest("events")),
          Resolution.MICROSECONDS,
          ROWS.partitioning());

  private static final Domain DOMAIN =
      new Domain(
          Set.of(Kind.DOUBLE),
          Domain.Numbers.ONE_NAN,
          new TimeRange(0, Long.MAX_VALUE),
          0,
          Integer.MAX_VALUE,
          null,
          true,
          false,
          Domain.Alphabet.UTF8,
          true,
          false);

  private HeroicLayout() {}

  /**
   * Creates the layout, which has no parameters.
   *
   * @throws RefusedException if any parameter is given
   */
  public static HeroicLayout of(Map<String, String> given) {
    Parameters.of(NAME, given, List.of());
    return new HeroicLayout();
  }

  @Override
  public LayoutIdentity identity() {
    return new LayoutIdentity(NAME, Map.of());
  }

  @Override
  public Resolution resolution() {
    return Resolution.MILLISECONDS;
  }

  @Override
  public List<TableSpec> tables() {
    return List.of(METRICS);
  }

  @Override
  public List<String> originalTables() {
    return List.of("metrics");
  }

  @Override
  public int dataTable() {
    return 0;
  }

  @Override
  public Set<Class<? extends Power>> needs() {
    return Set.of();
  }

  @Override
  public Domain domain() {
    return DOMAIN;
  }

  @Override
  public RowShape rows() {
    return ROWS;
  }

  @Override
  public Step<Optional<Binding>> bind(GroupKey key, boolean create) {
    requireWellFormed("metric", key.metric());
    requireWellFormed("tag", key.tags());
    requireWellFormed("resource", key.resource());
    HeroicBinding binding = HeroicBinding.of(key);
    if (binding.rowKeyLength() > ROW_KEY_BYTES_MAX) {
      throw new RefusedException(
          "heroic.rowkey",
          "the row key of %s has %d bytes, more than %d: Heroic drops such points"
              .formatted(key, binding.rowKeyLength(), ROW_KEY_BYTES_MAX));
    }
    return Step.done(Optional.of(binding));
  }

  private static void requireWellFormed(String what, Tags texts) {
    texts.forEach((name, value) -> {
      requireWellFormed(what + " name", name);
      requireWellFormed(what + " " + name, value);
    });
  }

  private static void requireWellFormed(String what, String text) {
    int lone = HeroicText.loneSurrogate(text);
    if (lone >= 0) {
      throw new RefusedException(
          "heroic.text",
          "%s: character %d is an unpaired surrogate (U+%04X), which UTF-8 cannot encode"
              .formatted(what, lone, (int) text.charAt(lone)));
    }
  }

  @Override
  public void encode(Binding binding, SampleGroup group, long firstStamp, CellSink sink) {
    for (int i = 0; i < group.columns().size(); i++) {
      switch (group.columns().get(i)) {
        case Column.Doubles doubles when doubles.field().equals(Series.DEFAULT_FIELD) ->
            encode(binding, group, i, doubles, firstStamp, sink);
        case Column column -> refuseAll(group, i, column, sink);
      }
    }
  }

  private static void encode(
      Binding binding,
      SampleGroup group,
      int column,
      Column.Doubles doubles,
      long firstStamp,
      CellSink sink) {
    MutationBatch data = sink.data(0);
    KeyInput input = new KeyInput(binding);
    KeyBytes row = new KeyBytes();
    KeyBytes cell = new KeyBytes();
    long base = -1;
    for (int i = 0; i < group.size(); i++) {
      if (!doubles.has(i)) {
        continue;
      }
      long time = group.times()[i];
      if (!DOMAIN.times().contains(time)) {
        sink.refuse(column, i, timeRefusal(time));
        continue;
      }
      if (BASE.floor(time) != base) {
        base = BASE.floor(time);
        row.clear();
        ROWS.encode(input.time(time), row);
      }
      cell.clear();
      cell.u32(time - base).i64(Double.doubleToLongBits(doubles.values()[i]));
      data.put(
          row.array(),
          0,
          row.length(),
          POINTS,
          cell.array(),
          0,
          QUALIFIER_BYTES,
          firstStamp + i,
          cell.array(),
          QUALIFIER_BYTES,
          VALUE_BYTES);
    }
  }

  private static void refuseAll(SampleGroup group, int place, Column column, CellSink sink) {
    Refusal refusal =
        column.kind() != Kind.DOUBLE
            ? new Refusal(
                "heroic.kind",
                "field '%s' is %s, but Heroic holds only doubles: send numbers with a point, such as 42.0"
                    .formatted(column.field(), column.kind()))
            : new Refusal(
                "heroic.field",
                "Heroic has only the field '%s', not '%s'"
                    .formatted(Series.DEFAULT_FIELD, column.field()));
    for (int i = 0; i < group.size(); i++) {
      if (column.has(i)) {
        sink.refuse(place, i, refusal);
      }
    }
  }

  private static Refusal timeRefusal(long time) {
    return new Refusal(
        "heroic.time",
        "time %d is out of range: the layout holds times from %d to %d%s"
            .formatted(
                time,
                DOMAIN.times().from(),
                DOMAIN.times().to() - 1,
                time < 0 ? ", since Heroic cannot tell times before 1970 from others" : ""));
  }

  @Override
  public void encode(Binding binding, Attribute attribute, long stamp, CellSink sink) {
    Long time = attribute.time();
    if (!attribute.name().equals(DISTRIBUTION)
        || time == null
        || !(attribute.value() instanceof Value.Raw(Bytes bytes))) {
      throw new RefusedException(
          "heroic.attribute",
          "attribute '%s': Heroic holds one kind of attribute, '%s', with a time and raw bytes"
              .formatted(attribute.name(), DISTRIBUTION));
    }
    if (!DOMAIN.times().contains(time)) {
      Refusal refusal = timeRefusal(time);
      throw new RefusedException(refusal.rule(), refusal.message());
    }
    KeyBytes row = new KeyBytes();
    ROWS.encode(new KeyInput(binding).time(time), row);
    Bytes qualifier = new KeyBytes().u32(time - BASE.floor(time)).toBytes();
    sink.data(0).put(row.toBytes(), DISTRIBUTIONS, qualifier, stamp, bytes);
  }

  @Override
  public List<FamilySelect> select(ReadScope scope) {
    List<FamilySelect> families = new ArrayList<>(2);
    if (scope.fields() == null || scope.fields().contains(Series.DEFAULT_FIELD)) {
      families.add(FamilySelect.latest(POINTS));
    }
    if (scope.attributes()) {
      families.add(FamilySelect.latest(DISTRIBUTIONS));
    }
    return families;
  }

  @Override
  public Optional<Bytes> qualifierAt(long bucket, long time) {
    return Optional.of(new KeyBytes().u32(time - bucket).toBytes());
  }

  @Override
  public boolean rowsInTimeOrder() {
    return true;
  }

  @Override
  public void decode(CellBatch cells, int from, int to, RowSamples out) {
    long base;
    try {
      base = base(cells.bytes(), cells.rowOffset(from), cells.rowLength(from));
    } catch (DamagedCellException e) {
      for (int i = from; i < to; i++) {
        out.damaged(i, e.getMessage());
      }
      return;
    }
    Samples points = out.samples(Series.DEFAULT_FIELD, Kind.DOUBLE);
    for (int i = from; i < to; i++) {
      String damage = damage(base, cells, i);
      if (damage != null) {
        out.damaged(i, damage);
        continue;
      }
      long time = base + offset(cells, i);
      if (cells.family(i) == POINTS) {
        points.add(time, Double.longBitsToDouble(bits(cells, i)), cells.time(i));
      } else {
        out.attribute(DISTRIBUTION, time, new Value.Raw(cells.value(i)));
      }
    }
  }

  /** Checks a whole row key and returns its base. */
  private static long base(byte[] bytes, int offset, int length) {
    int at = offset;
    int basePlace = offset;
    for (int i = 0; i < ROWS.parts().size(); i++) {
      basePlace = i == BASE_PART ? at : basePlace;
      at = ROWS.parts().get(i).skip(bytes, at, offset + length);
    }
    if (at != offset + length) {
      throw new DamagedCellException(
          "row key: %d extra bytes after the resource identifiers".formatted(offset + length - at));
    }
    return BASE.timeAt(bytes, basePlace, at);
  }

  /** Returns why a cell of a valid row is damaged, or null if it is not. */
  private static @Nullable String damage(long base, CellBatch cells, int cell) {
    if (cells.family(cell) == EVENTS) {
      return "family events: cells of versions before 0.10.1 are described but not read";
    }
    if (cells.qualifierLength(cell) != QUALIFIER_BYTES) {
      return "qualifier: %d bytes, and should be 4".formatted(cells.qualifierLength(cell));
    }
    if (!DOMAIN.times().contains(base + offset(cells, cell))) {
      return "qualifier: the offset leads past the last instant";
    }
    if (cells.family(cell) == DISTRIBUTIONS) {
      return null;
    }
    if (cells.valueLength(cell) != VALUE_BYTES) {
      return "value: %d bytes, and should be 8".formatted(cells.valueLength(cell));
    }
    long bits = bits(cells, cell);
    return Double.isNaN(Double.longBitsToDouble(bits)) && bits != NAN_BITS
        ? "value: NaN as %016x, and Heroic writes %016x".formatted(bits, NAN_BITS)
        : null;
  }

  private static long offset(CellBatch cells, int cell) {
    return number(cells.bytes(), cells.qualifierOffset(cell), QUALIFIER_BYTES);
  }

  private static long bits(CellBatch cells, int cell) {
    return number(cells.bytes(), cells.valueOffset(cell), VALUE_BYTES);
  }

  private static long number(byte[] bytes, int from, int width) {
    long number = 0;
    for (int i = from; i < from + width; i++) {
      number = (number << 8) | (bytes[i] & 0xff);
    }
    return number;
  }

  @Override
  public Step<GroupKey> identify(Bytes row) {
    byte[] bytes = row.toArray();
    KeyOutput out = new KeyOutput();
    ROWS.decode(bytes, 0, bytes.length, out);
    return Step.done(out.key());
  }

  @Override
  public CellDescription describe(int table, Cell cell) {
    CellBatch cells = new CellBatch();
    cells.add(cell);
    byte[] row = cell.row().toArray();
    long base = base(row, 0, row.length);
    String damage = cell.family() == EVENTS ? eventDamage(cell) : damage(base, cells, 0);
    if (damage != null) {
      throw new DamagedCellException(damage);
    }
    return HeroicDescription.of(ROWS, cell, base, offset(cells, 0));
  }

  private static @Nullable String eventDamage(Cell cell) {
    return cell.qualifier().length() == QUALIFIER_BYTES
        ? null
        : "qualifier: %d bytes, and should be 4".formatted(cell.qualifier().length());
  }
}
