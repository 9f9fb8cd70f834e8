package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.NameTable;
import dev.varve.engine.NameTable.Renamed;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.model.Bytes;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Right;
import dev.varve.server.opentsdb.query.JsonAnswer;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.Names;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.Tsuid;
import dev.varve.server.opentsdb.query.UidNames;
import dev.varve.server.opentsdb.rollup.Rollups;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@code /api/uid/rename}: gives a UID another name where the layout keeps UIDs, also in the tables
 * of roll-ups. Elsewhere names identify series, and the request is refused once it is complete.
 */
final class UidRename {
  private final DialectContext context;

  UidRename(DialectContext context) {
    this.context = context;
  }

  private record Asked(Tsuid.Kind kind, String old, String name) {}

  /** Answers a request. */
  void handle(Exchange exchange) throws IOException {
    Asked asked = asked(exchange);
    Dataset dataset = context.dataset(exchange);
    context.query(
        exchange,
        dataset,
        Telnet.NAME,
        "uid rename",
        use -> {
          UidNames uids = new UidNames(dataset, use);
          if (uids.areStored()) {
            exchange.require(Right.ADMIN);
            exchange.requireOrigin();
          }
          answer(exchange, outcome(exchange, dataset, asked, use));
        });
  }

  private static Asked asked(Exchange exchange) throws IOException {
    boolean posted = exchange.method().equals("POST");
    JsonBody body = posted ? JsonBody.read(exchange.wholeBody(), exchange.memory()) : null;
    Function<String, @Nullable String> values = body == null ? exchange::parameter : body::text;
    Asked asked = null;
    String name = values.apply("name");
    for (Tsuid.Kind kind : Tsuid.Kind.values()) {
      String old = values.apply(kind.word());
      if (old != null && !old.isEmpty() && name != null && !name.isEmpty()) {
        asked = new Asked(kind, old, name);
      }
    }
    if (asked == null) {
      throw new OpenTsdbError(400, "Missing necessary values to rename UID");
    }
    return asked;
  }

  /**
   * Renames, or returns the reason for a refusal: OpenTSDB's message if OpenTSDB refuses it, too.
   */
  private @Nullable String outcome(Exchange exchange, Dataset dataset, Asked asked, QueryUse use) {
    for (String one : List.of(asked.old(), asked.name())) {
      if (Uids.illegal(one) >= 0) {
        return "Invalid %s (\"%s\"): illegal character: %s"
            .formatted(asked.kind().word(), one, (char) Uids.illegal(one));
      }
    }
    NameTable table = dataset.originals().names();
    if (table == null) {
      return new Names(dataset, use).knows(asked.kind(), asked.old())
          ? "names cannot be renamed, because the layout of dataset '%s' keeps no UIDs; write.relabel renames what is written from now on"
              .formatted(dataset.name())
          : unknown(asked);
    }
    try {
      return renamed(exchange, dataset, table, asked);
    } catch (QueryRefusedException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static String unknown(Asked asked) {
    return "Name(\"%s\") does not exist".formatted(asked.old());
  }

  private @Nullable String renamed(
      Exchange exchange, Dataset dataset, NameTable table, Asked asked) {
    NameTable.Part part = UidNames.part(asked.kind());
    return switch (dataset.originals().rename(part, asked.old(), asked.name())) {
      case Renamed.Unknown() -> unknown(asked);
      case Renamed.Taken(Bytes uid) ->
          "When trying rename(\"%s\", \"%s\") on UniqueId(%s, %s, %d): new name already assigned ID=%s"
              .formatted(
                  asked.old(),
                  asked.name(),
                  table.tableName(),
                  asked.kind().table(),
                  table.width(part),
                  Arrays.toString(uid.toArray()));
      case Renamed.Raced() ->
          "\"%s\" or \"%s\" was given another UID or name at the same time"
              .formatted(asked.old(), asked.name());
      case Renamed.Done() -> {
        renameElsewhere(exchange, dataset, asked, part);
        yield null;
      }
    };
  }

  /** Changes the name in the tables of roll-ups, and where notes about it are kept. */
  private void renameElsewhere(
      Exchange exchange, Dataset dataset, Asked asked, NameTable.Part part) {
    Rollups rollups = Queries.rollups(context, exchange.caller(), dataset);
    if (rollups.config() != null) {
      for (Dataset side : rollups.all()) {
        if (dataset.config().attached() != null) {
          side.originals().followRename(part, asked.old(), asked.name());
        } else if (side.originals().names() != null) {
          // It has the name only if it has roll-ups of the series.
          Renamed _ = side.originals().rename(part, asked.old(), asked.name());
        }
      }
    }
    new NameNotes(dataset).renamed(asked.kind(), asked.old(), asked.name());
  }

  private static void answer(Exchange exchange, @Nullable String error) {
    exchange.status(error == null ? 200 : 400);
    JsonAnswer.write(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeStringProperty("result", String.valueOf(error == null));
          if (error != null) {
            json.writeStringProperty("error", error);
          }
          json.writeEndObject();
        });
  }
}
