package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.opentsdb.query.JsonAnswer;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.NoteKeys;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.Tsuid;
import dev.varve.server.opentsdb.query.UidNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code /api/uid/uidmeta}: notes about names. */
final class UidMetaRoutes {
  /** Servers that write one note at once take turns; more attempts than this mean a fault. */
  private static final int ATTEMPTS = 100;

  private final DialectContext context;

  UidMetaRoutes(DialectContext context) {
    this.context = context;
  }

  /** The name that a request is about, and the notes that it sends. */
  private record Asked(Tsuid.Kind kind, String uid, UidMeta meta) {}

  /** A name with its notes. */
  private record Known(Asked asked, NameNotes.Named named, NameNotes notes) {
    void answer(UidMeta meta, Exchange exchange) {
      JsonAnswer.write(exchange, json -> meta.write(asked.uid(), asked.kind(), named.name(), json));
    }
  }

  static UidMeta read(@Nullable String text) {
    return text == null
        ? UidMeta.NONE
        : UidMeta.of(JsonBody.read(text.getBytes(StandardCharsets.UTF_8), WriteBudget.unlimited()));
  }

  /** {@code GET}: the notes about the name of a UID. */
  void get(Exchange exchange) throws IOException {
    answer(
        exchange,
        inUrl(exchange),
        known -> known.answer(read(known.notes().get(known.named())), exchange));
  }

  /** {@code POST} merges notes, {@code PUT} replaces them. */
  void save(Exchange exchange) throws IOException {
    Asked asked = asked(exchange);
    if (asked.meta().isEmpty()) {
      exchange.answer(304, JsonAnswer.TYPE, "");
      return;
    }
    boolean replaces = exchange.method().equals("PUT");
    answer(exchange, asked, known -> known.answer(saved(known, replaces), exchange));
  }

  private static UidMeta saved(Known known, boolean replaces) {
    Asked asked = known.asked();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      String before = known.notes().get(known.named());
      UidMeta next = asked.meta().mergedInto(read(before), replaces);
      try {
        if (known.notes().putIf(known.named(), before, next.toStoredJson(asked.kind()))) {
          return next;
        }
      } catch (IllegalArgumentException e) {
        throw new OpenTsdbError(400, String.valueOf(e.getMessage()));
      }
    }
    throw new IllegalStateException("other writers kept changing the notes");
  }

  /** {@code DELETE}: deletes the notes about a name. */
  void delete(Exchange exchange) throws IOException {
    answer(
        exchange,
        asked(exchange),
        known -> {
          known.notes().delete(known.named());
          exchange.answer(204, JsonAnswer.TYPE, "");
        });
  }

  /** Answers a request whose UID is known. */
  private interface Work {
    void on(Known known) throws IOException;
  }

  private void answer(Exchange exchange, Asked asked, Work work) throws IOException {
    Dataset dataset = context.dataset(exchange);
    Dataset whole = context.wholeDataset(exchange);
    context.query(
        exchange,
        dataset,
        Telnet.NAME,
        "uid meta " + asked.uid(),
        use -> {
          String name = name(asked, dataset, use);
          String uid = new NoteKeys(dataset, whole, use).uid(asked.kind(), asked.uid(), name);
          NameNotes.Named named = new NameNotes.Named(asked.kind(), uid, name);
          work.on(new Known(asked, named, new NameNotes(whole)));
        });
  }

  private static String name(Asked asked, Dataset dataset, QueryUse use) {
    return new UidNames(dataset, use)
        .name(asked.kind(), asked.uid())
        .orElseThrow(() ->
            new OpenTsdbError(
                404,
                "Could not find the requested UID",
                "No such unique ID for '%s': %s".formatted(asked.kind().table(), asked.uid())));
  }

  private static Asked asked(Exchange exchange) throws IOException {
    byte[] posted = exchange.wholeBody();
    if (posted.length == 0) {
      return inUrl(exchange);
    }
    JsonBody body = JsonBody.read(posted, exchange.memory());
    String uid = body.text("uid");
    String type = body.text("type");
    if (uid == null || uid.isEmpty()) {
      throw new OpenTsdbError(400, "Missing UID");
    }
    if (type == null || type.isEmpty()) {
      throw new OpenTsdbError(400, "Missing type");
    }
    return new Asked(kind(type, 400), uid, UidMeta.of(body));
  }

  private static Asked inUrl(Exchange exchange) {
    String uid = required(exchange, "uid");
    Tsuid.Kind kind = kind(required(exchange, "type"), 500);
    UidMeta meta =
        new UidMeta(
            orEmpty(exchange.parameter("display_name")),
            orEmpty(exchange.parameter("description")),
            orEmpty(exchange.parameter("notes")),
            0,
            null);
    return new Asked(kind, uid, meta);
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  static String required(Exchange exchange, String parameter) {
    String value = exchange.parameter(parameter);
    if (value == null || value.isEmpty()) {
      throw new OpenTsdbError(400, "Missing parameter <code>%s</code>".formatted(parameter));
    }
    return value;
  }

  private static Tsuid.Kind kind(String word, int status) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "metric", "metrics" -> Tsuid.Kind.METRIC;
      case "tagk" -> Tsuid.Kind.TAGK;
      case "tagv" -> Tsuid.Kind.TAGV;
      default -> throw new OpenTsdbError(status, "Invalid type requested: " + word);
    };
  }
}
