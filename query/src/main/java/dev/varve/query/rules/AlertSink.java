package dev.varve.query.rules;

import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/** Takes alerts that somebody is to be told of. Called by many threads; does not wait. */
public interface AlertSink {
  void send(List<Notification> alerts);

  /**
   * An alert that fires, or has ended.
   *
   * @param endsAt when it has ended; in the future for one that fires, when it ends unless it is
   *     told of again
   * @param generatorUrl where its expression is shown
   */
  record Notification(
      SortedMap<String, String> labels,
      SortedMap<String, String> annotations,
      Instant startsAt,
      Instant endsAt,
      String generatorUrl) {}
}
