package dev.varve.layout;

import dev.varve.model.Recurring;
import dev.varve.model.TimeRange;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parts of rows that a query needs.
 *
 * @param times the range of sample times
 * @param fields the fields to return; null for all
 * @param versions which versions of each sample to return
 * @param attributes whether to return attributes as well
 * @param recurring the needed intervals within {@code times}; a plan may skip the rest, but need
 *     not. Null for all times, and if attributes are needed
 * @param stamps whether to return when each sample was accepted, even where no two samples of one
 *     instant have to be told apart
 */
public record ReadScope(
    TimeRange times,
    @Nullable Set<String> fields,
    Versions versions,
    boolean attributes,
    @Nullable Recurring recurring,
    boolean stamps) {
  /** Creates a scope with the stamps of all samples. */
  public ReadScope(
      TimeRange times,
      @Nullable Set<String> fields,
      Versions versions,
      boolean attributes,
      @Nullable Recurring recurring) {
    this(times, fields, versions, attributes, recurring, true);
  }

  /** Creates a scope that needs all times of the range. */
  public ReadScope(
      TimeRange times, @Nullable Set<String> fields, Versions versions, boolean attributes) {
    this(times, fields, versions, attributes, null, true);
  }

  public static ReadScope of(TimeRange times) {
    return new ReadScope(times, null, Versions.LATEST, false);
  }

  /** Selects among the samples that were accepted for one instant. */
  public sealed interface Versions {
    Versions LATEST = new Latest();
    Versions ALL = new All();

    record Latest() implements Versions {}

    /** The last sample accepted at or before a stamp, in microseconds since 1970. */
    record AsOf(long stamp) implements Versions {}

    record All() implements Versions {}
  }
}
