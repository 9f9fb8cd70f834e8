package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A table that Varve created: one row in Cassandra is one cell. */
abstract sealed class CellTable permits LatestTable, VersionsTable {
  /*
   * p blob     partition of the row key. Cassandra does not allow an empty one, so a partition that
   *            is empty, or consists of zero bytes only, gets one more zero byte
   * k blob     the rest of the row key
   * q blob     qualifier
   */
  private final Requests requests;
  private final String table;
  private final String cqlName;
  private final Partitioning partitioning;
  private final TimeToLive timeToLive;

  CellTable(Requests requests, String cqlName, Partitioning partitioning, TimeToLive timeToLive) {
    this.requests = requests;
    this.cqlName = cqlName;
    this.table = CqlNames.quoted(requests.options().keyspace()) + "." + CqlNames.quoted(cqlName);
    this.partitioning = partitioning;
    this.timeToLive = timeToLive;
  }

  /**
   * Returns the table of a family.
   *
   * @param timeToLive lifetime of the cells to put
   */
  static CellTable of(Requests requests, TableSpec spec, FamilySpec family, TimeToLive timeToLive) {
    String name = CqlNames.table(spec.name(), family.name());
    return holdsVersions(family)
        ? new VersionsTable(requests, name, spec.partitioning(), timeToLive)
        : new LatestTable(requests, name, spec.partitioning(), timeToLive, spec.timeUnit());
  }

  /** Returns whether a column holds many cells, whose times are part of Cassandra's key. */
  static boolean holdsVersions(FamilySpec family) {
    return family.time() == TimeUse.DATA || family.maxVersions() > 1;
  }

  /** Returns this table as a family. */
  abstract FamilyTable asFamily();

  /** Returns the statement that creates the table. */
  abstract String create(String options);

  /** Returns the columns that a read fetches, key and qualifier first. */
  abstract String selected();

  String cqlName() {
    return cqlName;
  }

  /** Returns the name of the table with its keyspace, quoted for CQL. */
  String quotedName() {
    return table;
  }

  String drop() {
    return "DROP TABLE IF EXISTS " + table;
  }

  /** The row or column that an edit addresses. */
  record Place(ByteBuffer partition, ByteBuffer key, ByteBuffer qualifier) {}

  Place place(CellBatch edits, int edit) {
    byte[] bytes = edits.bytes();
    int row = edits.rowOffset(edit);
    int length = edits.rowLength(edit);
    int split = partitioning.prefixLength(bytes, row, length);
    return new Place(
        partition(bytes, row, split),
        ByteBuffer.wrap(bytes, row + split, length - split),
        ByteBuffer.wrap(bytes, edits.qualifierOffset(edit), edits.qualifierLength(edit)));
  }

  /**
   * Returns the part of an edit's row from one qualifier (inclusive) to another (exclusive); null
   * for the end of the row.
   */
  PartitionRange stretch(CellBatch edits, int edit, Bytes from, @Nullable Bytes to) {
    Bytes row = edits.row(edit);
    int split = partitioning.prefixLength(row.toArray(), 0, row.length());
    Bytes key = row.slice(split, row.length());
    return new PartitionRange(
        row.slice(0, split),
        new Position(key, from),
        to == null ? Position.after(key) : new Position(key, to));
  }

  private static ByteBuffer partition(byte[] bytes, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (bytes[i] != 0) {
        return ByteBuffer.wrap(bytes, offset, length);
      }
    }
    return ByteBuffer.wrap(new byte[length + 1]);
  }

  static ByteBuffer value(CellBatch edits, int edit) {
    return ByteBuffer.wrap(edits.bytes(), edits.valueOffset(edit), edits.valueLength(edit));
  }

  BoundStatement bind(String cql, @Nullable Object... values) {
    return requests.bind(cql, values);
  }

  int timeToLive() {
    return timeToLive.seconds();
  }

  public BoundStatement select(
      PartitionRange stretch, boolean reverse, boolean cellTimes, Requests.Wanted wanted) {
    return select(selected(), stretch, reverse, wanted);
  }

  /** Returns whether the time of a cell is part of the key. */
  abstract boolean timed();

  BoundStatement select(
      String columns, PartitionRange stretch, boolean reverse, Requests.Wanted wanted) {
    Position from = stretch.from();
    Position to = stretch.to();
    List<@Nullable Object> values = new ArrayList<>(5);
    StringBuilder cql = new StringBuilder("SELECT ").append(columns).append(" FROM ").append(table);
    cql.append(" WHERE p = ?");
    Bytes partition = stretch.partition();
    values.add(partition(partition.toArray(), 0, partition.length()));
    // Without a range of rows, Cassandra returns a row even for a partition that holds only its
    // guard.
    if (timed() || !from.key().isEmpty() || !from.qualifier().isEmpty()) {
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
      cql.append(" ORDER BY k DESC, q DESC").append(timed() ? ", t ASC" : "");
    }
    return requests.bind(wanted, cql.toString(), values.toArray());
  }

  public ByteBuffer key(Row row) {
    return Buffers.present(row.getBytesUnsafe(0));
  }

  public ByteBuffer qualifier(Row row) {
    return Buffers.present(row.getBytesUnsafe(1));
  }
}
