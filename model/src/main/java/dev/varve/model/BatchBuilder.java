package dev.varve.model;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Gathers samples, as they come from a protocol, into the columns of a {@link Batch}. Values of
 * several fields that come one after the other for the same key and time share a place. Not safe
 * for use by several threads.
 *
 * <p>What the builder holds is estimated in bytes as it grows: a key, a column and an array when
 * they are made, not sample by sample. Whoever wants to bound it is told before each growth, and
 * may throw; what was added before stands then.
 */
public final class BatchBuilder {
  /** Bytes of a key's place, its builder and its first times, without its texts. */
  private static final int GROUP_BYTES = 320;

  /** Bytes of a column with its first values. */
  private static final int COLUMN_BYTES = 240;

  private static final int ATTRIBUTE_BYTES = 200;

  /** Of a table that is larger than this nothing is kept for the next batch. */
  private static final int GROUPS_KEPT = 1 << 10;

  private final LongConsumer growth;
  private Map<GroupKey, GroupBuilder> groups = new LinkedHashMap<>();
  private final List<Attribute> attributes = new ArrayList<>();
  private int sampleCount;
  private long byteCount;

  /** A builder that grows as it likes. */
  public BatchBuilder() {
    this(bytes -> {});
  }

  /**
   * A builder whose growth is bounded.
   *
   * @param growth is told bytes before there is memory allocated for them; what it throws keeps the
   *     builder from growing
   */
  public BatchBuilder(LongConsumer growth) {
    this.growth = growth;
  }

  private void grow(long bytes) {
    growth.accept(bytes);
    byteCount += bytes;
  }

  /** The columns of one key, to which samples can be added without looking the key up again. */
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
      case Value.Raw v -> throw new IllegalArgumentException("raw bytes are no sample");
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

  /** About how many bytes of the heap the builder holds. */
  public long byteCount() {
    return byteCount;
  }

  public boolean isEmpty() {
    return sampleCount == 0 && attributes.isEmpty();
  }

  /** The batch of what was added; the builder is empty afterwards and may be used again. */
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
    private long[] times = new long[8];
    private int size;

    private GroupBuilder(GroupKey key) {
      this.key = key;
    }

    public void add(String field, long time, double value) {
      Growing column = column(field, Kind.DOUBLE);
      int place = place(column, time);
      if (place >= column.doubles.length) {
        grow(8L * (times.length - column.doubles.length));
        column.doubles = Arrays.copyOf(column.doubles, times.length);
      }
      column.doubles[place] = value;
      column.fill(place);
    }

    public void add(String field, long time, long value) {
      Growing column = column(field, Kind.INT64);
      int place = place(column, time);
      if (place >= column.longs.length) {
        grow(8L * (times.length - column.longs.length));
        column.longs = Arrays.copyOf(column.longs, times.length);
      }
      column.longs[place] = value;
      column.fill(place);
    }

    public void add(String field, long time, String value) {
      add(field, time, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds a text that is UTF-8 already. */
    public void add(String field, long time, byte[] utf8) {
      Growing column = column(field, Kind.STRING);
      int place = place(column, time);
      column.endTexts(place);
      int end = column.textLength + utf8.length;
      if (end > column.text.length) {
        int length = Math.max(end, 2 * column.text.length);
        grow(length - column.text.length + 4L * times.length);
        column.text = Arrays.copyOf(column.text, length);
      }
      System.arraycopy(utf8, 0, column.text, column.textLength, utf8.length);
      column.textLength = end;
      column.endTexts(place + 1);
      column.fill(place);
    }

    private Growing column(String field, Kind kind) {
      for (Growing column : columns) {
        if (column.kind == kind && column.field.equals(field)) {
          return column;
        }
      }
      grow(COLUMN_BYTES + 2L * field.length());
      Growing column = new Growing(field, kind);
      columns.add(column);
      return column;
    }

    /**
     * The last place, if it is of the same instant and still free in the column; else a new one.
     */
    private int place(Growing column, long time) {
      if (size > 0
          && times[size - 1] == time
          && column.filledTo < size
          && !fieldFilled(column.field)) {
        sampleCount++;
        return size - 1;
      }
      if (size == times.length) {
        grow(8L * size);
        times = Arrays.copyOf(times, 2 * size);
      }
      sampleCount++;
      times[size] = time;
      return size++;
    }

    private boolean fieldFilled(String field) {
      for (Growing column : columns) {
        if (column.filledTo == size && column.field.equals(field)) {
          return true;
        }
      }
      return false;
    }

    private SampleGroup build() {
      List<Column> built = new ArrayList<>(columns.size());
      for (Growing column : columns) {
        built.add(column.build(size));
      }
      return new SampleGroup(key, size, times, built);
    }
  }

  /** A column under way. Presence bits are kept only from the first hole on. */
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

    private void fill(int place) {
      if (place > filledTo && presence == null) {
        presence = new long[(place >>> 6) + 1];
        for (int i = 0; i < filledTo; i++) {
          presence[i >>> 6] |= 1L << i;
        }
      }
      if (presence != null) {
        if (place >>> 6 >= presence.length) {
          presence = Arrays.copyOf(presence, Math.max(2 * presence.length, (place >>> 6) + 1));
        }
        presence[place >>> 6] |= 1L << place;
      }
      filledTo = place + 1;
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
