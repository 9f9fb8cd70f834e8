/**
 * Real stores, the servers whose tables Varve takes over, and the programs with which its answers
 * are compared. All run as child processes on 127.0.0.1, for {@code varve dev-store} and for tests.
 *
 * <p>Each class sets up, starts and stops one program, and detects when it is ready. The program's
 * jars are the part of its name ({@code parts/NAME}). Programs not written in Java come from Debian
 * ({@code parts/debian/fetch}). Nothing here connects to a store as a client.
 */
@org.jspecify.annotations.NullMarked
package dev.varve.devstores;
