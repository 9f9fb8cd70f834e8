package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.Partitioning;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A table that Varve created, whose columns hold many cells, one per time. */
final class VersionsTable extends CellTable implements FamilyTable {
  /*
   * t bigint   cell time, newest first
   * v blob     value
   * g bigint   number of conditional puts in a partition; static
   *
   * PRIMARY KEY ((p), k, q, t)
   */
  private final String put;

  VersionsTable(
      Requests requests, String cqlName, Partitioning partitioning, TimeToLive timeToLive) {
    super(requests, cqlName, partitioning, timeToLive);
    this.put =
        "INSERT INTO "
            + quotedName()
            + " (p, k, q, t, v) VALUES (?, ?, ?, ?, ?) USING TIMESTAMP ? AND TTL ?";
  }

  @Override
  FamilyTable asFamily() {
    return this;
  }

  @Override
  String create(String options) {
    return "CREATE TABLE IF NOT EXISTS %s (p blob, k blob, q blob, t bigint, v blob, g bigint static, PRIMARY KEY ((p), k, q, t)) WITH CLUSTERING ORDER BY (k ASC, q ASC, t DESC) AND %s"
        .formatted(quotedName(), options);
  }

  @Override
  String selected() {
    return "k, q, t, v";
  }

  @Override
  boolean timed() {
    return true;
  }

  @Override
  public WriteTimes times() {
    return new ArrivalTimes();
  }

  @Override
  public BoundStatement put(CellBatch edits, int edit, long stamp) {
    Place at = place(edits, edit);
    return bind(
        put,
        at.partition(),
        at.key(),
        at.qualifier(),
        edits.time(edit),
        value(edits, edit),
        stamp,
        timeToLive());
  }

  /** Deletes all cells of a column. */
  BoundStatement deleteColumn(CellBatch edits, int edit, long stamp) {
    Place at = place(edits, edit);
    return bind(
        delete("p = ? AND k = ? AND q = ?"), stamp, at.partition(), at.key(), at.qualifier());
  }

  /** Deletes the cells of a column within a time range. */
  BoundStatement deleteTimes(CellBatch edits, int edit, TimeRange times, long stamp) {
    Place at = place(edits, edit);
    return bind(
        delete("p = ? AND k = ? AND q = ? AND t >= ? AND t < ?"),
        stamp,
        at.partition(),
        at.key(),
        at.qualifier(),
        times.from(),
        times.to());
  }

  BoundStatement deleteQualifiers(CellBatch edits, int edit, long stamp) {
    Place at = place(edits, edit);
    return bind(
        delete("p = ? AND k = ? AND q >= ? AND q < ?"),
        stamp,
        at.partition(),
        at.key(),
        at.qualifier(),
        value(edits, edit));
  }

  BoundStatement deleteRow(CellBatch edits, int edit, long stamp) {
    Place at = place(edits, edit);
    return bind(delete("p = ? AND k = ?"), stamp, at.partition(), at.key());
  }

  private String delete(String where) {
    return "DELETE FROM " + quotedName() + " USING TIMESTAMP ? WHERE " + where;
  }

  /** Reads the newest cell of a column. */
  BoundStatement selectNewest(CellBatch edits, int edit) {
    Place at = place(edits, edit);
    return bind(
        "SELECT k, q, t, v FROM " + quotedName() + " WHERE p = ? AND k = ? AND q = ? LIMIT 1",
        at.partition(),
        at.key(),
        at.qualifier());
  }

  /** Reads the guard of a partition. */
  BoundStatement selectGuard(CellBatch edits, int edit) {
    return bind(
        "SELECT g FROM " + quotedName() + " WHERE p = ? LIMIT 1", place(edits, edit).partition());
  }

  /**
   * Puts a cell if there was no conditional put in the partition since the guard was read.
   *
   * @param time the time of the cell
   */
  BoundStatement putGuarded(CellBatch edits, int edit, long time, @Nullable Long guard) {
    Place at = place(edits, edit);
    return bind(
        "UPDATE "
            + quotedName()
            + " USING TTL ? SET v = ?, g = ? WHERE p = ? AND k = ? AND q = ? AND t = ? IF g = ?",
        timeToLive(),
        value(edits, edit),
        guard == null ? 1 : guard + 1,
        at.partition(),
        at.key(),
        at.qualifier(),
        time,
        guard);
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
