package dev.varve.formats.text;

import dev.varve.model.GroupKey;

/**
 * Receives samples one by one.
 *
 * @param <E> the exception that it may throw
 */
@FunctionalInterface
public interface SampleSink<E extends Exception> {
  /**
   * Receives a sample.
   *
   * @param timed whether the sender gave it a time
   * @param time time in the resolution of the reader; the current time if none was given
   */
  void take(GroupKey key, boolean timed, long time, double value) throws E;
}
