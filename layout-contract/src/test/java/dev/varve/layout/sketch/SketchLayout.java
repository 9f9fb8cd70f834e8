package dev.varve.layout.sketch;

import dev.varve.layout.Binding;
import dev.varve.layout.CellDescription;
import dev.varve.layout.CellSink;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Domain;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.LayoutIdentity;
import dev.varve.layout.ReadScope;
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
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.Power;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Numbers under any row key.
 *
 * <pre>
 * qualifier = [offset of the instant in the finest bucket, 8 bytes] kind, 1 byte, field in UTF-8
 * value     = 8 bytes
 * </pre>
 */
final class SketchLayout implements Layout {
  static final TimeRange TIMES = new TimeRange(-(1L << 60), 1L << 60);

  private final RowShape shape;
  private final Set<String> tagNames = new TreeSet<>();
  private boolean resource;

  SketchLayout(List<KeyPart> parts, int partitionParts) {
    shape = new RowShape(parts, partitionParts);
    for (KeyPart part : parts) {
      if (part instanceof SketchParts.Tag(String name)) {
        tagNames.add(name);
      }
      resource |= part instanceof SketchParts.Resource;
    }
  }

  @Override
  public LayoutIdentity identity() {
    return new LayoutIdentity("sketch", Map.of("parts", shape.parts().toString()));
  }

  @Override
  public Resolution resolution() {
    return Resolution.MILLISECONDS;
  }

  @Override
  public List<TableSpec> tables() {
    return List.of(
        new TableSpec(
            "sketch",
            List.of(FamilySpec.latest("d")),
            Resolution.MICROSECONDS,
            shape.partitioning()));
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
    return new Domain(
        EnumSet.of(Kind.INT64, Kind.DOUBLE),
        Domain.Numbers.ALL,
        TIMES,
        tagNames.size(),
        tagNames.size(),
        tagNames,
        resource,
        true,
        Domain.Alphabet.UTF8,
        false,
        false);
  }

  @Override
  public RowShape rows() {
    return shape;
  }

  @Override
  public Step<Optional<Binding>> bind(GroupKey key, boolean create) {
    if (!Set.copyOf(key.tags().names()).equals(tagNames)
        || !(resource || key.resource().isEmpty())) {
      throw new RefusedException("sketch.tags", key + ": every key has the tags " + tagNames);
    }
    return Step.done(Optional.of(new Binding.Plain(key)));
  }

  @Override
  public void encode(Binding binding, SampleGroup group, long firstStamp, CellSink sink) {
    KeyBytes row = new KeyBytes();
    KeyBytes qualifier = new KeyBytes();
    KeyBytes value = new KeyBytes();
    KeyInput input = new KeyInput(binding);
    for (Column column : group.columns()) {
      input.kind(column.kind()).field(column.field());
      for (int i = 0; i < group.size(); i++) {
        if (!column.has(i)) {
          continue;
        }
        input.time(group.times()[i]).stamp(firstStamp + i);
        row.clear();
        qualifier.clear();
        value.clear();
        shape.encode(input, row);
        if (hasOffset()) {
          qualifier.i64(input.time() - bucket(input.time()));
        }
        qualifier.u8(SketchParts.KindPart.code(column.kind())).utf8(column.field());
        switch (column) {
          case Column.Doubles doubles -> value.i64(Double.doubleToRawLongBits(doubles.values()[i]));
          case Column.Longs longs -> value.i64(longs.values()[i]);
          case Column.Texts texts -> throw new AssertionError("numbers only");
        }
        sink.data(0)
            .put(
                row.array(),
                0,
                row.length(),
                0,
                qualifier.array(),
                0,
                qualifier.length(),
                firstStamp + i,
                value.array(),
                0,
                value.length());
      }
    }
  }

  private boolean hasOffset() {
    int last = shape.lastTimePart();
    return last < 0 || !((KeyPart.Time) shape.parts().get(last)).instant();
  }

  private long bucket(long time) {
    int last = shape.lastTimePart();
    return last < 0 ? TIMES.from() : ((KeyPart.Time) shape.parts().get(last)).floor(time);
  }

  @Override
  public void encode(Binding binding, Attribute attribute, long stamp, CellSink sink) {
    throw new RefusedException("sketch.attribute", "a sketch has no place for attributes");
  }

  @Override
  public List<FamilySelect> select(ReadScope scope) {
    return List.of(FamilySelect.latest(0));
  }

  @Override
  public Optional<Bytes> qualifierAt(long bucket, long time) {
    return hasOffset()
        ? Optional.of(new KeyBytes().i64(time - bucket).toBytes())
        : Optional.empty();
  }

  @Override
  public boolean rowsInTimeOrder() {
    return true;
  }

  @Override
  public void decode(CellBatch cells, int from, int to, RowSamples out) {
    for (int i = from; i < to; i++) {
      KeyOutput key = new KeyOutput();
      shape.decode(cells.bytes(), cells.rowOffset(i), cells.rowOffset(i) + cells.rowLength(i), key);
      byte[] qualifier = cells.qualifier(i).toArray();
      int offset = hasOffset() ? 8 : 0;
      long start = shape.lastTimePart() < 0 ? TIMES.from() : key.time();
      long time = start + (offset == 0 ? 0 : number(qualifier));
      Kind kind = SketchParts.KindPart.of(qualifier[offset]);
      String field = Bytes.of(qualifier).slice(offset + 1, qualifier.length).toUtf8();
      long bits = number(cells.value(i).toArray());
      if (kind == Kind.DOUBLE) {
        out.samples(field, kind).add(time, Double.longBitsToDouble(bits), cells.time(i));
      } else {
        out.samples(field, kind).add(time, bits, cells.time(i));
      }
    }
  }

  private static long number(byte[] bytes) {
    long number = 0;
    for (int i = 0; i < 8; i++) {
      number = (number << 8) | (bytes[i] & 0xff);
    }
    return number;
  }

  @Override
  public Step<GroupKey> identify(Bytes row) {
    byte[] bytes = row.toArray();
    KeyOutput out = new KeyOutput();
    shape.decode(bytes, 0, bytes.length, out);
    return Step.done(out.key());
  }

  @Override
  public CellDescription describe(int table, Cell cell) {
    List<CellDescription.Part> parts = new ArrayList<>(shape.describe(cell.row()));
    if (cell.value().length() != 8) {
      throw new DamagedCellException("value: 8 bytes expected");
    }
    return new CellDescription(cell.toString(), parts);
  }

  @Override
  public String toString() {
    return shape.parts() + " with " + shape.partitionParts() + " in its partition";
  }
}
