/**
 * The planner, which turns matching series and a time range into reads. All layouts share it.
 *
 * <p>The planner walks the parts of the row key from the left: parts known from the series extend
 * the prefix, a time part turns the prefix into a range, and a salt fans out. It compares one range
 * per series with one wider range and a filter, keeps every slice within a partition, and explains
 * its choice. Like the layouts it is pure: series and counts are passed in.
 */
@NullMarked
package dev.varve.layout.plan;

import org.jspecify.annotations.NullMarked;
