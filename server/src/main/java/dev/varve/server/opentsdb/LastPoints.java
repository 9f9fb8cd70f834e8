package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.opentsdb.query.JsonAnswer;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.UidNames;
import java.io.IOException;
import tools.jackson.core.JsonGenerator;

/** {@code /api/query/last}: the newest point of series. */
final class LastPoints {
  private final DialectContext context;

  LastPoints(DialectContext context) {
    this.context = context;
  }

  /** Answers a request. */
  void handle(Exchange exchange) throws IOException {
    LastRequest asked =
        exchange.method().equals("POST")
            ? LastRequest.posted(JsonBody.read(exchange.wholeBody(), exchange.memory()))
            : LastRequest.inUrl(exchange::parameters);
    Dataset dataset = context.dataset(exchange);
    context.query(
        exchange,
        dataset,
        Telnet.NAME,
        "last " + asked.subs(),
        use ->
            JsonAnswer.write(
                exchange,
                json -> {
                  json.writeStartArray();
                  write(asked, dataset, use, json);
                  json.writeEndArray();
                }));
  }

  private void write(LastRequest asked, Dataset dataset, QueryUse use, JsonGenerator json) {
    UidNames uids = new UidNames(dataset, use);
    LastScan scan = new LastScan(dataset, asked.backScan(), context.clock().millis(), use);
    for (LastRequest.Sub sub : asked.subs()) {
      for (LastScan.Wanted wanted : scan.wanted(sub)) {
        scan.read(
            wanted,
            null,
            (series, samples, newest) ->
                write(series, samples, newest, asked.resolve(), dataset.resolution(), uids, json));
      }
    }
  }

  private static void write(
      Series series,
      Samples samples,
      int index,
      boolean resolve,
      Resolution resolution,
      UidNames uids,
      JsonGenerator json) {
    json.writeStartObject();
    if (resolve) {
      json.writeStringProperty("metric", series.metric());
    }
    json.writeNumberProperty(
        "timestamp", resolution.convert(samples.time(index), Resolution.MILLISECONDS));
    json.writeStringProperty(
        "value",
        samples.kind() == Kind.INT64
            ? Long.toString(samples.longAt(index))
            : Double.toString(samples.doubleAt(index)));
    if (resolve) {
      json.writeObjectPropertyStart("tags");
      series.labels().forEach(json::writeStringProperty);
      json.writeEndObject();
    }
    json.writeStringProperty("tsuid", uids.tsuid(series.metric(), series.labels()));
    json.writeEndObject();
  }
}
