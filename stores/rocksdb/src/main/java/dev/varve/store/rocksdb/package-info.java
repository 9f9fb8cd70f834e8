/**
 * The embedded store: cells in RocksDB, inside the process.
 *
 * <p>Only this package may use {@code org.rocksdb}. {@link java.util.ServiceLoader} finds it, and
 * no other module names it, so a server builds and starts without it. The store declares the powers
 * it lacks and never emulates them privately: one shared place above it does that.
 */
@NullMarked
package dev.varve.store.rocksdb;

import org.jspecify.annotations.NullMarked;
