package dev.varve.store;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How another program's table represents cells. Stores whose tables hold cells treat every form as
 * {@link Cells}; Cassandra, whose columns are typed, follows the form.
 */
public sealed interface TableForm {
  /** The form of tables whose families, qualifiers and times are the store's own. */
  TableForm CELLS = new Cells();

  record Cells() implements TableForm {}

  /**
   * One column holds the row key, one the qualifier, one the value: a Thrift table as CQL presents
   * it, with or without compact storage.
   */
  record KeyColumnValue(TypedColumn key, TypedColumn column, TypedColumn value)
      implements TableForm {}

  /**
   * The partition columns form the row key and the clustering columns the qualifier, each encoded
   * as a {@link ColumnTuple}.
   *
   * @param value the column that holds the cell's value, byte for byte; null if values are empty
   *     and the row alone represents the cell
   * @param extras static columns that every change of a cell sets and nobody reads: name to CQL
   *     term
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
