package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.TimeUse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A table of our own: one row in Cassandra is one cell. */
final class CellTable implements FamilyTable {
  /*
   * p blob     partition of the row key; it must not be empty in Cassandra, so that a partition of
   *            nothing but zero bytes, the empty one among them, stands with one zero more
   * k blob     the rest of the row key
   * q blob     qualifier
   * t bigint   cell time; in the key, newest first, where a column holds many cells
   * v blob     value
   * g bigint   counts the conditional puts of a partition; static, in tables with t in the key
   *
   * PRIMARY KEY ((p), k, q) or ((p), k, q, t)
   */
  private final Requests requests;
  private final String table;
  private final String cqlName;
  private final Partitioning partitioning;
  private final boolean timed;
  private final String put;

  CellTable(Requests requests, String cqlName, FamilySpec family, Partitioning partitioning) {
    this.requests = requests;
    this.cqlName = cqlName;
    this.table = CqlNames.quoted(requests.options().keyspace()) + "." + CqlNames.quoted(cqlName);
    this.partitioning = partitioning;
    this.timed = family.time() == TimeUse.DATA || family.maxVersions() > 1;
    this.put = "INSERT INTO " + table + " (p, k, q, t, v) VALUES (?, ?, ?, ?, ?) USING TIMESTAMP ?";
  }

  String cqlName() {
    return cqlName;
  }

  @Override
  public boolean timed() {
    return timed;
  }

  /** The statement that makes the table. */
  String create(String options) {
    return timed
        ? "CREATE TABLE IF NOT EXISTS %s (p blob, k blob, q blob, t bigint, v blob, g bigint static, PRIMARY KEY ((p), k, q, t)) WITH CLUSTERING ORDER BY (k ASC, q ASC, t DESC) AND %s"
            .formatted(table, options)
        : "CREATE TABLE IF NOT EXISTS %s (p blob, k blob, q blob, t bigint, v blob, PRIMARY KEY ((p), k, q)) WITH %s"
            .formatted(table, options);
  }

  String drop() {
    return "DROP TABLE IF EXISTS " + table;
  }

  /** The row, or the column, that an edit is about. */
  private record Place(ByteBuffer partition, ByteBuffer key, ByteBuffer qualifier) {}

  private Place place(CellBatch edits, int edit) {
    byte[] bytes = edits.bytes();
    int row = edits.rowOffset(edit);
    int length = edits.rowLength(edit);
    int split = partitioning.prefixLength(bytes, row, length);
    return new Place(
        partition(bytes, row, split),
        ByteBuffer.wrap(bytes, row + split, length - split),
        ByteBuffer.wrap(bytes, edits.qualifierOffset(edit), edits.qualifierLength(edit)));
  }

  private static ByteBuffer partition(byte[] bytes, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (bytes[i] != 0) {
        return ByteBuffer.wrap(bytes, offset, length);
      }
    }
    return ByteBuffer.wrap(new byte[length + 1]);
  }

  private static ByteBuffer value(CellBatch edits, int edit) {
    return ByteBuffer.wrap(edits.bytes(), edits.valueOffset(edit), edits.valueLength(edit));
  }

  @Override
  public BoundStatement put(CellBatch edits, int edit, long stamp) {
    Place at = place(edits, edit);
    return requests.bind(
        put, at.partition, at.key, at.qualifier, edits.time(edit), value(edits, edit), stamp);
  }

  @Override
  public BoundStatement deleteColumn(CellBatch edits, int edit, long stamp) {
    Place at = place(edits, edit);
    return requests.bind(
        delete("p = ? AND k = ? AND q = ?"), stamp, at.partition, at.key, at.qualifier);
  }

  @Override
  public BoundStatement deleteTimes(CellBatch edits, int edit, TimeRange times, long stamp) {
    Place at = place(edits, edit);
    return requests.bind(
        delete("p = ? AND k = ? AND q = ? AND t >= ? AND t < ?"),
        stamp,
        at.partition,
        at.key,
        at.qualifier,
        times.from(),
        times.to());
  }

  @Override
  public BoundStatement deleteQualifiers(CellBatch edits, int edit, long stamp) {
    Place at = place(edits, edit);
    return requests.bind(
        delete("p = ? AND k = ? AND q >= ? AND q < ?"),
        stamp,
        at.partition,
        at.key,
        at.qualifier,
        value(edits, edit));
  }

  @Override
  public BoundStatement deleteRow(CellBatch edits, int edit, long stamp) {
    Place at = place(edits, edit);
    return requests.bind(delete("p = ? AND k = ?"), stamp, at.partition, at.key);
  }

  private String delete(String where) {
    return "DELETE FROM " + table + " USING TIMESTAMP ? WHERE " + where;
  }

  @Override
  public BoundStatement selectColumn(CellBatch edits, int edit) {
    Place at = place(edits, edit);
    return requests.bind(
        "SELECT k, q, t, v, writetime(v) FROM " + table + " WHERE p = ? AND k = ? AND q = ?",
        at.partition,
        at.key,
        at.qualifier);
  }

  @Override
  public long writeTime(Row row) {
    return row.getLong(4);
  }

  /** Reads the newest cell of a column. */
  BoundStatement selectNewest(CellBatch edits, int edit) {
    Place at = place(edits, edit);
    return requests.bind(
        "SELECT k, q, t, v FROM " + table + " WHERE p = ? AND k = ? AND q = ? LIMIT 1",
        at.partition,
        at.key,
        at.qualifier);
  }

  /** Reads the guard of a partition; for timed tables. */
  BoundStatement selectGuard(CellBatch edits, int edit) {
    return requests.bind(
        "SELECT g FROM " + table + " WHERE p = ? LIMIT 1", place(edits, edit).partition);
  }

  /**
   * Puts a cell if its column has the expected value, or is empty where that is null; for tables
   * that are not timed.
   */
  BoundStatement putIf(CellBatch edits, int edit, @Nullable ByteBuffer expected) {
    Place at = place(edits, edit);
    ByteBuffer value = value(edits, edit);
    return expected == null
        ? requests.bind(
            "INSERT INTO " + table + " (p, k, q, t, v) VALUES (?, ?, ?, ?, ?) IF NOT EXISTS",
            at.partition,
            at.key,
            at.qualifier,
            edits.time(edit),
            value)
        : requests.bind(
            "UPDATE " + table + " SET t = ?, v = ? WHERE p = ? AND k = ? AND q = ? IF v = ?",
            edits.time(edit),
            value,
            at.partition,
            at.key,
            at.qualifier,
            expected);
  }

  /**
   * Puts a cell if nothing was put into the partition on a condition since the guard was read; for
   * timed tables.
   */
  BoundStatement putGuarded(CellBatch edits, int edit, @Nullable Long guard) {
    Place at = place(edits, edit);
    return requests.bind(
        "UPDATE " + table + " SET v = ?, g = ? WHERE p = ? AND k = ? AND q = ? AND t = ? IF g = ?",
        value(edits, edit),
        guard == null ? 1 : guard + 1,
        at.partition,
        at.key,
        at.qualifier,
        edits.time(edit),
        guard);
  }

  @Override
  public BoundStatement select(Stretch stretch, boolean reverse) {
    Position from = stretch.from();
    Position to = stretch.to();
    // A partition of nothing but its guard has a row too, unless a range of rows is asked for.
    boolean fromStart = !timed && from.key().isEmpty() && from.qualifier().isEmpty();
    List<@Nullable Object> values = new ArrayList<>(5);
    StringBuilder cql = new StringBuilder("SELECT k, q, t, v FROM ").append(table);
    cql.append(" WHERE p = ?");
    Bytes partition = stretch.partition();
    values.add(partition(partition.toArray(), 0, partition.length()));
    if (!fromStart) {
      cql.append(" AND (k, q) >= (?, ?)");
      values.add(Buffers.of(from.key()));
      values.add(Buffers.of(from.qualifier()));
    }
    if (to != null) {
      cql.append(" AND (k, q) < (?, ?)");
      values.add(Buffers.of(to.key()));
      values.add(Buffers.of(to.qualifier()));
    }
    if (reverse) {
      cql.append(" ORDER BY k DESC, q DESC").append(timed ? ", t ASC" : "");
    }
    return requests.bind(cql.toString(), values.toArray());
  }

  @Override
  public ByteBuffer key(Row row) {
    return Buffers.present(row.getBytesUnsafe(0));
  }

  @Override
  public ByteBuffer qualifier(Row row) {
    return Buffers.present(row.getBytesUnsafe(1));
  }

  @Override
  public long time(Row row) {
    return row.getLong(2);
  }

  @Override
  public @Nullable ByteBuffer value(Row row) {
    return row.getBytesUnsafe(3);
  }
}
