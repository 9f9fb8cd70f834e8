package dev.varve.store.contract;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One step of a random story about a table. Steps are self-contained, so that shrinking can remove
 * others.
 */
sealed interface ModelStep {
  /** Applies a batch of edits. */
  record Write(List<Edit> edits, Durability durability) implements ModelStep {
    MutationBatch batch() {
      MutationBatch batch = new MutationBatch();
      edits.forEach(edit -> edit.addTo(batch));
      return batch;
    }
  }

  /**
   * Reads a plan.
   *
   * @param paged whether each page is read by a new cursor
   */
  record Read(ReadPlan plan, boolean paged) implements ModelStep {}

  /**
   * Puts a cell on a condition.
   *
   * @param expected the value that the newest cell has to have; null if there must be none
   */
  record PutIf(Cell cell, @Nullable Bytes expected) implements ModelStep {}

  /** Adds to a counter. */
  record Add(Bytes row, Bytes qualifier, long amount, long time) implements ModelStep {}

  /**
   * Deletes a range of rows.
   *
   * @param to exclusive; null for the end of the table
   */
  record DeleteRows(Bytes from, @Nullable Bytes to) implements ModelStep {}

  /** Closes the store and opens it again. */
  record Reopen() implements ModelStep {}

  /** One edit of a batch. */
  sealed interface Edit {
    void addTo(MutationBatch batch);
  }

  record Put(Cell cell) implements Edit {
    @Override
    public void addTo(MutationBatch batch) {
      batch.put(cell.row(), cell.family(), cell.qualifier(), cell.time(), cell.value());
    }
  }

  record DeleteColumn(Bytes row, int family, Bytes qualifier, TimeRange times) implements Edit {
    @Override
    public void addTo(MutationBatch batch) {
      batch.deleteColumn(row, family, qualifier, times);
    }
  }

  record DeleteQualifiers(Bytes row, int family, Bytes from, Bytes to) implements Edit {
    @Override
    public void addTo(MutationBatch batch) {
      batch.deleteQualifiers(row, family, from, to);
    }
  }

  record DeleteFamily(Bytes row, int family) implements Edit {
    @Override
    public void addTo(MutationBatch batch) {
      batch.deleteFamily(row, family);
    }
  }

  record DeleteRow(Bytes row) implements Edit {
    @Override
    public void addTo(MutationBatch batch) {
      batch.deleteRow(row);
    }
  }
}
