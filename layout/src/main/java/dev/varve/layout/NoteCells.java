package dev.varve.layout;

import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.ReadPlan;

/**
 * The cells in which an original keeps notes about instants beside the samples, such as OpenTSDB's
 * annotations. A note is a text. Its owner is the original's identifier of a series, or empty if
 * the note belongs to no series.
 */
public interface NoteCells {
  /** Returns the name of the attribute as which a read of samples returns a note. */
  String attribute();

  /**
   * Returns whether the bytes have the form of an owner. The empty owner is that of notes that
   * belong to no series.
   */
  boolean mayOwn(Bytes owner);

  /**
   * The cell of a note, in the table of samples.
   *
   * @param family index of the family
   */
  record Place(Bytes row, int family, Bytes qualifier) {}

  /**
   * Returns the cell of a note.
   *
   * @param start the start of the note, at least 1, in the unit of the original: seconds if the
   *     number fits into 32 bits, else milliseconds
   * @throws RefusedException if the layout holds no such time
   */
  Place place(Bytes owner, long start);

  /**
   * Returns a read of all notes of an owner that begin in a range. It may return other cells as
   * well, which {@link #isOf} rejects.
   *
   * @param from in milliseconds since 1970, inclusive
   * @param to in milliseconds since 1970, exclusive
   */
  ReadPlan between(Bytes owner, long from, long to);

  /** Returns whether a cell is a note of an owner. */
  boolean isOf(Bytes owner, CellBatch cells, int cell);
}
