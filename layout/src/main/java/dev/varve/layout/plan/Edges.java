package dev.varve.layout.plan;

import dev.varve.layout.KeyPart;
import dev.varve.model.Bytes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The positions in the first and last row at which the samples of a time range start and end. They
 * avoid reading a whole long row for a short range.
 *
 * @param first the bucket in which the range starts, valid if {@code from} is not null
 * @param from the qualifier at which the range starts; null to read the row from its start
 * @param last the bucket in which the range ends, valid if {@code to} is not null
 * @param to the qualifier before which the range ends; null to read the row to its end
 * @param exact whether a read that uses both returns no sample outside the range
 */
record Edges(long first, @Nullable Bytes from, long last, @Nullable Bytes to, boolean exact) {
  private static final Edges ROWS_ARE_EXACT = new Edges(0, null, 0, null, true);
  private static final Edges UNKNOWN = new Edges(0, null, 0, null, false);

  /** Returns the edges of a request, as far as slices with the first parts pinned can use them. */
  static Edges of(Survey survey, int pinned) {
    Edges edges = of(survey);
    boolean cuts = edges.from != null || edges.to != null;
    return !cuts || usedBySlices(survey, pinned) || edges.inOneBucket(survey) ? edges : UNKNOWN;
  }

  /** Returns the edges of a request whose rows are all read by their exact keys. */
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
   * Returns whether the keys of the first and last row of a slice are known completely: all parts
   * are pinned, or only time parts follow.
   */
  static boolean usedBySlices(Survey survey, int pinned) {
    List<KeyPart> parts = survey.shape.parts();
    return parts.subList(pinned, parts.size()).stream().allMatch(KeyPart.Time.class::isInstance);
  }

  /**
   * Returns whether the whole range lies in one bucket, so one range of qualifiers fits all rows.
   */
  boolean inOneBucket(Survey survey) {
    return survey.boundedBelow && survey.boundedAbove && first == last;
  }
}
