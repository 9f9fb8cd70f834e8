package dev.varve.rules;

import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/** Receives alerts to send. Called by many threads; must not block. */
public interface AlertSink {
  void send(List<Notification> alerts);

  /**
   * An alert that is firing or resolved.
   *
   * @param endsAt when it was resolved. For a firing alert, a time in the future at which it
   *     expires unless it is sent again
   * @param generatorUrl URL of a page that shows its expression
   */
  record Notification(
      SortedMap<String, String> labels,
      SortedMap<String, String> annotations,
      Instant startsAt,
      Instant endsAt,
      String generatorUrl) {}
}
