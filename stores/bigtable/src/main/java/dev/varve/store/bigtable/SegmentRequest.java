package dev.varve.store.bigtable;

import com.google.cloud.bigtable.data.v2.models.Query;

/**
 * One request for a segment.
 *
 * @param chunks for each family of the table, how many of its cells in a row are sent at most, so
 *     that as many mean that there may be more; {@link Integer#MAX_VALUE} where all that are wanted
 *     are sent
 */
record SegmentRequest(Segment segment, Query query, int[] chunks) {}
