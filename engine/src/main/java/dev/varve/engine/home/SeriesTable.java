package dev.varve.engine.home;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The table of the series of a dataset, with one row per key, under the identity of the key.
 *
 * <pre>
 * row        identity, 16 bytes            // its first byte is the partition
 * family     s
 * qualifier  00                            // the key; value: its encoding (SeriesIdentity)
 *            00 kind u8 from i64 to i64 field UTF-8
 *                                          // the key, a field and kind, an extent, and the numbers
 *                                          // of the field; value: series u32, metric u32, samples
 *                                          // counted, i64, then the encoding of the key
 *            01 kind u8 field UTF-8        // a field and kind; value empty
 *            02 from i64 to i64            // an extent; value: samples counted, i64
 *            03 field UTF-8                // numbers of a field; value: series u32, metric u32
 *            04                            // the key was removed; value empty
 * kind       0 int64, 1 double, 2 string
 * i64        big-endian, two's complement
 * </pre>
 *
 * <p>Rows of earlier builds have an identity of another form ({@link
 * SeriesIdentity#FORMER_VERSION}). They are moved when the table is loaded.
 *
 * <p>A key is removed while the cell that says so is not older than that of the key. It comes back
 * with a newer cell of the key.
 *
 * <p>Extents accumulate: a key may have samples within any of them and nowhere else. Extents are
 * never overwritten, so the order of concurrent writers does not matter.
 */
public final class SeriesTable implements AutoCloseable {
  private static final int KEY = 0;
  private static final int FIELD = 1;
  private static final int EXTENT = 2;
  private static final int NUMBER = 3;
  private static final int REMOVED = 4;

  /** Bytes before the field in the qualifier of a cell that has all of a new series. */
  private static final int WHOLE_QUALIFIER = 18;

  /** Bytes before the key in its value. */
  private static final int WHOLE_VALUE = 16;

  /** A row with more extents than this has them merged when the table is loaded. */
  private static final int EXTENTS_MAX = 8;

  private static final int FOLDED_ROWS_AT_ONCE = 1000;
  private static final int ROWS_AT_ONCE = 200;

  private final Table table;

  SeriesTable(Store store, String name) {
    TableSpec spec =
        new TableSpec(
            name,
            List.of(FamilySpec.latest("s")),
            Resolution.MICROSECONDS,
            (bytes, offset, length) -> Math.min(1, length));
    this.table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT);
  }

  public Table table() {
    return table;
  }

  /** Adds the edit that records the key of an identity. */
  public static void putKey(MutationBatch into, SeriesIdentity identity, GroupKey key, long stamp) {
    put(into, identity, new byte[] {KEY}, stamp, SeriesIdentity.encode(key));
  }

  /** Adds the edit that records that a key has samples of a field and kind. */
  public static void putField(
      MutationBatch into, SeriesIdentity identity, String field, Kind kind, long stamp) {
    byte[] name = field.getBytes(StandardCharsets.UTF_8);
    byte[] qualifier = new byte[2 + name.length];
    qualifier[0] = FIELD;
    qualifier[1] = code(kind);
    System.arraycopy(name, 0, qualifier, 2, name.length);
    put(into, identity, qualifier, stamp, new byte[0]);
  }

  /** Adds the edit that records that a key may have samples within an extent. */
  public static void putExtent(
      MutationBatch into, SeriesIdentity identity, TimeRange extent, long samples, long stamp) {
    byte[] value = ByteBuffer.allocate(8).putLong(samples).array();
    put(into, identity, extentQualifier(extent), stamp, value);
  }

  /**
   * Adds the edit that records the durable numbers of a field of a key.
   *
   * @param series the number of the key's field
   * @param metric the number of the metric's field
   */
  public static void putNumber(
      MutationBatch into,
      SeriesIdentity identity,
      String field,
      int series,
      int metric,
      long stamp) {
    byte[] name = field.getBytes(StandardCharsets.UTF_8);
    byte[] qualifier = new byte[1 + name.length];
    qualifier[0] = NUMBER;
    System.arraycopy(name, 0, qualifier, 1, name.length);
    byte[] value = ByteBuffer.allocate(8).putInt(series).putInt(metric).array();
    put(into, identity, qualifier, stamp, value);
  }

  /**
   * What is known of a new series.
   *
   * @param extent in which the key may have samples
   * @param samples counted
   * @param series the number of the key's field
   * @param metric the number of the metric's field
   */
  public record Whole(
      GroupKey key,
      String field,
      Kind kind,
      TimeRange extent,
      long samples,
      int series,
      int metric) {}

  /**
   * Adds the edit that records a new series in one cell, like {@link #putKey}, {@link #putField},
   * {@link #putExtent} and {@link #putNumber} together.
   */
  public static void putWhole(MutationBatch into, SeriesIdentity identity, Whole one, long stamp) {
    byte[] field = one.field().getBytes(StandardCharsets.UTF_8);
    byte[] qualifier =
        ByteBuffer.allocate(WHOLE_QUALIFIER + field.length)
            .put((byte) KEY)
            .put(code(one.kind()))
            .putLong(one.extent().from())
            .putLong(one.extent().to())
            .put(field)
            .array();
    byte[] key = SeriesIdentity.encode(one.key());
    byte[] value =
        ByteBuffer.allocate(WHOLE_VALUE + key.length)
            .putInt(one.series())
            .putInt(one.metric())
            .putLong(one.samples())
            .put(key)
            .array();
    put(into, identity, qualifier, stamp, value);
  }

  /** Adds the edit that records that a key was removed. */
  public static void putRemoved(MutationBatch into, SeriesIdentity identity, long stamp) {
    put(into, identity, new byte[] {REMOVED}, stamp, new byte[0]);
  }

  /**
   * Deletes the rows of keys, durably. They come back with a later cell of the key.
   *
   * @throws StoreException if the store fails
   */
  public void delete(Collection<SeriesIdentity> identities) {
    MutationBatch edits = new MutationBatch();
    identities.forEach(identity -> edits.deleteRow(Bytes.of(identity.toArray())));
    if (!edits.isEmpty()) {
      HomeWrite.apply(table, edits);
    }
  }

  private static byte[] extentQualifier(TimeRange extent) {
    return ByteBuffer.allocate(17)
        .put((byte) EXTENT)
        .putLong(extent.from())
        .putLong(extent.to())
        .array();
  }

  private static void put(
      MutationBatch into, SeriesIdentity identity, byte[] qualifier, long stamp, byte[] value) {
    byte[] row = identity.toArray();
    into.put(row, 0, row.length, 0, qualifier, 0, qualifier.length, stamp, value, 0, value.length);
  }

  /**
   * Reads all series into an index.
   *
   * @param stamp the cell time of merged extents
   * @throws StoreException if the store fails or a cell is damaged
   */
  public void load(SeriesIndex into, long stamp) {
    Loading loading = new Loading(into, stamp);
    try (CellCursor cursor = table.read(everything(), null)) {
      CellBatch page = new CellBatch();
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          loading.take(page, cell);
        }
      }
    }
    loading.endRow();
    loading.fold();
  }

  /**
   * Reads the given series into an index, which may already contain them.
   *
   * @return the series that exist in the table
   * @throws StoreException if the store fails or a cell is damaged
   */
  public Set<SeriesIdentity> load(Collection<SeriesIdentity> identities, SeriesIndex into) {
    List<Slice> rows = new ArrayList<>();
    identities.stream()
        .map(identity -> Bytes.of(identity.toArray()))
        .sorted()
        .forEach(row -> rows.add(Slice.row(row.slice(0, 1), row)));
    Set<SeriesIdentity> found = new HashSet<>();
    for (int from = 0; from < rows.size(); from += ROWS_AT_ONCE) {
      List<Slice> some = rows.subList(from, Math.min(rows.size(), from + ROWS_AT_ONCE));
      Loading loading = new Loading(into, 0);
      loading.folds = false;
      try (CellCursor cursor =
          table.read(ReadPlan.of(some, List.of(FamilySelect.latest(0))), null)) {
        CellBatch page = new CellBatch();
        while (cursor.next(page)) {
          for (int cell = 0; cell < page.size(); cell++) {
            loading.take(page, cell);
            found.add(loading.row);
          }
        }
      }
      loading.endRow();
    }
    return found;
  }

  /**
   * Deletes rows at which {@link #load} would fail: rows without a key and rows with unknown cells.
   *
   * @return whether there were any
   */
  boolean dropBroken() {
    MutationBatch edits = new MutationBatch();
    Set<Bytes> broken = new TreeSet<>();
    SeriesIndex index = new SeriesIndex();
    Loading loading = new Loading(index, 0);
    loading.folds = false;
    try (CellCursor cursor = table.read(everything(), null)) {
      CellBatch page = new CellBatch();
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          try {
            loading.take(page, cell);
          } catch (StoreException e) {
            broken.add(page.row(cell));
          }
        }
      }
    }
    broken.forEach(edits::deleteRow);
    if (!edits.isEmpty()) {
      HomeWrite.apply(table, edits);
    }
    return !broken.isEmpty();
  }

  /** Returns a read of the newest cells of all partitions. */
  static ReadPlan everything() {
    List<Slice> partitions = new ArrayList<>(256);
    for (int first = 0; first < 256; first++) {
      partitions.add(Slice.partition(Bytes.of((byte) first)));
    }
    return ReadPlan.of(partitions, List.of(FamilySelect.latest(0)));
  }

  /** A pass over the cells of the table, row by row. */
  private final class Loading {
    private final SeriesIndex index;
    private final long stamp;
    private final MutationBatch folded = new MutationBatch();

    /** The rows that moved. They are deleted once the store has the rows that they moved to. */
    private final MutationBatch left = new MutationBatch();

    private final List<TimeRange> extents = new ArrayList<>();
    private SeriesIdentity identity = new SeriesIdentity(0, 0);

    /** What the row has as its identity. */
    private SeriesIdentity row = identity;

    private boolean moves;

    /** Whether the row has an extent with a count. */
    private boolean counted;

    private int series = -1;
    private String metric = "";
    private long samples;
    private long added;
    private boolean folds = true;

    private Loading(SeriesIndex index, long stamp) {
      this.index = index;
      this.stamp = stamp;
    }

    private void take(CellBatch page, int cell) {
      byte[] bytes = page.bytes();
      int qualifier = page.qualifierOffset(cell);
      int length = page.qualifierLength(cell);
      int value = page.valueOffset(cell);
      if (page.rowLength(cell) != 16 || length == 0) {
        throw damaged(page, cell, "expected 16 bytes of identity and a qualifier");
      }
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      if (bytes[qualifier] == KEY && length == 1) {
        takeKey(page, cell, 0);
      } else if (bytes[qualifier] == KEY
          && length >= WHOLE_QUALIFIER
          && page.valueLength(cell) > WHOLE_VALUE
          && buffer.getInt(value) >= 0
          && buffer.getInt(value + 4) >= 0) {
        takeKey(page, cell, WHOLE_VALUE);
        String field =
            new String(
                bytes,
                qualifier + WHOLE_QUALIFIER,
                length - WHOLE_QUALIFIER,
                StandardCharsets.UTF_8);
        index.addField(series, field, kind(page, cell, bytes[qualifier + 1]));
        index.extend(
            series, new TimeRange(buffer.getLong(qualifier + 2), buffer.getLong(qualifier + 10)));
        samples = Math.max(samples, buffer.getLong(value + 8));
        counted = true;
        index.numbers().load(series, metric, field, buffer.getInt(value), buffer.getInt(value + 4));
      } else if (series < 0 || !isOfRow(page, cell)) {
        throw damaged(page, cell, "a row that does not begin with its key");
      } else if (bytes[qualifier] == FIELD && length >= 2) {
        String field = new String(bytes, qualifier + 2, length - 2, StandardCharsets.UTF_8);
        index.addField(series, field, kind(page, cell, bytes[qualifier + 1]));
      } else if (bytes[qualifier] == EXTENT && length == 17 && page.valueLength(cell) == 8) {
        extents.add(new TimeRange(buffer.getLong(qualifier + 1), buffer.getLong(qualifier + 9)));
        samples = Math.max(samples, buffer.getLong(value));
        counted = true;
      } else if (bytes[qualifier] == NUMBER
          && page.valueLength(cell) == 8
          && buffer.getInt(value) >= 0
          && buffer.getInt(value + 4) >= 0) {
        String field = new String(bytes, qualifier + 1, length - 1, StandardCharsets.UTF_8);
        index.numbers().load(series, metric, field, buffer.getInt(value), buffer.getInt(value + 4));
      } else if (bytes[qualifier] == REMOVED && length == 1) {
        if (page.time(cell) >= added) {
          index.remove(series);
        }
      } else {
        throw damaged(page, cell, "neither a key, a field, an extent, a number nor a removal");
      }
      if (moves) {
        move(page, cell);
      }
    }

    /** Begins a row, unless the cell is another one with the key of the same row. */
    private void takeKey(CellBatch page, int cell, int skipped) {
      if (series >= 0 && isOfRow(page, cell)) {
        added = Math.max(added, page.time(cell));
        return;
      }
      endRow();
      row = row(page, cell);
      GroupKey key = key(page, cell, skipped);
      boolean isFormer =
          page.bytes()[page.valueOffset(cell) + skipped] == SeriesIdentity.FORMER_VERSION;
      identity = isFormer ? SeriesIdentity.of(key) : row;
      moves = folds && isFormer;
      metric = key.metric();
      series = index.add(identity, key);
      added = page.time(cell);
    }

    /** Adds the edit that writes a cell into the row that its key has now. */
    private void move(CellBatch page, int cell) {
      boolean isKey = page.bytes()[page.qualifierOffset(cell)] == KEY;
      put(
          folded,
          identity,
          page.qualifier(cell).toArray(),
          page.time(cell),
          isKey ? SeriesIdentity.encode(key(page, cell, 0)) : page.value(cell).toArray());
    }

    private GroupKey key(CellBatch page, int cell, int skipped) {
      int from = page.valueOffset(cell);
      try {
        return SeriesIdentity.decode(page.bytes(), from + skipped, from + page.valueLength(cell));
      } catch (IllegalArgumentException e) {
        throw damaged(page, cell, String.valueOf(e.getMessage()));
      }
    }

    private boolean isOfRow(CellBatch page, int cell) {
      return row(page, cell).equals(row);
    }

    private static SeriesIdentity row(CellBatch page, int cell) {
      ByteBuffer buffer = ByteBuffer.wrap(page.bytes());
      int at = page.rowOffset(cell);
      return new SeriesIdentity(buffer.getLong(at), buffer.getLong(at + 8));
    }

    private void endRow() {
      if (series < 0) {
        return;
      }
      if (counted) {
        endExtents();
      }
      if (moves) {
        left.deleteRow(Bytes.of(row.toArray()));
      }
      if (folded.size() > FOLDED_ROWS_AT_ONCE * EXTENTS_MAX) {
        fold();
      }
    }

    private void endExtents() {
      for (TimeRange extent : extents) {
        index.extend(series, extent);
      }
      index.countAtLeast(series, samples);
      index.notedCount(series, samples);
      // The extents of a row that moves are merged by the next load.
      if (folds && !moves && extents.size() > EXTENTS_MAX) {
        foldRow(index.extent(series));
      }
      extents.clear();
      samples = 0;
      counted = false;
    }

    /**
     * Merges the extents of a row. An extent equal to the sum is not deleted, because in some
     * stores a delete wins over a put.
     */
    private void foldRow(TimeRange sum) {
      putExtent(folded, identity, sum, samples, stamp);
      Bytes row = Bytes.of(identity.toArray());
      for (TimeRange extent : extents) {
        if (!extent.equals(sum)) {
          folded.deleteColumn(row, 0, Bytes.of(extentQualifier(extent)), TimeRange.ALL);
        }
      }
    }

    private void fold() {
      apply(folded);
      apply(left);
    }

    private void apply(MutationBatch edits) {
      if (!edits.isEmpty()) {
        List<RowOutcome> outcomes = table.apply(edits, Durability.ORDERED);
        edits.clear();
        for (RowOutcome outcome : outcomes) {
          if (!outcome.applied()) {
            throw new StoreException(
                "table '%s': rewriting rows of series failed: %s"
                    .formatted(table.spec().name(), outcome.reason()));
          }
        }
      }
    }

    private StoreException damaged(CellBatch page, int cell, String what) {
      return new StoreException(
          "table '%s' is damaged: row %s, qualifier %s: %s"
              .formatted(table.spec().name(), page.row(cell), page.qualifier(cell), what));
    }

    private Kind kind(CellBatch page, int cell, byte code) {
      return switch (code) {
        case 0 -> Kind.INT64;
        case 1 -> Kind.DOUBLE;
        case 2 -> Kind.STRING;
        default -> throw damaged(page, cell, "kind " + code + ", known are 0 to 2");
      };
    }
  }

  private static byte code(Kind kind) {
    return switch (kind) {
      case INT64 -> 0;
      case DOUBLE -> 1;
      case STRING -> 2;
    };
  }

  @Override
  public void close() {
    table.close();
  }
}
