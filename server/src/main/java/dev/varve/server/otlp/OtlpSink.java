package dev.varve.server.otlp;

import java.util.Map;

/** Takes what a reader of OTLP's messages finds: a resource, its metrics, the resource's end. */
interface OtlpSink {
  /** From here on metrics are of a resource with these attributes. */
  void resource(Map<String, String> attributes);

  void metric(OtlpMetric metric);

  /** All metrics of the resource have come. */
  void endOfResource();
}
