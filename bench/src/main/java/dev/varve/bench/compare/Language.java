package dev.varve.bench.compare;

/** Languages of queries. */
enum Language {
  /** Prometheus' own. */
  PROMQL(Protocol.REMOTE_WRITE),
  /** That of VictoriaMetrics, which keeps names of metrics where PromQL drops them. */
  METRICSQL(Protocol.REMOTE_WRITE),
  /** That of InfluxDB 1. */
  INFLUXQL(Protocol.LINE),
  /** That of QuestDB, with its extensions for time series. */
  SQL(Protocol.LINE);

  private final Protocol protocol;

  Language(Protocol protocol) {
    this.protocol = protocol;
  }

  /** Returns the protocol by which samples get the names that the queries use. */
  Protocol protocol() {
    return protocol;
  }
}
