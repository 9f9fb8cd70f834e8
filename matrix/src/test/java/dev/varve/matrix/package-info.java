/**
 * Tests every known layout on every store: the contract of each layout on the tables of each store,
 * and the same data through the engine, which must give the same answers everywhere. Stores are
 * real and are loaded as plug-ins, as a server loads them.
 */
@org.jspecify.annotations.NullMarked
package dev.varve.matrix;
