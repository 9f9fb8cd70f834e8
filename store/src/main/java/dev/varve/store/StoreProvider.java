package dev.varve.store;

import java.nio.file.Path;
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
   * @throws StoreException if the store cannot be opened, or an option is unknown or out of its
   *     range
   */
  Store open(Path directory, long memory, Map<String, String> options);
}
