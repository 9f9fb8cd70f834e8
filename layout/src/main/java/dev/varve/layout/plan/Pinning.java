package dev.varve.layout.plan;

import dev.varve.layout.KeyPart;
import dev.varve.layout.RowShape;
import dev.varve.model.Kind;
import dev.varve.model.Series;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first parts of a row key, pinned to values. Parts that depend on the series have its value.
 * Buckets, kinds and fields are enumerated. A salt has the value computed from the other pinned
 * parts, or is enumerated if they do not determine it.
 *
 * @param count number of pinned parts
 * @param bucketPart the finest pinned time part; null if there is none
 * @param buckets the buckets to enumerate; one arbitrary value if no pinned part carries time
 * @param share approximate share of these buckets among all buckets of the range; 1 unless only
 *     recurring times are wanted
 * @param shareOfTimes approximate share of the range that these buckets cover
 * @param kinds the kinds to enumerate; one arbitrary kind if no pinned part carries it
 * @param fields the fields to enumerate; one arbitrary field if no pinned part carries it
 * @param fanOut number of combinations of enumerated salts
 * @param saltOfBucket whether a pinned salt is computed from the key and the bucket
 * @param closed why the parts cannot be pinned; null if they can
 */
record Pinning(
    int count,
    KeyPart.@Nullable Time bucketPart,
    long[] buckets,
    double share,
    double shareOfTimes,
    List<Kind> kinds,
    List<String> fields,
    int fanOut,
    boolean saltOfBucket,
    @Nullable String closed) {
  private static final long[] ANY_TIME = {0};

  static Pinning of(Survey survey, int count) {
    KeyPart.Time bucketPart = null;
    List<Kind> kinds = List.of(Kind.DOUBLE);
    List<String> fields = List.of(Series.DEFAULT_FIELD);
    String closed = null;
    for (KeyPart part : survey.shape.parts().subList(0, count)) {
      switch (part.role()) {
        case TIME -> bucketPart = (KeyPart.Time) part;
        case KIND -> kinds = List.copyOf(EnumSet.copyOf(survey.layout.domain().kinds()));
        case FIELD -> {
          if (survey.fields == null) {
            closed = "the fields are not named, but " + part.label() + " is part of the key";
          } else {
            fields = survey.fields;
          }
        }
        case SEQUENCE -> closed = "the values of " + part.label() + " are unknown";
        case LITERAL, METRIC, TAGS, RESOURCE, SALT -> {}
      }
    }
    long[] buckets = ANY_TIME;
    double share = 1;
    double shareOfTimes = 1;
    if (bucketPart != null) {
      Buckets listed = Buckets.of(bucketPart, survey.times, survey.scope.recurring());
      share = listed.share();
      shareOfTimes = listed.shareOfTimes();
      buckets = listed.starts() == null ? ANY_TIME : listed.starts();
      closed = closed == null ? listed.closed() : closed;
    }
    return new Pinning(
        count,
        bucketPart,
        buckets,
        share,
        shareOfTimes,
        kinds,
        fields,
        fanOut(survey.shape, count),
        saltOfBucket(survey.shape, count),
        closed);
  }

  private static int fanOut(RowShape shape, int count) {
    int combinations = 1;
    for (KeyPart part : shape.parts().subList(0, count)) {
      if (part instanceof KeyPart.Salt salt && fansOut(shape, count, salt)) {
        combinations = Math.multiplyExact(combinations, salt.buckets());
      }
    }
    return combinations;
  }

  /** Returns whether a salt must be enumerated if the first {@code count} parts are pinned. */
  static boolean fansOut(RowShape shape, int count, KeyPart.Salt salt) {
    return switch (salt.of()) {
      case KEY -> false;
      case KEY_AND_BUCKET -> !bucketIsPinned(shape, count);
      case SAMPLE -> true;
    };
  }

  private static boolean saltOfBucket(RowShape shape, int count) {
    return bucketIsPinned(shape, count)
        && shape.parts().subList(0, count).stream()
            .anyMatch(part ->
                part instanceof KeyPart.Salt salt && salt.of() == KeyPart.Salt.Of.KEY_AND_BUCKET);
  }

  private static boolean bucketIsPinned(RowShape shape, int count) {
    int time = shape.timePart();
    return time >= 0 && time < count;
  }
}
