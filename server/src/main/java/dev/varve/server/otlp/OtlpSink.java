package dev.varve.server.otlp;

import java.util.Map;

/** Receives the content of a request: for each resource its attributes, its metrics and its end. */
interface OtlpSink {
  /** Begins a resource with these attributes; the following metrics belong to it. */
  void resource(Map<String, String> attributes);

  void metric(OtlpMetric metric);

  /** Called after all metrics of the resource. */
  void endOfResource();
}
