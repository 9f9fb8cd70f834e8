package dev.varve.layout;

import dev.varve.model.Bytes;
import dev.varve.store.FamilySelect;
import dev.varve.store.TableSpec;
import java.util.List;
import java.util.Optional;

/**
 * The tables of a layout and the structure of their rows, from which the planner plans reads.
 * Immutable and pure; safe for use by several threads.
 */
public interface RowAddressing {
  /** Returns all tables. Other methods of this interface refer to them by index in this list. */
  List<TableSpec> tables();

  /** Returns the index of the table that holds the samples. */
  int dataTable();

  /** Returns the set of points that the layout can represent. */
  Domain domain();

  /** Returns the structure of row keys in the data table. */
  RowShape rows();

  /**
   * Returns the selections that a read of data rows needs, family by family. If cells of other
   * fields cannot be told apart by their qualifiers, they are read too, and the reader discards
   * what they decode to.
   */
  List<FamilySelect> select(ReadScope scope);

  /**
   * Returns where in a row the samples of a time start, for layouts whose qualifiers begin with the
   * time.
   *
   * @param bucket the start of the row's bucket
   * @param time an instant in the bucket
   * @return a qualifier that is not greater than those of samples at or after {@code time}, and
   *     greater than those of earlier samples; empty if the layout cannot tell
   */
  Optional<Bytes> qualifierAt(long bucket, long time);

  /**
   * Returns whether the samples of a row depend on the times of its cells. If not, a cell time is
   * the time of acceptance, and no two cells of a row hold samples of one instant. A read of a row
   * that no other overlaps can then do without cell times.
   */
  default boolean needsCellTimes() {
    return true;
  }

  /** Returns the layout's own index of its rows, if it has one. */
  default Optional<Directory> directory() {
    return Optional.empty();
  }
}
