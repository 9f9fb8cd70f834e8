package dev.varve.bench.compare;

import dev.varve.formats.json.Json;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Turns rows into the series that PromQL would answer: text becomes labels, and each column of
 * numbers a metric {@code cpu_COLUMN}, or one without a name if it is called {@code value}.
 */
final class Tables {
  private final Question question;
  private final Map<String, List<Double>> series = new HashMap<>();

  private Tables(Question question) {
    this.question = question;
  }

  /** Reads {@code {"results":[{"series":[{"tags":{},"columns":[],"values":[[]]}]}]}}. */
  static Answer ofInfluxDb(String text, Question question) throws IOException {
    Tables tables = new Tables(question);
    Map<String, String> tags = new TreeMap<>();
    List<String> columns = new ArrayList<>();
    try (JsonParser json = Json.parser(text)) {
      while (json.nextToken() != null) {
        if (json.currentToken() != JsonToken.PROPERTY_NAME) {
          continue;
        }
        String name = json.currentName();
        if (name.equals("name")) {
          tags.clear();
        } else if (name.equals("tags")) {
          json.nextToken();
          while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String tag = json.currentName();
            json.nextToken();
            tags.put(tag, json.getString());
          }
        } else if (name.equals("columns")) {
          json.nextToken();
          columns.clear();
          while (json.nextToken() != JsonToken.END_ARRAY) {
            columns.add(json.getString());
          }
        } else if (name.equals("values")) {
          tables.rows(json, tags, columns, "time");
        }
      }
    }
    return tables.answer();
  }

  /** Reads {@code {"columns":[{"name":"..."}],"dataset":[[]]}}. */
  static Answer ofQuestDb(String text, Question question) throws IOException {
    Tables tables = new Tables(question);
    List<String> columns = new ArrayList<>();
    try (JsonParser json = Json.parser(text)) {
      while (json.nextToken() != null) {
        if (json.currentToken() != JsonToken.PROPERTY_NAME) {
          continue;
        }
        String name = json.currentName();
        if (name.equals("name")) {
          json.nextToken();
          columns.add(json.getString());
        } else if (name.equals("dataset")) {
          tables.rows(json, Map.of(), columns, "timestamp");
        }
      }
    }
    return tables.answer();
  }

  private void rows(JsonParser json, Map<String, String> tags, List<String> columns, String time)
      throws IOException {
    json.nextToken();
    while (json.nextToken() == JsonToken.START_ARRAY) {
      TreeMap<String, String> labels = new TreeMap<>(tags);
      Map<String, Double> values = new HashMap<>();
      double seconds = 0;
      for (String column : columns) {
        JsonToken token = json.nextToken();
        String text = json.getString();
        if (column.equals(time)) {
          seconds = seconds(token, text);
        } else if (token == JsonToken.VALUE_STRING) {
          labels.put(column, text);
        } else if (token != JsonToken.VALUE_NULL) {
          values.put(column, Double.parseDouble(text));
        }
      }
      if (json.nextToken() != JsonToken.END_ARRAY) {
        throw new IOException("a row has more than columns " + columns);
      }
      add(labels, seconds, values);
    }
  }

  /** Returns the time at which PromQL evaluates what this row has. */
  private double seconds(JsonToken token, @Nullable String text) {
    long millis =
        token == JsonToken.VALUE_STRING
            ? Instant.parse(String.valueOf(text)).toEpochMilli()
            : Long.parseLong(String.valueOf(text));
    // A bucket is evaluated at its end and named by its start; samples lie at steps; an instant
    // is the question's.
    long offset =
        question.step() == 0
            ? question.end() - millis
            : question.start() % DataSet.SECOND == 0 ? 0 : question.step() - 1;
    return (millis + offset) / 1e3;
  }

  private void add(Map<String, String> labels, double seconds, Map<String, Double> values) {
    values.forEach((column, value) -> {
      TreeMap<String, String> all = new TreeMap<>(labels);
      if (!column.equals("value")) {
        all.put("__name__", "cpu_" + column);
      }
      List<Double> points = series.computeIfAbsent(all.toString(), _ -> new ArrayList<>());
      points.add(seconds);
      points.add(value);
    });
  }

  private Answer answer() {
    Map<String, double[]> answer = new HashMap<>();
    series.forEach((labels, points) -> {
      double[] all = points.stream().mapToDouble(Double::doubleValue).toArray();
      // The newest first, where a query asks for that.
      if (all.length > 2 && all[0] > all[2]) {
        for (int low = 0, high = all.length - 2; low < high; low += 2, high -= 2) {
          double time = all[low];
          double value = all[low + 1];
          all[low] = all[high];
          all[low + 1] = all[high + 1];
          all[high] = time;
          all[high + 1] = value;
        }
      }
      answer.put(labels, all);
    });
    return new Answer(answer);
  }
}
