package dev.varve.cli.migrate;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads the keys that InfluxDB shows for series: {@code measurement,tag=value,...}. */
final class InfluxSeries {
  private InfluxSeries() {}

  /**
   * Reads a key. In tags, a backslash precedes a comma, a blank or an equals sign that belongs to
   * them.
   *
   * @param measurement without its escapes
   */
  static GroupKey key(String measurement, String text) {
    List<String> parts = split(text, ',');
    Map<String, String> tags = new TreeMap<>();
    for (String part : parts.subList(1, parts.size())) {
      List<String> pair = split(part, '=');
      if (pair.size() == 2) {
        tags.put(plain(pair.get(0)), plain(pair.get(1)));
      }
    }
    return GroupKey.of(measurement, Tags.of(tags));
  }

  private static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '\\') {
        i++;
      } else if (text.charAt(i) == separator) {
        parts.add(text.substring(start, i));
        start = i + 1;
      }
    }
    parts.add(text.substring(start));
    return parts;
  }

  private static String plain(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean escapes =
          c == '\\' && i + 1 < text.length() && ", =".indexOf(text.charAt(i + 1)) >= 0;
      if (!escapes) {
        plain.append(c);
      }
    }
    return plain.toString();
  }
}
