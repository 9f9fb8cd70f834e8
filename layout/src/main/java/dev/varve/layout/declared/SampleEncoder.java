package dev.varve.layout.declared;

import dev.varve.layout.CellSink;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.Refusal;
import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import dev.varve.model.TimeRange;
import dev.varve.store.MutationBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes one group. Consecutive slots that share a row form a run: its row key is encoded once,
 * and its cells are adjacent in the batch, so that they form one mutation.
 *
 * <p>One buffer holds the row key, followed by qualifier and value of one cell at a time. A group
 * thus costs a handful of objects, and a sample none.
 */
final class SampleEncoder {
  private final DeclaredLayout layout;
  private final KeyPlan keys;
  private final DeclaredBinding binding;
  private final SampleGroup group;
  private final long firstStamp;
  private final CellSink sink;
  private final MutationBatch batch;
  private final KeyBytes out = new KeyBytes();
  private final KeyInput input;
  private final TimeRange domain;

  /** The family of each column; null if the column has no family or is rejected as a whole. */
  private final @Nullable FamilyColumns[] families;

  /** The columns of packed families; null if there are none. */
  private final @Nullable PackedColumns packed;

  /**
   * Whether cells are written slot by slot instead of column by column. This is necessary if a
   * field has values of two kinds: values of one instant may share a cell, which must end up with
   * the last one accepted.
   */
  private final boolean slotBySlot;

  private int rowLength;
  private long rowTime;

  SampleEncoder(
      DeclaredLayout layout,
      KeyPlan keys,
      DeclaredBinding binding,
      SampleGroup group,
      long firstStamp,
      CellSink sink) {
    this.layout = layout;
    this.keys = keys;
    this.binding = binding;
    this.group = group;
    this.firstStamp = firstStamp;
    this.sink = sink;
    this.batch = sink.data(layout.dataTable());
    this.input = new KeyInput(binding);
    this.domain = layout.domain().times();
    this.families = families();
    this.packed = layout.packs() ? PackedColumns.of(group.columns(), families) : null;
    this.slotBySlot = keys.oneRowASample() || hasFieldOfTwoKinds(group);
  }

  private static boolean hasFieldOfTwoKinds(SampleGroup group) {
    List<Column> columns = group.columns();
    for (int i = 1; i < columns.size() && group.size() > 1; i++) {
      for (int j = 0; j < i; j++) {
        if (columns.get(i).field().equals(columns.get(j).field())) {
          return true;
        }
      }
    }
    return false;
  }

  private @Nullable FamilyColumns[] families() {
    @Nullable FamilyColumns[] found = new @Nullable FamilyColumns[group.columns().size()];
    for (int i = 0; i < found.length; i++) {
      Column column = group.columns().get(i);
      Refusal refusal = layout.refusalOf(column.field());
      if (refusal == null) {
        found[i] = layout.familyOf(column.field());
      } else {
        for (int place = 0; place < group.size(); place++) {
          if (column.has(place) && domain.contains(group.times()[place])) {
            sink.refuse(i, place, refusal);
          }
        }
      }
    }
    return found;
  }

  void encode() {
    long[] times = group.times();
    int place = 0;
    while (place < group.size()) {
      if (!domain.contains(times[place])) {
        sink.refuse(-1, place, outside(times[place]));
        place++;
        continue;
      }
      int end = run(place);
      startRow(place);
      for (int i = 0; i < families.length; i++) {
        FamilyColumns family = families[i];
        if (family != null && family.form != ValueForm.ALL) {
          column(family, i, place, end);
        }
      }
      if (packed != null) {
        pack(packed, place, end);
      }
      place = end;
    }
  }

  private Refusal outside(long time) {
    return new Refusal(
        "declared.time",
        "time %d is outside the range %d to %d of layout %s"
            .formatted(time, domain.from(), domain.to() - 1, layout.identity().name()));
  }

  /** Returns the end of the run of slots that share the row of slot {@code from}. */
  private int run(int from) {
    if (slotBySlot) {
      return from + 1;
    }
    long[] times = group.times();
    long start = domain.from();
    long end = domain.to();
    if (keys.hasTime()) {
      start = keys.time().floor(times[from]);
      end = Math.min(end, keys.time().next(start));
    }
    int place = from + 1;
    while (place < group.size() && times[place] >= start && times[place] < end) {
      place++;
    }
    return place;
  }

  private void startRow(int place) {
    long time = group.times()[place];
    input.time(time).stamp(firstStamp + place);
    out.clear();
    keys.encode(binding, input, out);
    rowLength = out.length();
    rowTime = keys.hasTime() ? keys.time().floor(time) : 0;
  }

  /** Writes the cells of a column that is not packed. */
  private void column(FamilyColumns family, int index, int from, int to) {
    Column column = group.columns().get(index);
    for (int place = from; place < to; place++) {
      if (column.has(place)) {
        out.truncate(rowLength);
        Refusal refusal = appendQualifier(family, column, place);
        if (refusal == null) {
          refusal = DeclaredLayout.refusalOf(column, place);
        }
        if (refusal != null) {
          sink.refuse(index, place, refusal);
          continue;
        }
        int valueAt = out.length();
        if (family.form == ValueForm.ONE) {
          appendValue(column, place);
        }
        put(family, place, valueAt);
      }
    }
  }

  private void put(FamilyColumns family, int place, int valueAt) {
    long cellTime = family.eventTime ? group.times()[place] + family.shift : firstStamp + place;
    byte[] bytes = out.array();
    batch.put(
        bytes,
        0,
        rowLength,
        family.index,
        bytes,
        rowLength,
        valueAt - rowLength,
        cellTime,
        bytes,
        valueAt,
        out.length() - valueAt);
  }

  private void appendValue(Column column, int place) {
    switch (column) {
      case Column.Doubles doubles -> ValueCodec.append(doubles.values()[place], out);
      case Column.Longs longs -> ValueCodec.append(longs.values()[place], out);
      case Column.Texts texts ->
          ValueCodec.appendText(texts.bytes(), texts.start(place), texts.end(place), out);
    }
  }

  /**
   * Appends the qualifier of a sample.
   *
   * @param column null in packed families, whose qualifiers contain neither field nor value
   * @return why it cannot be encoded, or null
   */
  private @Nullable Refusal appendQualifier(
      FamilyColumns family, @Nullable Column column, int place) {
    Qualifier qualifier = family.qualifier;
    for (int i = 0; i < qualifier.size(); i++) {
      switch (qualifier.part(i)) {
        case OFFSET -> {
          long ticks = group.times()[place] - rowTime;
          if (ticks % qualifier.offsetUnit() != 0) {
            return offTheGrid(group.times()[place], qualifier.offsetUnit());
          }
          out.number(ticks / qualifier.offsetUnit(), qualifier.offsetBytes());
        }
        case FIELD -> {
          if (column != null) {
            OrderedText.appendField(column.field(), out);
            if (!qualifier.isLast(i)) {
              OrderedText.end(out);
            }
          }
        }
        case SEQUENCE -> OrderedNumber.append(firstStamp + place, false, out);
        case FIXED -> out.raw(qualifier.fixed());
        case VALUE -> {
          if (column != null) {
            appendValueToQualifier(column, place, qualifier.isLast(i));
          }
        }
      }
    }
    int length = out.length() - rowLength;
    return length > DeclaredLayout.QUALIFIER_MAX
        ? new Refusal(
            "declared.qualifier",
            "the qualifier would take %d bytes, more than the limit of %d"
                .formatted(length, DeclaredLayout.QUALIFIER_MAX))
        : null;
  }

  private Refusal offTheGrid(long time, long unit) {
    return new Refusal(
        "declared.grid",
        "time %d is not a multiple of %d %s after the start of its bucket at %d"
            .formatted(time, unit, layout.resolution().symbol(), rowTime));
  }

  private void appendValueToQualifier(Column column, int place, boolean last) {
    if (column instanceof Column.Texts texts) {
      ValueCodec.appendText(texts.bytes(), 0, 0, out);
      OrderedText.append(texts.bytes(), texts.start(place), texts.end(place), out);
      if (!last) {
        OrderedText.end(out);
      }
    } else {
      appendValue(column, place);
    }
  }

  private void pack(PackedColumns columns, int from, int to) {
    for (int place = from; place < to; place++) {
      int first = 0;
      while (first < columns.size()) {
        int end = columns.endOfFamily(first);
        packFamily(columns, first, end, place);
        first = end;
      }
    }
  }

  /** Writes the cell of a packed family for one slot, if the slot has a value there. */
  private void packFamily(PackedColumns columns, int first, int end, int place) {
    FamilyColumns family = columns.family(first);
    out.truncate(rowLength);
    Refusal refusal = appendQualifier(family, null, place);
    int valueAt = out.length();
    PackedCodec.start(out);
    int empty = out.length();
    for (int i = first; i < end; i++) {
      Column column = columns.column(i);
      if (column.has(place) && !columns.shadowed(i, end, place)) {
        Refusal why = refusal != null ? refusal : DeclaredLayout.refusalOf(column, place);
        if (why != null) {
          sink.refuse(columns.indexInGroup(i), place, why);
        } else {
          PackedCodec.append(columns.name(i), column, place, out);
        }
      }
    }
    if (out.length() > empty) {
      put(family, place, valueAt);
    }
  }
}
