package dev.varve.layout;

import dev.varve.model.Resolution;
import dev.varve.store.Power;
import dev.varve.store.TableSpec;
import java.util.List;
import java.util.Set;

/**
 * The declared storage of a period of a dataset: a {@link Layout}, which maps each sample to cells,
 * or {@link dev.varve.layout.block.BlockLayout}, which keeps runs of samples in compressed blocks.
 * Immutable.
 */
public interface StorageLayout {
  /**
   * A part of a row key.
   *
   * @param label a name such as {@code metric}, {@code tag host}, {@code bucket 1d}
   * @param role the information that determines its bytes
   */
  record RowPart(String label, KeyPart.Role role) {}

  /**
   * Returns name, parameters and codec versions, which are stored in the home and compared at
   * startup.
   */
  LayoutIdentity identity();

  /** Returns the unit of all sample times, both written and read. */
  Resolution resolution();

  /** Returns all tables, in an order that does not change. */
  List<TableSpec> tables();

  /** Returns the parts of the row keys of samples, in their order. */
  List<RowPart> rowParts();

  /** Returns the powers that the tables need beyond reading and writing. */
  Set<Class<? extends Power>> needs();

  /** Returns the set of points that can be stored. */
  Domain domain();
}
