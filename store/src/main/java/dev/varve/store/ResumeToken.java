package dev.varve.store;

import dev.varve.model.Bytes;

/**
 * The last cell that a read delivered, named in full, and what its limits had left, so that the
 * same plan goes on behind it: on another cursor, in another process, after a restart.
 *
 * @param slice the place of the slice in the plan
 * @param rowsSeen rows begun so far, over all pages; {@code cellsSeen} likewise
 * @param cellsInRow cells delivered so far of this row and family
 * @param versionsSeen cells delivered so far of this column
 */
public record ResumeToken(
    int slice,
    Bytes row,
    int family,
    Bytes qualifier,
    long time,
    long rowsSeen,
    long cellsSeen,
    int cellsInRow,
    int versionsSeen) {}
