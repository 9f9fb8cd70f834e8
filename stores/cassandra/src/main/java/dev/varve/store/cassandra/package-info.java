/**
 * Cassandra as a store: the SPI over its own client, and nothing else. What it promises is the
 * store contract; what it cannot do it declares.
 */
@org.jspecify.annotations.NullMarked
package dev.varve.store.cassandra;
