/**
 * The way in, shared by all protocols: what a protocol has read becomes a batch of the dataset's
 * own, is written, and is counted.
 *
 * <p>Here is what lies between a protocol and a dataset: units of time, resource identifiers among
 * the tags, and the one conversion of values that there is. Nothing here knows a wire format.
 */
@NullMarked
package dev.varve.server.ingest;

import org.jspecify.annotations.NullMarked;
