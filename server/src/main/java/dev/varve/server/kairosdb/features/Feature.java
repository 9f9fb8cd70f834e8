package dev.varve.server.kairosdb.features;

import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * A family of processors of a query.
 *
 * @param name its field in the JSON of a metric
 * @param label for people
 */
public record Feature(String name, String label, List<Processor> processors) {
  public Feature {
    processors = List.copyOf(processors);
  }

  /** An aggregator or a grouping. */
  public record Processor(
      String name, String label, String description, List<Property> properties) {
    public Processor {
      properties = List.copyOf(properties);
    }
  }

  /** A property of a processor. */
  public sealed interface Property {
    String name();

    String label();

    /**
     * A property with one value.
     *
     * @param type such as {@code double} or {@code enum}
     * @param options the values of an {@code enum}; otherwise empty
     * @param standard the value if none is given, as text
     * @param completion what a form may offer, such as {@code tags}; empty for nothing
     * @param checks what a form checks
     */
    record Plain(
        String name,
        String label,
        String description,
        String type,
        List<String> options,
        String standard,
        String completion,
        List<Check> checks)
        implements Property {
      public Plain {
        options = List.copyOf(options);
        checks = List.copyOf(checks);
      }
    }

    /** A property that is an object. */
    record Group(String name, String label, List<Plain> properties) implements Property {
      public Group {
        properties = List.copyOf(properties);
      }
    }
  }

  /**
   * A check of a value in a form.
   *
   * @param expression in JavaScript, of {@code value}
   * @param message for people, if the expression is false
   */
  public record Check(String expression, String message) {}

  /** Writes the feature with its processors. */
  public void write(JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("name", name);
    json.writeStringProperty("label", label);
    json.writeName("properties");
    writeProcessors(json);
    json.writeEndObject();
  }

  /** Writes the list of processors. */
  public void writeProcessors(JsonGenerator json) {
    json.writeStartArray();
    for (Processor processor : processors) {
      json.writeStartObject();
      json.writeStringProperty("name", processor.name());
      json.writeStringProperty("label", processor.label());
      json.writeStringProperty("description", processor.description());
      writeProperties(json, processor.properties());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writeProperties(JsonGenerator json, List<? extends Property> properties) {
    json.writeArrayPropertyStart("properties");
    properties.forEach(property -> write(json, property));
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, Property property) {
    json.writeStartObject();
    json.writeStringProperty("name", property.name());
    json.writeStringProperty("label", property.label());
    switch (property) {
      case Property.Group group -> {
        json.writeBooleanProperty("optional", false);
        json.writeStringProperty("type", "Object");
        json.writeBooleanProperty("multiline", false);
        writeProperties(json, group.properties());
      }
      case Property.Plain plain -> {
        json.writeStringProperty("description", plain.description());
        json.writeBooleanProperty("optional", false);
        json.writeStringProperty("type", plain.type());
        writeTexts(json, "options", plain.options());
        json.writeStringProperty("defaultValue", plain.standard());
        json.writeStringProperty("autocomplete", plain.completion());
        json.writeBooleanProperty("multiline", false);
        json.writeArrayPropertyStart("validations");
        plain.checks().forEach(check -> write(json, check));
        json.writeEndArray();
      }
    }
    json.writeEndObject();
  }

  private static void writeTexts(JsonGenerator json, String name, List<String> texts) {
    json.writeArrayPropertyStart(name);
    texts.forEach(json::writeString);
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, Check check) {
    json.writeStartObject();
    json.writeStringProperty("expression", check.expression());
    json.writeStringProperty("type", "js");
    json.writeStringProperty("message", check.message());
    json.writeEndObject();
  }
}
