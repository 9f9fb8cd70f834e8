package dev.varve.layout;

import dev.varve.store.MutationBatch;

/** Receives the edits that a layout encodes. */
public interface CellSink {
  /** Returns the batch for edits of a table that holds samples or attributes. */
  MutationBatch data(int table);

  /**
   * Returns the batch for edits of a table used to find rows. They must be applied before the data
   * encoded with them. The receiver may skip a cell that it knows to exist.
   */
  MutationBatch index(int table);

  /**
   * Rejects the value in slot {@code sample} of column {@code column}; column -1 rejects the whole
   * slot.
   */
  void refuse(int column, int sample, Refusal refusal);
}
