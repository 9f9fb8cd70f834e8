package dev.varve.store;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the cells of a table stand where another program made it. A store whose tables hold cells
 * takes every form as {@link Cells}; one with typed columns, which is Cassandra, follows the form.
 */
public sealed interface TableForm {
  /** The form of every table whose families, qualifiers and times are those of the store. */
  TableForm CELLS = new Cells();

  record Cells() implements TableForm {}

  /**
   * One column is the row key, one the qualifier, one the value: a Thrift table as CQL shows it, in
   * its compact form or not.
   */
  record KeyColumnValue(TypedColumn key, TypedColumn column, TypedColumn value)
      implements TableForm {}

  /**
   * The partition columns are the row key and the clustering columns the qualifier, each as a
   * {@link ColumnTuple}.
   *
   * @param value the column that is the cell's value, its bytes as they are; null where values are
   *     empty, and a cell is there with the row
   * @param extras columns that are written with every row and never read: name to CQL term
   */
  record Columns(
      List<TypedColumn> partition,
      List<TypedColumn> clustering,
      @Nullable TypedColumn value,
      Map<String, String> extras)
      implements TableForm {
    public Columns {
      partition = List.copyOf(partition);
      clustering = List.copyOf(clustering);
      extras = Map.copyOf(extras);
    }
  }
}
