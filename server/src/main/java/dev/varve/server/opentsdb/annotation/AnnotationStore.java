package dev.varve.server.opentsdb.annotation;

import dev.varve.engine.request.ReadGuard;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The annotations of a dataset, one for each series and instant. Safe for use by several threads.
 */
interface AnnotationStore {
  /**
   * Returns an annotation; null if there is none.
   *
   * @param tsuid the series in upper-case digits; empty for annotations of all series
   * @param start as in {@link Annotation#startTime}
   */
  @Nullable Annotation get(String tsuid, long start);

  /**
   * Stores an annotation and returns what is stored, once it is durable.
   *
   * @param replaces whether it replaces one of the same instant, or is merged into it
   * @throws IllegalArgumentException if it is too long
   * @throws dev.varve.engine.error.WriteFailedException if the store failed
   */
  Annotation save(Annotation annotation, boolean replaces);

  /** Deletes an annotation and returns once that is durable. Does nothing if there is none. */
  void delete(String tsuid, long start);

  /**
   * Returns the annotations of a series that start in a range, in order of time.
   *
   * @param from in milliseconds since 1970, inclusive
   * @param to in milliseconds since 1970, inclusive
   * @param guard accounts for their memory
   */
  List<Annotation> between(String tsuid, long from, long to, ReadGuard guard);

  /**
   * Returns the name of the attribute by which reads of points find the annotations of series; null
   * if they do not.
   */
  @Nullable String attribute();

  /** Returns whether there are none at all. */
  boolean isEmpty();
}
