/** Tests of backups. */
@NullMarked
package dev.varve.engine.backup;

import org.jspecify.annotations.NullMarked;
