package dev.varve.layout;

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
 */
public record ReadScope(
    TimeRange times, @Nullable Set<String> fields, Versions versions, boolean attributes) {
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
