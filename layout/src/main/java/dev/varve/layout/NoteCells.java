package dev.varve.layout;

import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.ReadPlan;

/**
 * The cells in which an original keeps notes about instants beside the samples, such as OpenTSDB's
 * annotations. A note has an owner, the original's identifier of a series, or none, and is a text.
 */
public interface NoteCells {
  /** The name of the attribute that a read of samples finds in such a cell. */
  String attribute();

  /**
   * Returns whether some bytes may be an owner. No bytes are the owner of notes about no series.
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
   * @param start of the note in the unit of the original, which is seconds if it fits into 32 bits,
   *     else milliseconds; at least 1
   * @throws RefusedException if the layout holds no such time
   */
  Place place(Bytes owner, long start);

  /**
   * Returns the read of all notes of an owner that begin in a range, and of others.
   *
   * @param from in milliseconds since 1970, inclusive
   * @param to in milliseconds since 1970, exclusive
   */
  ReadPlan between(Bytes owner, long from, long to);

  /** Returns whether a cell is a note of an owner. */
  boolean isOf(Bytes owner, CellBatch cells, int cell);
}
