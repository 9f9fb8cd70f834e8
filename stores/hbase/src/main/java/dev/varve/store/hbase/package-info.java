/**
 * The HBase store: implements the store SPI with HBase's own asynchronous client, and nothing else.
 *
 * <p>Only this package may use {@code org.apache.hadoop}. {@link java.util.ServiceLoader} finds it,
 * and it runs in a class loader of its own. The store fulfils the store contract, and declares what
 * it cannot do.
 */
@NullMarked
package dev.varve.store.hbase;

import org.jspecify.annotations.NullMarked;
