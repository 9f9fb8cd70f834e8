package dev.varve.store.bigtable;

import com.google.cloud.bigtable.data.v2.models.Query;

/**
 * One request for a segment.
 *
 * @param chunks for each family of the table, the maximum number of its cells per row in the
 *     answer. If that many arrive, there may be more. {@link Integer#MAX_VALUE} if all wanted cells
 *     are sent
 */
record SegmentRequest(Segment segment, Query query, int[] chunks) {}
