package dev.varve.store;

/**
 * Sizes in bytes, beyond which a store refuses (hard) or suffers (soft). Adapters refuse before the
 * store is asked.
 *
 * @param rowKey hard; no store takes an empty one
 * @param qualifier hard
 * @param softValue from here on values are warned about
 * @param hardValue hard
 * @param softRow from here on whole rows, or partitions, are warned about
 * @param hardRow what cannot be read any more beyond; {@link Long#MAX_VALUE} where there is no such
 *     bound
 * @param families how many families a table should have at most
 * @param editsPerRow edits in one mutation, hard
 */
public record SizeLimits(
    int rowKey,
    int qualifier,
    int softValue,
    int hardValue,
    long softRow,
    long hardRow,
    int families,
    int editsPerRow) {}
