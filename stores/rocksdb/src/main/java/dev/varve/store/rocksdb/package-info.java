/**
 * The embedded store: cells in RocksDB, inside the process.
 *
 * <p>The only package that may touch {@code org.rocksdb}. It is found by {@link
 * java.util.ServiceLoader} and named by no other module, so that a server without it still builds
 * and starts. Missing powers are declared, never emulated in private: that is done in one shared
 * place above.
 */
@NullMarked
package dev.varve.store.rocksdb;

import org.jspecify.annotations.NullMarked;
