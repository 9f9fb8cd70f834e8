package dev.varve.server.rules;

import dev.varve.formats.json.Json;
import dev.varve.rules.AlertSink.Notification;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import tools.jackson.core.JsonGenerator;

/**
 * Encodes alerts for <a
 * href="https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml">Alertmanager's
 * API v2</a>.
 */
final class AlertJson {
  private AlertJson() {}

  static byte[] of(List<Notification> alerts) {
    String text =
        Json.text(json -> {
          json.writeStartArray();
          for (Notification alert : alerts) {
            json.writeStartObject();
            labels("annotations", alert.annotations(), json);
            json.writeStringProperty("startsAt", alert.startsAt().toString());
            json.writeStringProperty("endsAt", alert.endsAt().toString());
            json.writeStringProperty("generatorURL", alert.generatorUrl());
            labels("labels", alert.labels(), json);
            json.writeEndObject();
          }
          json.writeEndArray();
        });
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void labels(String name, SortedMap<String, String> labels, JsonGenerator json) {
    json.writeObjectPropertyStart(name);
    for (Map.Entry<String, String> label : labels.entrySet()) {
      json.writeStringProperty(label.getKey(), label.getValue());
    }
    json.writeEndObject();
  }
}
