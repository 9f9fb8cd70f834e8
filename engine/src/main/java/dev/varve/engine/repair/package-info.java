/**
 * Repair and maintenance: replays writes that did not reach every companion, rebuilds catalogs from
 * rows that other programs wrote, and compacts rows.
 *
 * <p>All of it can be interrupted at any time, even by a crash, and resumes where it stopped.
 * Threads are named after their dataset. They are platform threads so that every thread dump shows
 * them: dumping running virtual threads has crashed HotSpot 25 (JDK-8374820).
 */
@NullMarked
package dev.varve.engine.repair;

import org.jspecify.annotations.NullMarked;
