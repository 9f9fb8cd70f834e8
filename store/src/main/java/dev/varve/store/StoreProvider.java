package dev.varve.store;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Opens stores of one kind; found by {@link java.util.ServiceLoader}, so that no caller names a
 * store by its class.
 */
public interface StoreProvider {
  /** The kind, as configurations name it. */
  String kind();

  /**
   * Opens a store.
   *
   * @param directory where a store inside the process keeps its files; it is created if it is
   *     missing
   * @param memory bytes that a store inside the process may use for caches and buffers, unless an
   *     option says otherwise
   * @param options settings of this kind of store, by name
   * @throws DamagedStoreException if its files are damaged
   * @throws StoreException if the store cannot be opened, or an option is unknown or out of its
   *     range
   */
  Store open(Path directory, long memory, Map<String, String> options);

  /**
   * Opens a store whose files may be damaged: it keeps damaged files aside, goes on with what can
   * be read, and reports the rest by {@link Store#damage}. A store that has no files of its own
   * opens as ever.
   *
   * @param salvage what it may keep of what was written after the damage
   * @throws StoreException if the store cannot be opened even so
   */
  default Store recover(Path directory, long memory, Map<String, String> options, Salvage salvage) {
    return open(directory, memory, options);
  }

  /**
   * Makes a store out of what can be read of a damaged one, so that it opens again. Damaged files
   * are kept aside. A store that has no files of its own is left as it is.
   *
   * @param salvage what to keep of what was written after damage in a log
   * @param progress told of files before they are read
   * @return what was damaged, with the rows that may lack cells; empty where nothing was
   * @throws StoreException if that cannot be done
   */
  default List<StoreDamage> repair(
      Path directory,
      long memory,
      Map<String, String> options,
      Salvage salvage,
      FileCheck progress) {
    return List.of();
  }

  /** The writes after the damage that a recovery keeps. */
  enum Salvage {
    /**
     * Nothing: the store holds what it held at the moment before the damage. Needed where tables
     * count: a counter put back to an older value would give a number twice.
     */
    BEFORE_DAMAGE,
    /** All that can be read. */
    ALL_READABLE
  }
}
