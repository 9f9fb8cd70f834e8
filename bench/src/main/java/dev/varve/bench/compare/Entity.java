package dev.varve.bench.compare;

import java.util.List;
import java.util.SortedMap;

/**
 * A sender of samples: in line protocol one row of several fields, in remote write one series a
 * field.
 *
 * @param measurement first part of the metric's name
 * @param tags labels without the metric's name; names and values need no escaping in any protocol
 * @param fields a field {@code value} alone has no name in metrics
 * @param whole true if values are integers, which line protocol tells apart
 */
record Entity(
    String measurement, SortedMap<String, String> tags, List<String> fields, boolean whole) {
  static final List<String> VALUE = List.of("value");

  /** Returns the name of a field's metric. */
  String metric(String field) {
    return field.equals("value") ? measurement : measurement + "_" + field;
  }
}
