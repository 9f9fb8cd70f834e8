/**
 * What puts right what is missing: writes that did not reach every companion are repeated, and
 * catalogs are rebuilt from rows that others have written. And what says the same in fewer cells:
 * rows are compacted.
 *
 * <p>Everything here can be interrupted at any time, by a crash too, and goes on where it stopped.
 * Its threads bear the name of their dataset and are platform threads, so that every thread dump
 * shows them: what snapshots virtual threads while they run has crashed HotSpot 25 (JDK-8374820).
 */
@NullMarked
package dev.varve.engine.repair;

import org.jspecify.annotations.NullMarked;
