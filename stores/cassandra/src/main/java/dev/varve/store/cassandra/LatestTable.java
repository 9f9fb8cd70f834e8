package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.Partitioning;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A table that Varve created, whose columns hold one cell each, by the clock of acceptance.
 *
 * <p>Paxos takes write times from the clocks of the nodes, which may differ from the cell times of
 * plain puts. Conditional puts therefore have columns of their own. Of the two cells, the one with
 * the higher time is visible.
 */
final class LatestTable extends CellTable implements FamilyTable {
  /*
   * t bigint, v blob     cell time and value of the newest plain put, whose write time is its time
   * ct bigint, cv blob   those of the last conditional put
   *
   * PRIMARY KEY ((p), k, q). Rows have no marker: a row without values does not exist.
   */
  private final Resolution unit;
  private final String put;

  LatestTable(
      Requests requests,
      String cqlName,
      Partitioning partitioning,
      TimeToLive timeToLive,
      Resolution unit) {
    super(requests, cqlName, partitioning, timeToLive);
    this.unit = unit;
    this.put =
        "UPDATE "
            + quotedName()
            + " USING TIMESTAMP ? AND TTL ? SET t = ?, v = ? WHERE p = ? AND k = ? AND q = ?";
  }

  @Override
  FamilyTable asFamily() {
    return this;
  }

  @Override
  String create(String options) {
    return "CREATE TABLE IF NOT EXISTS %s (p blob, k blob, q blob, t bigint, v blob, ct bigint, cv blob, PRIMARY KEY ((p), k, q)) WITH %s"
        .formatted(quotedName(), options);
  }

  @Override
  String selected() {
    return "k, q, t, v, ct, cv";
  }

  @Override
  boolean timed() {
    return false;
  }

  @Override
  public WriteTimes times() {
    return new ClockTimes(unit);
  }

  @Override
  public BoundStatement put(CellBatch edits, int edit, long stamp) {
    Place at = place(edits, edit);
    return bind(
        put,
        stamp,
        timeToLive(),
        edits.time(edit),
        value(edits, edit),
        at.partition(),
        at.key(),
        at.qualifier());
  }

  /** Reads a column, with the same columns as {@link #select}. */
  BoundStatement selectColumn(CellBatch edits, int edit) {
    Place at = place(edits, edit);
    return bind(
        "SELECT k, q, t, v, ct, cv FROM " + quotedName() + " WHERE p = ? AND k = ? AND q = ?",
        at.partition(),
        at.key(),
        at.qualifier());
  }

  /**
   * An existing column, without its value.
   *
   * @param time the time of its cell
   * @param putAt the write time of its plain put; null if there is none
   * @param decidedAt the write time of its conditional put; null if there is none
   */
  record StoredColumn(Bytes qualifier, long time, @Nullable Long putAt, @Nullable Long decidedAt) {}

  /** Reads rows for {@link #storedColumn}. */
  BoundStatement selectStanding(PartitionRange stretch) {
    return select("k, q, t, writetime(v), ct, writetime(cv)", stretch, false, () -> {});
  }

  /** Converts a row that {@link #selectStanding} read. */
  StoredColumn storedColumn(Row row) {
    Long putAt = row.isNull(3) ? null : (Long) row.getLong(3);
    Long decidedAt = row.isNull(5) ? null : (Long) row.getLong(5);
    return new StoredColumn(
        Buffers.bytes(qualifier(row)),
        newer(putAt != null, row.getLong(2), decidedAt != null, row.getLong(4)),
        putAt,
        decidedAt);
  }

  /** Deletes the plain put of a column. */
  BoundStatement deletePut(CellBatch edits, int edit, Bytes qualifier, long stamp) {
    return deleteColumns("t, v", edits, edit, qualifier, stamp);
  }

  /** Deletes the conditional put of a column. */
  BoundStatement deleteDecided(CellBatch edits, int edit, Bytes qualifier, long stamp) {
    return deleteColumns("ct, cv", edits, edit, qualifier, stamp);
  }

  private BoundStatement deleteColumns(
      String columns, CellBatch edits, int edit, Bytes qualifier, long stamp) {
    Place at = place(edits, edit);
    return bind(
        "DELETE %s FROM %s USING TIMESTAMP ? WHERE p = ? AND k = ? AND q = ?"
            .formatted(columns, quotedName()),
        stamp,
        at.partition(),
        at.key(),
        Buffers.of(qualifier));
  }

  /**
   * Deletes an edit's row from one qualifier (inclusive) to another (exclusive); null for the end
   * of the row.
   */
  BoundStatement deleteRange(
      CellBatch edits, int edit, Bytes from, @Nullable Bytes to, long stamp) {
    Place at = place(edits, edit);
    String delete =
        "DELETE FROM " + quotedName() + " USING TIMESTAMP ? WHERE p = ? AND k = ? AND q >= ?";
    ByteBuffer least = Buffers.of(from);
    return to == null
        ? bind(delete, stamp, at.partition(), at.key(), least)
        : bind(delete + " AND q < ?", stamp, at.partition(), at.key(), least, Buffers.of(to));
  }

  /**
   * Puts a cell if its column has not changed since it was read.
   *
   * @param time the time of the cell
   * @param before the result of {@link #selectColumn}; null for nothing
   */
  BoundStatement putIf(CellBatch edits, int edit, long time, @Nullable Row before) {
    Place at = place(edits, edit);
    return bind(
        "UPDATE "
            + quotedName()
            + " USING TTL ? SET ct = ?, cv = ? WHERE p = ? AND k = ? AND q = ? IF t = ? AND v = ? AND ct = ? AND cv = ?",
        timeToLive(),
        time,
        value(edits, edit),
        at.partition(),
        at.key(),
        at.qualifier(),
        before == null || before.isNull(2) ? null : (Long) before.getLong(2),
        before == null ? null : before.getBytesUnsafe(3),
        before == null || before.isNull(4) ? null : (Long) before.getLong(4),
        before == null ? null : before.getBytesUnsafe(5));
  }

  /** Returns the value of the conditional put of a column; null if there is none. */
  static @Nullable ByteBuffer decided(@Nullable Row row) {
    return row == null ? null : row.getBytesUnsafe(5);
  }

  /**
   * Returns the least time at which a conditional put is visible over the plain put of its column.
   */
  static long leastTime(@Nullable Row row) {
    return row == null || row.isNull(3) ? Long.MIN_VALUE : row.getLong(2);
  }

  private static long newer(boolean isPut, long put, boolean isDecided, long decided) {
    return isDecided && (!isPut || decided >= put) ? decided : put;
  }

  private static boolean showsDecided(Row row) {
    return !row.isNull(5) && (row.isNull(3) || row.getLong(4) >= row.getLong(2));
  }

  @Override
  public long time(Row row) {
    return row.getLong(showsDecided(row) ? 4 : 2);
  }

  @Override
  public @Nullable ByteBuffer value(Row row) {
    return row.getBytesUnsafe(showsDecided(row) ? 5 : 3);
  }
}
