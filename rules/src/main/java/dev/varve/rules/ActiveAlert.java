package dev.varve.rules;

import dev.varve.query.promql.eval.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** An alert that is pending or firing, or was resolved recently. */
final class ActiveAlert {
  final Labels labels;
  SortedMap<String, String> annotations;
  double value;
  AlertState state = AlertState.PENDING;
  Instant activeAt;
  Instant firedAt = Instant.MIN;

  /** Null until the alert is resolved. */
  @Nullable Instant resolvedAt;

  /** Null while the series is present. */
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
