package dev.varve.server.otlp;

import dev.varve.server.http.HeldPart;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads {@code ExportMetricsServiceRequest} from JSON in <a
 * href="https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding">OTLP's encoding</a>:
 * names in camelCase, 64-bit integers as strings or numbers, enums as numbers or names, doubles as
 * numbers or strings such as {@code "NaN"}. Unknown names are ignored, and so are ids, which only
 * exemplars have. Null means missing.
 */
final class OtlpJson {
  private final OtlpSink sink;
  private final Reservation memory;

  /** Memory of the current resource. */
  private final HeldPart ofResource;

  /** Memory of the current metrics. */
  private final HeldPart ofMetric;

  private final AttributeJson attributes;
  private final MetricJson metrics;

  OtlpJson(OtlpSink sink, Reservation memory) {
    this.sink = sink;
    this.memory = memory;
    this.ofResource = new HeldPart(memory);
    this.ofMetric = new HeldPart(memory);
    this.attributes = new AttributeJson(ofMetric);
    this.metrics = new MetricJson(ofMetric, attributes);
  }

  /**
   * Reads a request. Everything before a malformed part has been passed to the sink.
   *
   * @throws dev.varve.formats.protobuf.MalformedMessageException if the body is not a valid request
   * @throws dev.varve.server.http.OverBudgetException if it does not fit in memory
   */
  void read(InputStream body) {
    ProtoJson.read(body, memory, ofMetric, this::readRequest);
  }

  private void readRequest(ProtoJson json) {
    while (json.next()) {
      if (json.name().equals("resourceMetrics")) {
        json.each(() -> readResourceMetrics(json));
      } else {
        json.skip();
      }
    }
  }

  /** Metrics that precede their resource are held until it is read. */
  private void readResourceMetrics(ProtoJson json) {
    List<OtlpMetric> waiting = new ArrayList<>();
    boolean known = false;
    while (json.next()) {
      switch (json.name()) {
        case "resource" -> {
          Map<String, String> resource = resource(json);
          // Attributes live until the end of the resource, longer than the memory of metrics.
          ofResource.hold(AttributeJson.bytes(resource));
          sink.resource(resource);
          known = true;
        }
        case "scopeMetrics" -> {
          Consumer<OtlpMetric> into = known ? this::take : waiting::add;
          json.each(() -> readScopeMetrics(json, into));
        }
        default -> json.skip();
      }
    }
    if (!known) {
      sink.resource(Map.of());
    }
    waiting.forEach(sink::metric);
    sink.endOfResource();
    ofMetric.letGo();
    ofResource.letGo();
  }

  private void take(OtlpMetric metric) {
    sink.metric(metric);
    ofMetric.letGo();
  }

  private Map<String, String> resource(ProtoJson json) {
    Map<String, String> resource = new LinkedHashMap<>();
    if (json.enter()) {
      while (json.next()) {
        if (json.name().equals("attributes")) {
          attributes.read(json, resource);
        } else {
          json.skip();
        }
      }
    }
    return resource;
  }

  private void readScopeMetrics(ProtoJson json, Consumer<OtlpMetric> into) {
    while (json.next()) {
      if (json.name().equals("metrics")) {
        json.each(() -> into.accept(metrics.read(json)));
      } else {
        json.skip();
      }
    }
  }
}
