/**
 * HBase as a store: the SPI over its own asynchronous client, and nothing else.
 *
 * <p>The only package that may touch {@code org.apache.hadoop}. It is found by {@link
 * java.util.ServiceLoader} and runs in a class loader of its own. What it promises is the store
 * contract; what it cannot do it declares.
 */
@NullMarked
package dev.varve.store.hbase;

import org.jspecify.annotations.NullMarked;
