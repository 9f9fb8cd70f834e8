package dev.varve.server.http;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts refused and closed connections by reason. Thread-safe. */
final class ConnectionFigures {
  /** The counted events. */
  enum Event {
    REFUSED_MAX("connections_refused_total{reason=\"max\"}"),
    REFUSED_PER_CLIENT("connections_refused_total{reason=\"per-client\"}"),
    REFUSED_LINES("connections_refused_total{reason=\"lines\"}"),
    REFUSED_LINES_PER_CLIENT("connections_refused_total{reason=\"lines-per-client\"}"),
    REFUSED_FORWARDED("connections_refused_total{reason=\"forwarded-requests\"}"),
    EVICTED("connections_evicted_total"),
    HEADER_DEADLINE("connections_closed_total{reason=\"header-deadline\"}"),
    BODY_RATE("connections_closed_total{reason=\"body-rate\"}"),
    ANSWER_RATE("connections_closed_total{reason=\"answer-rate\"}"),
    ANSWERS_UNREAD("connections_closed_total{reason=\"unread-answers\"}"),
    LINE_ANSWER_DROPPED("line_answers_dropped_total");

    private final String figure;

    Event(String figure) {
      this.figure = figure;
    }
  }

  private final Map<Event, LongAdder> counts = new EnumMap<>(Event.class);

  ConnectionFigures() {
    for (Event event : Event.values()) {
      counts.put(event, new LongAdder());
    }
  }

  void count(Event event) {
    count(event, 1);
  }

  void count(Event event, long times) {
    LongAdder count = counts.get(event);
    if (count != null) {
      count.add(times);
    }
  }

  long of(Event event) {
    LongAdder count = counts.get(event);
    return count == null ? 0 : count.sum();
  }

  /** Returns all counts by name and labels of the metric, without its prefix. */
  Map<String, Double> all() {
    Map<String, Double> all = new LinkedHashMap<>();
    counts.forEach((event, count) -> all.put(event.figure, (double) count.sum()));
    return all;
  }
}
