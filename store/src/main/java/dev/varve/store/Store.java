package dev.varve.store;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store of tables of cells. It knows bytes only. Safe for use by several threads; calls block.
 * Closing a store closes its tables and makes every later call fail with {@link StoreException}.
 */
public interface Store extends AutoCloseable {
  /** Which kind of store this is: {@code memory}, {@code rocksdb}, ... */
  String kind();

  /**
   * Whether the store lives in this process, which alone has it: nobody else reads or writes its
   * tables while it is open.
   */
  default boolean isEmbedded() {
    return false;
  }

  /**
   * Where a table of another program lies, in words that are the same as long as it is the same
   * table, whoever asks, and others for a table of that name elsewhere: such as the cluster and the
   * namespace. Empty where there is one place only.
   *
   * @throws StoreException if the store fails
   */
  default String place(TableSpec spec) {
    return "";
  }

  Capabilities capabilities(TableSpec spec);

  /**
   * Says why a table could not be served, before anything is created.
   *
   * @param needs the powers that its layout cannot do without
   * @return reasons in words, naming table, store and need; empty where all is well
   */
  List<String> check(TableSpec spec, Set<Class<? extends Power>> needs);

  /**
   * Opens a table.
   *
   * @throws StoreException if it does not exist and may not be created, or {@link #check} finds
   *     something
   */
  Table open(TableSpec spec, OpenMode mode);

  /** The names of the store's own tables that exist, sorted. */
  List<String> tables();

  /** Whether a table exists: one of the store's own, or that of another program. */
  default boolean exists(TableSpec spec) {
    return tables().contains(spec.name());
  }

  /** Deletes a table and all its cells; nothing where there is none. */
  void drop(String table);

  /**
   * Figures of the store for its operator, by name in Prometheus' style, such as {@code
   * block_cache_bytes}.
   */
  java.util.Map<String, Double> figures();

  /**
   * Damage that the store has met in its files since it was opened, the opening included, oldest
   * first; of many the latest 1,000. Empty where it has met none, or keeps its files elsewhere.
   */
  default List<StoreDamage> damage() {
    return List.of();
  }

  /**
   * Reads all files that the store keeps in its directory, checks their checksums, and tells what
   * is damaged. Reads and writes go on meanwhile. Nothing where it keeps no files.
   *
   * @throws StoreException if the store fails otherwise
   */
  default void checkFiles(FileCheck check) {}

  /**
   * Why writes cannot succeed at present, in words for the operator; null where the store knows of
   * nothing in their way. Answers at once, from what it has met.
   */
  default @Nullable String writeObstacle() {
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
