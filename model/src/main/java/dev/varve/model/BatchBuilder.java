package dev.varve.model;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects samples in the order a protocol delivers them, and builds a {@link Batch} of columns.
 * Consecutive values of different fields with the same key and time share a slot. Not safe for use
 * by several threads.
 *
 * <p>The builder estimates its memory as it grows: when a key, column or array is allocated, not
 * for each sample. A growth listener is called before each allocation and may prevent it by
 * throwing; everything added before remains.
 */
public final class BatchBuilder {
  /**
   * Estimated bytes of a key's map entry, its builder and its first times, excluding its strings.
   */
  private static final int GROUP_BYTES = 320;

  /** Estimated bytes of a column with its field and its first values. */
  private static final int COLUMN_BYTES = 320;

  private static final int ATTRIBUTE_BYTES = 200;

  /**
   * Maximum number of fields of a key that are searched one by one; beyond it, a map finds them.
   */
  private static final int FIELDS_SEARCHED = 8;

  /** Maximum number of keys in a map that is reused for the next batch. */
  private static final int GROUPS_KEPT = 1 << 10;

  private final LongConsumer growth;
  private Map<GroupKey, GroupBuilder> groups = new LinkedHashMap<>();
  private final List<Attribute> attributes = new ArrayList<>();
  private int sampleCount;
  private long byteCount;

  /** Creates a builder without a memory bound. */
  public BatchBuilder() {
    this(bytes -> {});
  }

  /**
   * Creates a builder whose growth can be bounded.
   *
   * @param growth receives the number of bytes about to be allocated; an exception from it prevents
   *     the allocation
   */
  public BatchBuilder(LongConsumer growth) {
    this.growth = growth;
  }

  private void grow(long bytes) {
    growth.accept(bytes);
    byteCount += bytes;
  }

  /**
   * Returns the columns of one key, so that callers can add samples without looking the key up
   * again.
   */
  public GroupBuilder group(GroupKey key) {
    GroupBuilder known = groups.get(key);
    if (known == null) {
      grow(GROUP_BYTES + key.byteCount());
      known = new GroupBuilder(key);
      groups.put(key, known);
    }
    return known;
  }

  public BatchBuilder add(GroupKey key, long time, Value value) {
    return add(key, Series.DEFAULT_FIELD, time, value);
  }

  public BatchBuilder add(GroupKey key, String field, long time, Value value) {
    GroupBuilder group = group(key);
    switch (value) {
      case Value.Int64 v -> group.add(field, time, v.value());
      case Value.Real v -> group.add(field, time, v.value());
      case Value.Text v -> group.add(field, time, v.value());
      case Value.Raw v -> throw new IllegalArgumentException("raw bytes are not a sample");
    }
    return this;
  }

  public BatchBuilder add(Attribute attribute) {
    long text = attribute.value() instanceof Value.Text(String value) ? 2L * value.length() : 0;
    grow(ATTRIBUTE_BYTES + attribute.key().byteCount() + text);
    attributes.add(attribute);
    return this;
  }

  public int sampleCount() {
    return sampleCount;
  }

  /** Returns an estimate of the heap the builder holds, in bytes. */
  public long byteCount() {
    return byteCount;
  }

  public boolean isEmpty() {
    return sampleCount == 0 && attributes.isEmpty();
  }

  /** Builds a batch of everything added so far, and resets the builder for reuse. */
  public Batch build() {
    List<SampleGroup> built = new ArrayList<>(groups.size());
    for (GroupBuilder group : groups.values()) {
      if (group.size > 0) {
        built.add(group.build());
      }
    }
    Batch batch = new Batch(built, attributes);
    if (groups.size() > GROUPS_KEPT) {
      groups = new LinkedHashMap<>();
    } else {
      groups.clear();
    }
    attributes.clear();
    sampleCount = 0;
    byteCount = 0;
    return batch;
  }

  /** The samples of one key. */
  public final class GroupBuilder {
    private final GroupKey key;
    private final List<Growing> columns = new ArrayList<>(1);
    private final List<Field> fields = new ArrayList<>(1);
    private @Nullable Map<String, Integer> indexes;
    private int expected;
    private long[] times = new long[8];
    private int size;

    private GroupBuilder(GroupKey key) {
      this.key = key;
    }

    public void add(String field, long time, double value) {
      Field known = field(field);
      Growing column = column(known, Kind.DOUBLE);
      int slot = slot(known, time);
      if (slot >= column.doubles.length) {
        grow(8L * (times.length - column.doubles.length));
        column.doubles = Arrays.copyOf(column.doubles, times.length);
      }
      column.doubles[slot] = value;
      column.fill(slot);
    }

    public void add(String field, long time, long value) {
      Field known = field(field);
      Growing column = column(known, Kind.INT64);
      int slot = slot(known, time);
      if (slot >= column.longs.length) {
        grow(8L * (times.length - column.longs.length));
        column.longs = Arrays.copyOf(column.longs, times.length);
      }
      column.longs[slot] = value;
      column.fill(slot);
    }

    public void add(String field, long time, String value) {
      add(field, time, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds a text that is already encoded as UTF-8. */
    public void add(String field, long time, byte[] utf8) {
      Field known = field(field);
      Growing column = column(known, Kind.STRING);
      int slot = slot(known, time);
      column.endTexts(slot);
      int end = column.textLength + utf8.length;
      if (end > column.text.length) {
        int length = Math.max(end, 2 * column.text.length);
        grow(length - column.text.length + 4L * times.length);
        column.text = Arrays.copyOf(column.text, length);
      }
      System.arraycopy(utf8, 0, column.text, column.textLength, utf8.length);
      column.textLength = end;
      column.endTexts(slot + 1);
      column.fill(slot);
    }

    // The array lives no longer than the batch, so the order of the constants may change later.
    @SuppressWarnings("EnumOrdinal")
    private Growing column(Field field, Kind kind) {
      Growing known = field.columns[kind.ordinal()];
      if (known != null) {
        return known;
      }
      grow(COLUMN_BYTES + 2L * field.name.length());
      Growing column = new Growing(field.name, kind);
      field.columns[kind.ordinal()] = column;
      columns.add(column);
      return column;
    }

    /** Returns the columns of a field. Fields usually come in the same order for every time. */
    private Field field(String name) {
      if (expected == fields.size()) {
        expected = 0;
      }
      if (expected < fields.size() && fields.get(expected).name.equals(name)) {
        return fields.get(expected++);
      }
      int found = fieldIndex(name);
      if (found < 0) {
        found = fields.size();
        fields.add(new Field(name));
        if (indexes != null) {
          indexes.put(name, found);
        }
      }
      expected = found + 1;
      return fields.get(found);
    }

    private int fieldIndex(String name) {
      if (indexes == null && fields.size() > FIELDS_SEARCHED) {
        indexes = new HashMap<>();
        for (int i = 0; i < fields.size(); i++) {
          indexes.put(fields.get(i).name, i);
        }
      }
      if (indexes != null) {
        return indexes.getOrDefault(name, -1);
      }
      for (int i = 0; i < fields.size(); i++) {
        if (fields.get(i).name.equals(name)) {
          return i;
        }
      }
      return -1;
    }

    /**
     * Returns the last slot if it has the same time and is still free in this field; otherwise a
     * new slot.
     */
    private int slot(Field field, long time) {
      boolean shared = size > 0 && times[size - 1] == time && field.filledTo < size;
      if (!shared) {
        if (size == times.length) {
          grow(8L * size);
          times = Arrays.copyOf(times, 2 * size);
        }
        times[size++] = time;
      }
      sampleCount++;
      field.filledTo = size;
      return size - 1;
    }

    private SampleGroup build() {
      List<Column> built = new ArrayList<>(columns.size());
      for (Growing column : columns) {
        built.add(column.build(size));
      }
      return new SampleGroup(key, size, times, built);
    }
  }

  /** The columns of a field, one for each kind of value, and the number of slots up to its last. */
  private static final class Field {
    private final String name;
    private final @Nullable Growing[] columns = new Growing[Kind.values().length];
    private int filledTo;

    private Field(String name) {
      this.name = name;
    }
  }

  /** A column under construction. Presence bits are allocated at the first gap. */
  private static final class Growing {
    private final String field;
    private final Kind kind;
    private double[] doubles = {};
    private long[] longs = {};
    private byte[] text = {};
    private int[] ends = {};
    private int textLength;
    private int textCount;
    private int filledTo;
    private long @Nullable [] presence;

    private Growing(String field, Kind kind) {
      this.field = field;
      this.kind = kind;
    }

    private void fill(int slot) {
      if (slot > filledTo && presence == null) {
        presence = new long[(slot >>> 6) + 1];
        for (int i = 0; i < filledTo; i++) {
          presence[i >>> 6] |= 1L << i;
        }
      }
      if (presence != null) {
        if (slot >>> 6 >= presence.length) {
          presence = Arrays.copyOf(presence, Math.max(2 * presence.length, (slot >>> 6) + 1));
        }
        presence[slot >>> 6] |= 1L << slot;
      }
      filledTo = slot + 1;
    }

    private void endTexts(int count) {
      if (count > ends.length) {
        ends = Arrays.copyOf(ends, Math.max(count, 2 * ends.length));
      }
      while (textCount < count) {
        ends[textCount++] = textLength;
      }
    }

    private long @Nullable [] presence(int size) {
      if (filledTo < size && presence == null) {
        presence = new long[(size + 63) >>> 6];
        for (int i = 0; i < filledTo; i++) {
          presence[i >>> 6] |= 1L << i;
        }
      }
      return presence == null
          ? null
          : Arrays.copyOf(presence, Math.max(presence.length, (size + 63) >>> 6));
    }

    private Column build(int size) {
      return switch (kind) {
        case DOUBLE ->
            new Column.Doubles(
                field,
                doubles.length < size ? Arrays.copyOf(doubles, size) : doubles,
                presence(size));
        case INT64 ->
            new Column.Longs(
                field, longs.length < size ? Arrays.copyOf(longs, size) : longs, presence(size));
        case STRING -> {
          endTexts(size);
          yield new Column.Texts(field, text, ends, presence(size));
        }
      };
    }
  }
}
