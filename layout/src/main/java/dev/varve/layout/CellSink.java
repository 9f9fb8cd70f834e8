package dev.varve.layout;

import dev.varve.store.MutationBatch;

/** Takes what a layout encodes. */
public interface CellSink {
  /** Edits of a table that hold samples or attributes. */
  MutationBatch data(int table);

  /**
   * Edits of a table by which rows are found. They stand before the data that was encoded with
   * them; whoever takes them may leave out a cell that it knows to stand there already.
   */
  MutationBatch index(int table);

  /**
   * Refuses one value: place {@code sample} of column {@code column}; the column -1 for the whole
   * place.
   */
  void refuse(int column, int sample, Refusal refusal);
}
