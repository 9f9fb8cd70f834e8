package dev.varve.store;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Opens stores of one kind; found by {@link java.util.ServiceLoader}, so that no caller names a
 * store by its class.
 */
public interface StoreProvider {
  /** Returns the kind of the stores, as configurations name it. */
  String kind();

  /**
   * Opens a store.
   *
   * @param directory the directory for the files of an embedded store; created if it is missing
   * @param memory bytes that an embedded store may use for caches and buffers, unless an option
   *     overrides it
   * @param options settings of this kind of store, by name
   * @throws DamagedStoreException if its files are damaged
   * @throws StoreException if the store cannot be opened, or an option is unknown or out of its
   *     range
   */
  Store open(Path directory, long memory, Map<String, String> options);

  /**
   * Opens a store whose files may be damaged. The store sets damaged files aside, continues with
   * the readable data, and reports the damage by {@link Store#damage}. A store without files of its
   * own opens as {@link #open} does.
   *
   * @param salvage the writes after the damage that the store may keep
   * @throws StoreException if the store cannot be opened even so
   */
  default Store recover(Path directory, long memory, Map<String, String> options, Salvage salvage) {
    return open(directory, memory, options);
  }

  /**
   * Rebuilds a damaged store from its readable data, so that it opens again. Damaged files are set
   * aside. A store without files of its own is left unchanged.
   *
   * @param salvage the writes after damage in a log that the repair keeps
   * @param progress notified of each file before it is read
   * @return the damage, with the rows that may lack cells; empty if there was none
   * @throws StoreException if the store cannot be repaired
   */
  default List<StoreDamage> repair(
      Path directory,
      long memory,
      Map<String, String> options,
      Salvage salvage,
      FileCheck progress) {
    return List.of();
  }

  /** The extent to which a recovery keeps writes made after the damage. */
  enum Salvage {
    /**
     * None of them: the store returns to its state just before the damage. Required if tables have
     * counters: a counter that fell back to an older value while later rows remained would assign
     * numbers twice.
     */
    BEFORE_DAMAGE,
    /** All that are readable. */
    ALL_READABLE
  }
}
