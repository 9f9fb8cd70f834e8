package dev.varve.server.opentsdb;

import dev.varve.server.http.WriteBudget.Reservation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Counts the points of a request that were not written, and keeps the errors of the first. */
final class PutFailures {
  /** Maximum number of failed points in an answer; a body may contain millions. */
  private static final int DETAILS_MAX = 10_000;

  /** Memory of a failed point kept for the answer, and of each of its characters, in bytes. */
  private static final int SHOWN_BYTES = 400;

  private static final int SHOWN_PER_CHARACTER = 8;

  private final Reservation memory;
  private final boolean kept;
  private final List<Failure> failures = new ArrayList<>();
  private int failed;
  private int timeouts;

  /**
   * The error of a point.
   *
   * @param place index of the point within the request, from 0
   */
  private record Failure(int place, @Nullable DataPoint point, String reason) {}

  /**
   * Creates a list.
   *
   * @param memory of the request, for the errors
   * @param kept whether errors are kept, and not only counted
   */
  PutFailures(Reservation memory, boolean kept) {
    this.memory = memory;
    this.kept = kept;
  }

  boolean kept() {
    return kept;
  }

  int failed() {
    return failed;
  }

  int timeouts() {
    return timeouts;
  }

  void failed(int count) {
    failed += count;
  }

  void timedOut(int count) {
    timeouts += count;
  }

  /** Returns the memory of a point that may be shown. */
  static long shownBytes(@Nullable DataPoint point) {
    return SHOWN_BYTES + (point == null ? 0 : SHOWN_PER_CHARACTER * point.characters());
  }

  /** Keeps the error of a point if there is room. */
  void note(int place, @Nullable DataPoint point, String reason) {
    if (kept
        && failures.size() < DETAILS_MAX
        && memory.tryHold(shownBytes(point) + SHOWN_PER_CHARACTER * (long) reason.length())) {
      failures.add(new Failure(place, point, reason));
    }
  }

  void write(JsonGenerator json) {
    json.writeArrayPropertyStart("errors");
    // Rejections by the intake are known later than parse errors.
    failures.sort(Comparator.comparingInt(Failure::place));
    for (Failure failure : failures) {
      json.writeStartObject();
      json.writeName("datapoint");
      if (failure.point() == null) {
        json.writeNull();
      } else {
        failure.point().write(json);
      }
      json.writeStringProperty("error", failure.reason());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
