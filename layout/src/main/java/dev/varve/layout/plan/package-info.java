/**
 * The planner: from matching series and a time range to reads, one planner for all layouts.
 *
 * <p>It walks the parts of the row key from the left: what the key binds extends the prefix, time
 * turns the prefix into a range, a salt fans out. It weighs one range a series against one wider
 * range with a filter, keeps every slice within a partition, and says why it chose what it chose.
 * Like every layout it is pure: candidates and counts are handed in.
 */
@NullMarked
package dev.varve.layout.plan;

import org.jspecify.annotations.NullMarked;
