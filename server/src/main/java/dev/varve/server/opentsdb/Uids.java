package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.QueryRefusedException;
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
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * {@code /api/uid}: the UIDs of names. Where no table keeps them a UID follows from the name, so
 * that assigning one stores nothing.
 */
final class Uids {
  /** Memory of a name in a request and in the answer, in bytes. */
  private static final long NAME_BYTES = 300;

  private final DialectContext context;

  Uids(DialectContext context) {
    this.context = context;
  }

  /** {@code GET|POST /api/uid/assign}. */
  void assign(Exchange exchange) throws IOException {
    Map<Tsuid.Kind, List<String>> asked =
        exchange.method().equals("POST") ? posted(exchange) : inUrl(exchange);
    if (asked.isEmpty()) {
      throw new OpenTsdbError(400, "Missing values to assign UIDs");
    }
    Dataset dataset = context.dataset(exchange);
    context.query(
        exchange,
        dataset,
        Telnet.NAME,
        "uid assign",
        use -> {
          UidNames uids = new UidNames(dataset, use);
          if (uids.areStored()) {
            exchange.require(Right.WRITE);
            exchange.requireOrigin();
          }
          Names names = new Names(dataset, use);
          Map<String, SortedMap<String, String>> answer = new LinkedHashMap<>();
          asked.forEach((kind, some) -> {
            Assignment done = assign(uids, names, use, kind, some);
            answer.put(kind.word(), done.assigned());
            if (!done.errors().isEmpty()) {
              answer.put(kind.word() + "_errors", done.errors());
            }
          });
          exchange.status(
              answer.keySet().stream().anyMatch(key -> key.endsWith("_errors")) ? 400 : 200);
          JsonAnswer.write(
              exchange,
              json -> {
                json.writeStartObject();
                answer.forEach((key, values) -> {
                  json.writeObjectPropertyStart(key);
                  values.forEach(json::writeStringProperty);
                  json.writeEndObject();
                });
                json.writeEndObject();
              });
        });
  }

  /**
   * The outcome of a request for UIDs of one kind.
   *
   * @param assigned UIDs by name
   * @param errors reasons by name
   */
  private record Assignment(SortedMap<String, String> assigned, SortedMap<String, String> errors) {}

  private static Assignment assign(
      UidNames uids, Names names, QueryUse use, Tsuid.Kind kind, List<String> wanted) {
    Assignment done = new Assignment(new TreeMap<>(), new TreeMap<>());
    for (String name : wanted) {
      use.held(NAME_BYTES + 4L * name.length(), "the names of a request for UIDs");
      String error = error(uids, names, kind, name);
      if (error != null) {
        done.errors().put(name, error);
        continue;
      }
      try {
        done.assigned().put(name, uids.assign(kind, name));
      } catch (QueryRefusedException e) {
        done.errors().put(name, String.valueOf(e.getMessage()));
      }
    }
    return done;
  }

  /** Returns why a name gets no UID; null if it may get one. */
  private static @Nullable String error(UidNames uids, Names names, Tsuid.Kind kind, String name) {
    if (name.isEmpty()) {
      return "Invalid %s: empty string".formatted(kind.table());
    }
    if (illegal(name) >= 0) {
      return "Invalid %s (\"%s\"): illegal character: %s"
          .formatted(kind.word(), name, (char) illegal(name));
    }
    return names.knows(kind, name) ? "Name already exists with UID: " + uids.uid(kind, name) : null;
  }

  /** Returns the first character that OpenTSDB does not allow in a name; -1 if there is none. */
  static int illegal(String name) {
    return name.chars()
        .filter(c -> !(Character.isLetterOrDigit(c) || "-_./".indexOf(c) >= 0))
        .findFirst()
        .orElse(-1);
  }

  private static Map<Tsuid.Kind, List<String>> inUrl(Exchange exchange) {
    Map<Tsuid.Kind, List<String>> asked = new LinkedHashMap<>();
    for (Tsuid.Kind kind : Tsuid.Kind.values()) {
      String names = exchange.parameter(kind.word());
      if (names != null && !names.isEmpty()) {
        asked.put(kind, Arrays.asList(names.split(",")));
      }
    }
    return asked;
  }

  private static Map<Tsuid.Kind, List<String>> posted(Exchange exchange) throws IOException {
    JsonBody body = JsonBody.read(exchange.wholeBody(), exchange.memory());
    Map<Tsuid.Kind, List<String>> asked = new LinkedHashMap<>();
    for (Tsuid.Kind kind : Tsuid.Kind.values()) {
      List<String> names = body.texts(kind.word());
      if (names != null) {
        asked.put(kind, new ArrayList<>(names));
      }
    }
    return asked;
  }
}
