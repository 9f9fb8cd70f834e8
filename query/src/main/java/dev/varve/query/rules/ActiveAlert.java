package dev.varve.query.rules;

import dev.varve.query.promql.eval.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** An alert that is pending, fires, or has fired lately. */
final class ActiveAlert {
  final Labels labels;
  SortedMap<String, String> annotations;
  double value;
  AlertState state = AlertState.PENDING;
  Instant activeAt;
  Instant firedAt = Instant.MIN;

  /** Null as long as it has not ended. */
  @Nullable Instant resolvedAt;

  /** Null as long as the series is there. */
  @Nullable Instant keepFiringSince;

  @Nullable Instant lastSentAt;

  ActiveAlert(
      Labels labels, SortedMap<String, String> annotations, double value, Instant activeAt) {
    this.labels = labels;
    this.annotations = annotations;
    this.value = value;
    this.activeAt = activeAt;
  }

  boolean needsSending(Instant at, Duration resendDelay) {
    if (state == AlertState.PENDING) {
      return false;
    }
    Instant last = lastSentAt;
    return last == null
        || (resolvedAt != null && resolvedAt.isAfter(last))
        || last.plus(resendDelay).isBefore(at);
  }

  GroupStatus.Alert status() {
    return new GroupStatus.Alert(labels, annotations, state, activeAt, keepFiringSince, value);
  }
}
