/**
 * Varve's own API, which the command line uses: points, queries and explanations, and the work of
 * operators (checks, compaction, deletes, exports, fills, backups, advice, heat maps). Without a
 * server, commands do the same work in process.
 */
@NullMarked
package dev.varve.server.varve;

import org.jspecify.annotations.NullMarked;
