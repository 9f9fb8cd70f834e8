package dev.varve.server.text;

import dev.varve.model.GroupKey;

/**
 * Takes samples one by one.
 *
 * @param <E> what it may fail by
 */
@FunctionalInterface
public interface SampleSink<E extends Exception> {
  /**
   * Takes a sample.
   *
   * @param timed whether its sender has given it a time
   * @param time in the resolution that the reader was made for; of now where none was given
   */
  void take(GroupKey key, boolean timed, long time, double value) throws E;
}
