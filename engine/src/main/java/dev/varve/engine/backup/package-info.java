/**
 * Backups: copies of snapshots in a directory elsewhere, which share equal files, and which prove
 * themselves by checksums.
 */
@NullMarked
package dev.varve.engine.backup;

import org.jspecify.annotations.NullMarked;
