/**
 * Deletes: records of samples that must no longer be read, a filter that reads apply, and a job
 * that removes the samples from the tables.
 *
 * <p>A delete takes a stamp while nobody writes. It concerns samples with lower stamps only, so
 * that samples written later stay. Where cells keep no stamps, later writes into the deleted times
 * wait until the job has ended.
 */
@NullMarked
package dev.varve.engine.delete;

import org.jspecify.annotations.NullMarked;
