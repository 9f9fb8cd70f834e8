package dev.varve.layout;

import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.TableSpec;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Maps points to cells: which coordinate of a cell carries which part of a point, and how it is
 * encoded.
 *
 * <p>A layout is pure and immutable: it does no I/O, reads no clock, uses no threads, and always
 * returns the same result for the same arguments. If it must read a table before it can continue,
 * it returns a {@link Step}. Safe for use by several threads.
 *
 * <p>Every layout keeps these promises, which the layout contract verifies. Whatever it encodes
 * inside its {@link #domain()} decodes to the same bits. It rejects by name whatever lies outside,
 * and keeps the rest of the group. It reports damaged cells and never misreads them. Every plan
 * whose range and series include a row finds that row. The partitions of every plan can be named.
 */
public interface Layout extends StorageLayout, RowAddressing {
  @Override
  List<TableSpec> tables();

  @Override
  Domain domain();

  @Override
  default List<RowPart> rowParts() {
    return rows().parts().stream().map(part -> new RowPart(part.label(), part.role())).toList();
  }

  /** Returns the default table names of the original program, in the order of {@link #tables()}. */
  default List<String> originalTables() {
    return tables().stream().map(TableSpec::name).toList();
  }

  /**
   * Prepares a key for use: looks up or claims whatever its row keys need. Throws {@link
   * RefusedException} for rejected keys.
   *
   * @param create whether to claim what is missing. If false and any of it is missing, the step
   *     yields {@link Optional#empty()}, because no row can exist then
   */
  Step<Optional<Binding>> bind(GroupKey key, boolean create);

  /**
   * Returns how many microseconds of stamps share one cell time, if only cell times tell which of
   * two cells was accepted last. The caller must ensure that the stamps of consecutive batches do
   * not fall into the same unit. A store may have a coarser one.
   */
  default long stampUnit() {
    return 1;
  }

  /**
   * Encodes samples. Samples outside the domain are rejected one by one through the sink; the
   * others are encoded.
   *
   * @param firstStamp the stamp of the group's first slot, in microseconds since 1970; it increases
   *     by one per slot. Stamps rise in order of acceptance
   */
  void encode(Binding binding, SampleGroup group, long firstStamp, CellSink sink);

  /**
   * Encodes an attribute.
   *
   * @throws RefusedException if the layout does not support it
   */
  void encode(Binding binding, Attribute attribute, long stamp, CellSink sink);

  /**
   * Returns whether the cells of one series are in time order within a row, so that a long row can
   * be decoded in pieces. Otherwise a row is decoded as a whole and sorted.
   */
  boolean rowsInTimeOrder();

  /**
   * Decodes cells {@code from} (inclusive) to {@code to} (exclusive) of one row of the data table.
   *
   * @param out receives samples, attributes and damage; times are not trimmed to any range
   */
  void decode(CellBatch cells, int from, int to, RowSamples out);

  /**
   * Determines the key that a row of the data table belongs to.
   *
   * @throws DamagedCellException if the row key is not one of this layout; functions of the step
   *     may throw it, too
   */
  Step<GroupKey> identify(Bytes row);

  /**
   * Describes a cell of any of the tables, part by part.
   *
   * @throws DamagedCellException if it is not a cell of this layout
   */
  CellDescription describe(int table, Cell cell);

  /**
   * Compares the layout with what its tables record about themselves, if anything. Must run before
   * anything else when a dataset is opened.
   *
   * @return cells that the tables lack and that must be put before the first sample, with times set
   *     by the caller; empty if the tables agree or record nothing
   * @throws RefusedException from the functions of the step, if the tables were created with other
   *     parameters
   */
  default Step<List<Step.TableCell>> opening() {
    return Step.done(List.of());
  }

  /**
   * Checks whether samples can be written alongside the server that created the tables.
   *
   * @param missing indexes into {@link #tables()} of tables that do not exist
   * @return reasons why not, in words; empty if writing is possible
   */
  default Step<List<String>> coWriting(Set<Integer> missing) {
    return Step.done(
        missing.stream()
            .sorted()
            .map(table ->
                "table '%s', which it writes to, is missing".formatted(originalTables().get(table)))
            .toList());
  }

  /** Returns the table in which the original keeps texts of its clients, if it has one. */
  default Optional<TextTable> texts() {
    return Optional.empty();
  }

  /**
   * Returns the table in which the original keeps texts about its series, if it has one. A service
   * key is the original's identifier of a series, as hexadecimal digits.
   */
  default Optional<TextTable> seriesTexts() {
    return Optional.empty();
  }

  /** Returns the cells of notes about instants, if the original keeps some beside the samples. */
  default Optional<NoteCells> notes() {
    return Optional.empty();
  }

  /** Returns the numbers of names, if the layout keeps some in a table of its own. */
  default Optional<NameNumbers> numbers() {
    return Optional.empty();
  }

  /** Returns the compaction of rows of the data table, if the layout has a compacted form. */
  default Optional<Compaction> compaction() {
    return Optional.empty();
  }
}
