package dev.varve.server.varve;

import dev.varve.engine.advice.Advice;
import dev.varve.engine.advice.Advice.ReadCosts;
import dev.varve.engine.advice.Advice.WriteCosts;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Advice in JSON.
 *
 * <pre>
 * {"dataset":"default","at":0,"layout":["buckets{bucket=1d}"],"verdict":"change","missing":["..."],
 *  "reasons":[{"rule":"label-order","about":"...","text":"..."}],
 *  "present":{"read":{"requests":1.0,"rows":1.0,"cells":1.0,"bytes":1.0,"cost":1.0},
 *    "write":{"cells":1.0,"bytes":40.0,"hottest":0.1,"largestRow":1000.0}},
 *  "proposal":{"read":{..},"write":{..},
 *    "layouts":[{"name":"buckets-2","key":"metric, tags, bucket 6h","yaml":"..."}],
 *    "commands":[{"about":"...","text":"..."}]},
 *  "queries":[{"query":"...","count":5,"share":0.5,"measured":{..},"present":{..},"proposed":{..}}]}
 * </pre>
 *
 * <p>{@code proposal} and {@code proposed} are null if nothing is to be changed. {@code verdict} is
 * {@code keep}, {@code change}, {@code companion} or {@code unknown}. Costs are those of a mean
 * query, and of a sample written.
 */
public final class AdviceJson {
  private AdviceJson() {}

  /** Writes an advice. */
  public static void write(Advice advice, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("dataset", advice.dataset());
    json.writeNumberProperty("at", advice.at());
    texts("layout", advice.layout(), json);
    json.writeStringProperty("verdict", advice.verdict().name().toLowerCase(Locale.ROOT));
    texts("missing", advice.missing(), json);
    json.writeName("reasons");
    json.writeStartArray();
    for (Advice.Reason reason : advice.reasons()) {
      json.writeStartObject();
      json.writeStringProperty("rule", reason.rule().id());
      json.writeStringProperty("about", reason.rule().about());
      json.writeStringProperty("text", reason.text());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeName("present");
    json.writeStartObject();
    read("read", advice.read(), json);
    write(advice.write(), json);
    json.writeEndObject();
    proposal(advice.proposal(), json);
    json.writeName("queries");
    json.writeStartArray();
    for (Advice.QueryAdvice query : advice.queries()) {
      json.writeStartObject();
      json.writeStringProperty("query", query.query());
      json.writeNumberProperty("count", query.count());
      json.writeNumberProperty("share", query.share());
      read("measured", query.measured(), json);
      read("present", query.present(), json);
      read("proposed", query.proposed(), json);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void proposal(Advice.@Nullable Proposal proposal, JsonGenerator json) {
    json.writeName("proposal");
    if (proposal == null) {
      json.writeNull();
      return;
    }
    json.writeStartObject();
    read("read", proposal.read(), json);
    write(proposal.write(), json);
    json.writeName("layouts");
    json.writeStartArray();
    for (Advice.ProposedLayout layout : proposal.layouts()) {
      json.writeStartObject();
      json.writeStringProperty("name", layout.name());
      json.writeStringProperty("key", layout.key());
      json.writeStringProperty("yaml", layout.yaml());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeName("commands");
    json.writeStartArray();
    for (Advice.Command command : proposal.commands()) {
      json.writeStartObject();
      json.writeStringProperty("about", command.about());
      json.writeStringProperty("text", command.text());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void texts(String name, List<String> texts, JsonGenerator json) {
    json.writeName(name);
    json.writeStartArray();
    texts.forEach(json::writeString);
    json.writeEndArray();
  }

  private static void read(String name, @Nullable ReadCosts costs, JsonGenerator json) {
    json.writeName(name);
    if (costs == null) {
      json.writeNull();
      return;
    }
    json.writeStartObject();
    json.writeNumberProperty("requests", costs.requests());
    json.writeNumberProperty("rows", costs.rows());
    json.writeNumberProperty("cells", costs.cells());
    json.writeNumberProperty("bytes", costs.bytes());
    json.writeNumberProperty("cost", costs.cost());
    json.writeEndObject();
  }

  private static void write(WriteCosts costs, JsonGenerator json) {
    json.writeName("write");
    json.writeStartObject();
    json.writeNumberProperty("cells", costs.cells());
    json.writeNumberProperty("bytes", costs.bytes());
    json.writeNumberProperty("hottest", costs.hottest());
    json.writeNumberProperty("largestRow", costs.largestRow());
    json.writeEndObject();
  }
}
