/**
 * Real stores, the servers whose tables Varve takes over, and the programs that its answers are
 * compared with, as child processes on 127.0.0.1: for {@code varve dev-store} and for tests. Each
 * class knows how one program is set up, started, found ready and ended; its jars are the part of
 * its name ({@code parts/NAME}), programs that are not Java come from Debian ({@code
 * parts/debian/fetch}). Nothing here speaks to a store.
 */
@org.jspecify.annotations.NullMarked
package dev.varve.devstores;
