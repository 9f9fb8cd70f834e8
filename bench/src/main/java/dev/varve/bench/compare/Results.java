package dev.varve.bench.compare;

import dev.varve.formats.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Everything that a run has found.
 *
 * @param header facts about machine, programs and settings
 * @param notes what went wrong or differs, in sentences
 */
record Results(Map<String, String> header, List<String> notes, List<Figure> figures) {
  Results() {
    this(new LinkedHashMap<>(), new ArrayList<>(), new ArrayList<>());
  }

  /** Adds a note and shows it. */
  void note(String note) {
    notes.add(note);
    Progress.say(note);
  }

  void write(Path file) throws IOException {
    Files.writeString(file, Json.object(this::write) + "\n");
  }

  private void write(JsonGenerator json) {
    json.writeObjectPropertyStart("header");
    for (Map.Entry<String, String> fact : header.entrySet()) {
      json.writeStringProperty(fact.getKey(), fact.getValue());
    }
    json.writeEndObject();
    json.writeArrayPropertyStart("notes");
    for (String note : notes) {
      json.writeString(note);
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("figures");
    for (Figure figure : figures) {
      json.writeStartObject();
      json.writeStringProperty("server", figure.server());
      json.writeStringProperty("dataset", figure.dataset());
      json.writeStringProperty("protocol", figure.protocol());
      json.writeStringProperty("query", figure.query());
      json.writeStringProperty("measure", figure.measure());
      json.writeNumberProperty("value", figure.value());
      json.writeBooleanProperty("known", figure.known());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  static Results read(Path file) throws IOException {
    Results results = new Results();
    try (JsonParser json = Json.parser(Files.readString(file))) {
      json.nextToken();
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String part = json.currentName();
        json.nextToken();
        switch (part) {
          case "header" -> results.header.putAll(members(json));
          case "notes" -> {
            while (json.nextToken() != JsonToken.END_ARRAY) {
              results.notes.add(json.getString());
            }
          }
          case "figures" -> {
            while (json.nextToken() != JsonToken.END_ARRAY) {
              results.figures.add(figure(members(json)));
            }
          }
          default -> throw new IOException("%s has an unknown part '%s'".formatted(file, part));
        }
      }
    }
    return results;
  }

  /** Reads the members of an object of texts, numbers and booleans. */
  private static Map<String, String> members(JsonParser json) {
    Map<String, String> members = new LinkedHashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      members.put(name, json.getString());
    }
    return members;
  }

  private static Figure figure(Map<String, String> members) {
    return new Figure(
        members.getOrDefault("server", ""),
        members.getOrDefault("dataset", ""),
        members.getOrDefault("protocol", ""),
        members.getOrDefault("query", ""),
        members.getOrDefault("measure", ""),
        Double.parseDouble(members.getOrDefault("value", "NaN")),
        Boolean.parseBoolean(members.getOrDefault("known", "false")));
  }
}
