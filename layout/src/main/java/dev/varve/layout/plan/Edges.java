package dev.varve.layout.plan;

import dev.varve.layout.KeyPart;
import dev.varve.model.Bytes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where within their first and last row the samples of a time range begin and end, so that a long
 * row is not read whole for a short range.
 *
 * @param first the bucket that the range starts in, if {@code from} is there
 * @param from the qualifier at which it starts, or null to read the row from its start
 * @param last the bucket that the range ends in, if {@code to} is there
 * @param to the qualifier before which it ends, or null to read the row to its end
 * @param exact whether a read that uses both holds no sample outside the range
 */
record Edges(long first, @Nullable Bytes from, long last, @Nullable Bytes to, boolean exact) {
  private static final Edges ROWS_ARE_EXACT = new Edges(0, null, 0, null, true);
  private static final Edges UNKNOWN = new Edges(0, null, 0, null, false);

  /** The edges of a request, as far as slices with the first parts pinned can use them. */
  static Edges of(Survey survey, int pinned) {
    Edges edges = of(survey);
    boolean cuts = edges.from != null || edges.to != null;
    return !cuts || usedBySlices(survey, pinned) || edges.inOneBucket(survey) ? edges : UNKNOWN;
  }

  /** The edges of a request where every row is read by its exact key. */
  static Edges of(Survey survey) {
    KeyPart.Time part = survey.lastTime();
    if (part == null || part.instant()) {
      return ROWS_ARE_EXACT;
    }
    if (survey.scope.attributes()) {
      return UNKNOWN;
    }
    long first = survey.boundedBelow ? part.floor(survey.times.from()) : Long.MIN_VALUE;
    long last = survey.boundedAbove ? part.floor(survey.times.to() - 1) : Long.MAX_VALUE;
    boolean startsInside = survey.boundedBelow && first < survey.times.from();
    boolean endsInside = survey.boundedAbove && survey.times.to() < part.next(last);
    boolean regular = !survey.boundedBelow || part.lowestFrom(survey.times.from()) == first;
    Bytes from = startsInside && regular ? at(survey, first, survey.times.from()) : null;
    Bytes to = endsInside ? at(survey, last, survey.times.to()) : null;
    boolean exact = regular && (from != null || !startsInside) && (to != null || !endsInside);
    return new Edges(first, from, last, to, exact);
  }

  private static @Nullable Bytes at(Survey survey, long bucket, long time) {
    return survey.layout.qualifierAt(bucket, time).orElse(null);
  }

  /**
   * Whether a slice begins and ends at rows whose keys are known in full: the rows are exact, or
   * nothing stands behind the range of time.
   */
  static boolean usedBySlices(Survey survey, int pinned) {
    List<KeyPart> parts = survey.shape.parts();
    return parts.subList(pinned, parts.size()).stream().allMatch(KeyPart.Time.class::isInstance);
  }

  /** Whether one range of qualifiers serves all rows. */
  boolean inOneBucket(Survey survey) {
    return survey.boundedBelow && survey.boundedAbove && first == last;
  }
}
