package dev.varve.bench.compare;

/** A protocol for sending samples. */
enum Protocol {
  /** Prometheus' remote write 1.0: each sample in a series message of its own, as agents send. */
  REMOTE_WRITE(
      "remote-write",
      """
      Content-Type: application/x-protobuf\r
      Content-Encoding: snappy\r
      X-Prometheus-Remote-Write-Version: 0.1.0\r
      """),
  /** Influx' line protocol: a line with all fields of an entity, times in ns, not compressed. */
  LINE("line", "Content-Type: text/plain\r\n");

  private final String text;
  private final String headers;

  Protocol(String text, String headers) {
    this.text = text;
    this.headers = headers;
  }

  /** Returns the name in arguments and tables. */
  String text() {
    return text;
  }

  /** Returns the header lines of a request. */
  String headers() {
    return headers;
  }

  static Protocol named(String name) {
    for (Protocol protocol : values()) {
      if (protocol.text.equals(name)) {
        return protocol;
      }
    }
    throw new IllegalArgumentException(
        "protocol '%s' is not one of remote-write, line".formatted(name));
  }
}
