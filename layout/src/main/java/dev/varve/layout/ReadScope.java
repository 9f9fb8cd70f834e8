package dev.varve.layout;

import dev.varve.model.Recurring;
import dev.varve.model.TimeRange;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a query wants of the rows it reads.
 *
 * @param times of samples
 * @param fields the fields wanted; null for all
 * @param versions of each sample
 * @param attributes whether attributes are wanted beside the samples
 * @param recurring of {@code times} those that are wanted; a plan may read others too, and leave
 *     them out. Null for all, and where attributes are wanted
 */
public record ReadScope(
    TimeRange times,
    @Nullable Set<String> fields,
    Versions versions,
    boolean attributes,
    @Nullable Recurring recurring) {
  /** What is wanted of all times of a range. */
  public ReadScope(
      TimeRange times, @Nullable Set<String> fields, Versions versions, boolean attributes) {
    this(times, fields, versions, attributes, null);
  }

  public static ReadScope of(TimeRange times) {
    return new ReadScope(times, null, Versions.LATEST, false);
  }

  /** Which of the samples that were accepted for one instant. */
  public sealed interface Versions {
    Versions LATEST = new Latest();
    Versions ALL = new All();

    record Latest() implements Versions {}

    /** The last that was accepted up to a stamp, in microseconds since 1970. */
    record AsOf(long stamp) implements Versions {}

    record All() implements Versions {}
  }
}
