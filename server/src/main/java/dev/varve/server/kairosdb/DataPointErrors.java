package dev.varve.server.kairosdb;

import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.server.ingest.Intake;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The errors of a request to {@code /api/v1/datapoints}: counted without limit, and kept as text
 * while the request's memory lasts, up to {@value #ERRORS_MAX}. Not safe for use by several
 * threads.
 */
final class DataPointErrors {
  /** Maximum number of errors reported individually; the rest are only counted. */
  private static final int ERRORS_MAX = 1000;

  private static final int ERROR_MAX = 1000;
  private static final int QUOTED_MAX = 100;

  /** Memory of an error, and of each of its characters including the answer, in bytes. */
  private static final int ERROR_BYTES = 64;

  private static final int ERROR_PER_CHARACTER = 8;

  private final Intake intake;
  private final List<String> errors = new ArrayList<>();
  private long count;

  DataPointErrors(Intake intake) {
    this.intake = intake;
  }

  /** Adds an error; characters beyond the first {@value #ERROR_MAX} are cut off. */
  void add(String message) {
    count++;
    String kept = cut(message);
    boolean named =
        errors.size() < ERRORS_MAX
            && intake.memory().tryHold(ERROR_BYTES + (long) ERROR_PER_CHARACTER * kept.length());
    // The first error is always reported.
    if (named || errors.isEmpty()) {
      errors.add(kept);
    }
  }

  /** Returns the number of errors so far. */
  long count() {
    return count;
  }

  /**
   * Tells the intake about invalid points, adds those that the dataset rejected, and returns the
   * texts. The last one counts the errors that have none.
   */
  List<String> all() {
    intake.report(Intake.SYNTAX, count, errors::getFirst);
    for (Rejection rejection : intake.rejections()) {
      Long time = rejection.time();
      add(
          "%s%s: %s"
              .formatted(
                  rejection.key(),
                  time == null ? "" : " at " + time,
                  rejection.refusal().message()));
    }
    count += Math.max(0, intake.refused() - intake.rejections().size());
    if (count > errors.size()) {
      errors.add("and " + (count - errors.size()) + " more");
    }
    return errors;
  }

  /** Returns a text as a message quotes it, at most {@value #QUOTED_MAX} characters of it. */
  static String quoted(@Nullable String text) {
    return shortened(text, QUOTED_MAX);
  }

  /** Returns the first {@value #ERROR_MAX} characters of a text. */
  static String cut(String text) {
    return shortened(text, ERROR_MAX);
  }

  private static String shortened(@Nullable String text, int max) {
    return text == null || text.length() <= max
        ? String.valueOf(text)
        : text.substring(0, max) + "...";
  }
}
