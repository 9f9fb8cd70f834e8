package dev.varve.store;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store of tables of cells. It handles bytes only. Safe for use by several threads; calls block.
 * Closing a store closes its tables, and every later call fails with {@link StoreException}.
 */
public interface Store extends AutoCloseable {
  /** Returns the kind of store: {@code memory}, {@code rocksdb}, ... */
  String kind();

  /**
   * Returns whether the store is embedded: it runs in this process, and no other process reads or
   * writes its tables while it is open.
   */
  default boolean isEmbedded() {
    return false;
  }

  /** Returns the medium that holds a {@link Durability#SYNCED} write when the call returns. */
  default SyncedTo syncedTo() {
    return SyncedTo.ANOTHER_PROCESS;
  }

  /**
   * Identifies the location of another program's table, for example by cluster and namespace. The
   * text is the same for every caller as long as the table is the same, and differs for a table of
   * the same name elsewhere. Empty if the store has a single location.
   *
   * @throws StoreException if the store fails
   */
  default String place(TableSpec spec) {
    return "";
  }

  Capabilities capabilities(TableSpec spec);

  /**
   * Lists reasons why a table could not be served, before anything is created.
   *
   * @param needs the powers that the layout requires
   * @return reasons that name table, store and need; empty if there are none
   */
  List<String> check(TableSpec spec, Set<Class<? extends Power>> needs);

  /**
   * Opens a table.
   *
   * @throws StoreException if it does not exist and must not be created, or if {@link #check} finds
   *     a problem
   */
  Table open(TableSpec spec, OpenMode mode);

  /** Returns the names of the store's own existing tables, sorted. */
  List<String> tables();

  /**
   * Returns whether a table exists, either as one of the store's own or as one of another program.
   */
  default boolean exists(TableSpec spec) {
    return tables().contains(spec.name());
  }

  /** Deletes a table and all its cells. Does nothing if the table does not exist. */
  void drop(String table);

  /**
   * Returns whether the store's files still contain cells of a table that were deleted before an
   * instant, as far as the store can know. For embedded stores, {@link Power.Reclaim} removes such
   * cells.
   *
   * @throws StoreException if the store fails
   */
  default Collected collected(TableSpec spec, Instant deleted) {
    return isEmbedded()
        ? Collected.GONE
        : Collected.unknown(
            "Store '%s' does not tell when it removes deleted cells from its files."
                .formatted(kind()));
  }

  /**
   * Returns metrics of the store for its operator, by name in Prometheus' style, such as {@code
   * block_cache_bytes}.
   */
  Map<String, Double> figures();

  /**
   * Returns damage found in the store's files since it was opened, including during opening: the
   * latest 1,000 entries, oldest first. Empty if there is none, or if the store keeps no files
   * here.
   */
  default List<StoreDamage> damage() {
    return List.of();
  }

  /**
   * Reads all files in the store's directory, verifies their checksums and reports damage. Reads
   * and writes continue meanwhile. Does nothing if the store keeps no files.
   *
   * @throws StoreException if the store fails in another way
   */
  default void checkFiles(FileCheck check) {}

  /**
   * Returns why writes cannot currently succeed, in words for the operator, or null if the store
   * knows of no obstacle. Returns immediately, based on past errors.
   */
  default @Nullable String writeObstacle() {
    return null;
  }

  /**
   * Keeps writes waiting until the hold is closed, so that the store's files can be copied. Null if
   * the store keeps no files here.
   *
   * @throws StoreException if the writer cannot be stopped, because writes fail or stall
   */
  default @Nullable WriteHold holdWrites() {
    return null;
  }

  @Override
  void close();

  enum OpenMode {
    READ_ONLY,
    READ_WRITE,
    CREATE_IF_ABSENT
  }
}
