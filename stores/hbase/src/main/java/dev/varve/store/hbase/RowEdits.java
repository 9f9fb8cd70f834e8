package dev.varve.store.hbase;

import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the consecutive edits of a row for HBase, which applies them at once and orders them by
 * cell times only.
 */
final class RowEdits {
  private final TableEntry table;
  private final MutationBatch batch;
  private final Durability durability;

  RowEdits(TableEntry table, MutationBatch batch, Durability durability) {
    this.table = table;
    this.batch = batch;
    this.durability = durability;
  }

  /** Encodes a mutation that consists of puts, the hot path. */
  Put puts(Mutation mutation) {
    Put put = newPut(mutation);
    for (int i = mutation.first(); i < mutation.end(); i++) {
      add(put, i);
    }
    return put;
  }

  private Put newPut(Mutation mutation) {
    CellBatch cells = batch.cells();
    Put put =
        new Put(
            cells.bytes(), cells.rowOffset(mutation.first()), cells.rowLength(mutation.first()));
    put.setDurability(durability);
    return put;
  }

  private void add(Put put, int index) {
    CellBatch cells = batch.cells();
    put.addColumn(
        table.family(cells.family(index)),
        ByteBuffer.wrap(cells.bytes(), cells.qualifierOffset(index), cells.qualifierLength(index)),
        cells.time(index),
        ByteBuffer.wrap(cells.bytes(), cells.valueOffset(index), cells.valueLength(index)));
  }

  /**
   * Encodes a mutation that deletes.
   *
   * @param existing the times of the cells that it may delete
   * @return what to send; null if there is nothing to delete and nothing to put
   */
  @Nullable Row row(Mutation mutation, ExistingTimes.OfRow existing) {
    RowDeletes deletes = new RowDeletes(table, existing);
    for (int i = mutation.first(); i < mutation.end(); i++) {
      CellBatch cells = batch.cells();
      int family = cells.family(i);
      switch (batch.edit(i)) {
        case PUT -> deletes.put(family, cells.qualifier(i), cells.time(i), i);
        case DELETE_COLUMN -> {
          TimeRange times = batch.deletedTimes(i);
          deletes.deleteColumn(family, cells.qualifier(i), times);
        }
        case DELETE_QUALIFIERS ->
            deletes.deleteQualifiers(family, cells.qualifier(i), cells.value(i));
        case DELETE_FAMILY -> deletes.deleteFamily(family);
        case DELETE_ROW -> deletes.deleteRow();
      }
    }
    Delete delete = new Delete(batch.cells().row(mutation.first()).toArray());
    delete.setDurability(durability);
    deletes.addTo(delete);
    Put put = newPut(mutation);
    deletes.puts().forEach(index -> add(put, index));
    return together(delete, put);
  }

  private static @Nullable Row together(Delete delete, Put put) {
    if (delete.isEmpty()) {
      return put.isEmpty() ? null : put;
    }
    if (put.isEmpty()) {
      return delete;
    }
    try {
      return RowMutations.of(List.of(delete, put));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
