package dev.varve.layout;

import dev.varve.model.Attribute;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.Power;
import dev.varve.store.TableSpec;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Says which coordinate of a cell carries which part of a point, and how it is encoded.
 *
 * <p>A layout is pure and immutable: no I/O, no clock, no threads; the same arguments, the same
 * answer. Where it must look before it can go on it answers with a {@link Step}. Safe for use by
 * several threads.
 *
 * <p>What every layout keeps, as the layout contract checks: what it encodes it decodes, bit for
 * bit, inside its {@link #domain()}; what lies outside it refuses by name and keeps the rest of the
 * group; a damaged cell is refused and never misread; a row key is found again by every plan whose
 * range and series it belongs to; the partitions of every plan can be named.
 */
public interface Layout {
  /** Name, parameters and codec versions: what is kept in the home and compared at start. */
  LayoutIdentity identity();

  /** The unit of all sample times that go in and come out. */
  Resolution resolution();

  /** All tables. Others in this interface are named by their place in this list. */
  List<TableSpec> tables();

  /**
   * What the program that the layout is of calls its tables unless it is told otherwise, in the
   * order of {@link #tables()}.
   */
  default List<String> originalTables() {
    return tables().stream().map(TableSpec::name).toList();
  }

  /** The table that holds the samples. */
  int dataTable();

  /** What the tables must be able to do beyond reading and writing. */
  Set<Class<? extends Power>> needs();

  /** What the layout can hold. */
  Domain domain();

  /** The row keys of the data table, part by part. */
  RowShape rows();

  /**
   * Makes a key ready for use, looking up or claiming what the row keys need. Refused keys throw
   * {@link RefusedException}.
   *
   * @param create whether what is missing is claimed; else the step ends in {@link
   *     Optional#empty()} where it is, since no row can exist then
   */
  Step<Optional<Binding>> bind(GroupKey key, boolean create);

  /**
   * How many microseconds of stamps fall into one cell time, where only cell times tell which of
   * two cells was accepted last. Whoever hands in stamps sees to it that what is accepted in one
   * batch and in the next does not fall into one such unit. A store may have a larger one.
   */
  default long stampUnit() {
    return 1;
  }

  /**
   * Encodes samples. Samples outside the domain are refused to the sink one by one, the others are
   * encoded.
   *
   * @param firstStamp the stamp of the group's first place, microseconds since 1970, from which the
   *     places count up by one; stamps rise with the order of acceptance
   */
  void encode(Binding binding, SampleGroup group, long firstStamp, CellSink sink);

  /**
   * Encodes an attribute.
   *
   * @throws RefusedException if the layout has no place for it
   */
  void encode(Binding binding, Attribute attribute, long stamp, CellSink sink);

  /**
   * What to read of the rows of the data table, family by family: all that is asked for. Where
   * cells of other fields cannot be told apart by their qualifiers they are read too, and whoever
   * reads drops what they decode to.
   */
  List<FamilySelect> select(ReadScope scope);

  /**
   * Where in a row the samples of a time begin, for layouts whose qualifiers begin with it.
   *
   * @param bucket the start of the row's bucket
   * @param time an instant in the bucket
   * @return a qualifier that is not greater than those of the samples from {@code time} on and
   *     greater than those before it; empty where the layout cannot say
   */
  Optional<dev.varve.model.Bytes> qualifierAt(long bucket, long time);

  /**
   * Whether the cells of one series in a row come in the order of time, so that a long row may be
   * decoded in pieces. Else a row is decoded as a whole and sorted.
   */
  boolean rowsInTimeOrder();

  /**
   * Decodes cells {@code from} to {@code to} (exclusive) of one row of the data table.
   *
   * @param out takes samples, attributes and what is damaged; times are not trimmed to any range
   */
  void decode(CellBatch cells, int from, int to, RowSamples out);

  /**
   * The key that a row of the data table belongs to.
   *
   * @throws DamagedCellException if the row key is none of this layout; also out of the functions
   *     of the step
   */
  Step<GroupKey> identify(dev.varve.model.Bytes row);

  /**
   * Reads a cell of any of the tables part by part.
   *
   * @throws DamagedCellException if it is none of this layout
   */
  CellDescription describe(int table, Cell cell);

  /**
   * Compares the layout with what its tables say of themselves, where they do. Whoever opens a
   * dataset runs this before anything else.
   *
   * @return cells that the tables lack, to be put before the first sample, their times set by
   *     whoever puts them; none where the tables agree or say nothing
   * @throws RefusedException out of the functions of the step, where the tables say that they were
   *     made with other parameters
   */
  default Step<List<Step.TableCell>> opening() {
    return Step.done(List.of());
  }

  /**
   * Looks whether samples can be written beside the server that has made the tables.
   *
   * @param missing the places in {@link #tables()} of those that are not there
   * @return why they cannot, in words; none where they can
   */
  default Step<List<String>> coWriting(Set<Integer> missing) {
    return Step.done(
        missing.stream()
            .sorted()
            .map(table ->
                "table '%s' is missing, into which it writes"
                    .formatted(originalTables().get(table)))
            .toList());
  }

  /** How rows of the data table are compacted, where the layout has a form for that. */
  default Optional<Compaction> compaction() {
    return Optional.empty();
  }

  /** The layout's own index of its rows, where it has one. */
  default Optional<Directory> directory() {
    return Optional.empty();
  }
}
