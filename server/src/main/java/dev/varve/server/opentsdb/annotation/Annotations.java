package dev.varve.server.opentsdb.annotation;

import dev.varve.engine.Dataset;
import dev.varve.engine.NoteTable;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Right;
import dev.varve.server.opentsdb.query.JsonAnswer;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.NoteKeys;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.QueryTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** {@code /api/annotation}, {@code /api/annotations} and {@code /api/annotation/bulk}. */
public final class Annotations {
  /** Memory of an annotation with the texts that were posted, in bytes. */
  private static final long ANNOTATION_BYTES = 400;

  private final DialectContext context;
  private final String language;

  /**
   * Creates the handlers.
   *
   * @param language under which reads are counted
   */
  public Annotations(DialectContext context, String language) {
    this.context = context;
    this.language = language;
  }

  /** The operation that a request asks for by its method, which a GET may override. */
  private enum Wish {
    READ,
    MERGE,
    REPLACE,
    DELETE
  }

  private static Wish wish(Exchange exchange) {
    Wish wish = wanted(exchange);
    if (exchange.method().equals("GET") && wish != Wish.READ) {
      exchange.requireOrigin();
      exchange.require(needs(exchange));
    }
    return wish;
  }

  /**
   * Returns the rights that a request needs in addition to the right of its method, because {@code
   * method_override} names another method.
   *
   * @throws OpenTsdbError 405 if there is no operation for the method
   */
  public static Set<Right> needs(Exchange exchange) {
    if (!exchange.method().equals("GET")) {
      return Set.of();
    }
    return switch (wanted(exchange)) {
      case READ -> Set.of();
      case MERGE, REPLACE -> Set.of(Right.WRITE);
      case DELETE -> Set.of(Right.DELETE);
    };
  }

  private static Wish wanted(Exchange exchange) {
    String override = exchange.parameter("method_override");
    String method = exchange.method();
    return wish(
        method.equals("GET") && override != null ? override.toUpperCase(Locale.ROOT) : method);
  }

  private static Wish wish(String method) {
    return switch (method) {
      case "GET" -> Wish.READ;
      case "POST" -> Wish.MERGE;
      case "PUT" -> Wish.REPLACE;
      case "DELETE" -> Wish.DELETE;
      default ->
          throw new OpenTsdbError(
              405,
              "Method not allowed",
              "The HTTP method [%s] is not permitted for this endpoint".formatted(method));
    };
  }

  /** An operation on annotations. */
  private interface Work {
    void on(AnnotationStore store) throws IOException;
  }

  /** Runs an operation on the annotations that the caller may use. */
  private void run(Exchange exchange, Work work) throws IOException {
    Dataset dataset = context.dataset(exchange);
    if (dataset.isBound()) {
      query(exchange, "annotation", (store, use) -> work.on(store));
    } else {
      work.on(store(dataset));
    }
  }

  /** An operation on annotations that runs as a query. */
  private interface Question {
    void on(AnnotationStore store, QueryUse use) throws IOException;
  }

  private void query(Exchange exchange, String text, Question question) throws IOException {
    Dataset dataset = context.dataset(exchange);
    Dataset whole = context.wholeDataset(exchange);
    context.query(
        exchange,
        dataset,
        language,
        text,
        use -> {
          AnnotationStore all = store(whole);
          question.on(
              dataset.isBound()
                  ? new BoundAnnotations(all, new NoteKeys(dataset, whole, use))
                  : all,
              use);
        });
  }

  static AnnotationStore store(Dataset dataset) {
    NoteTable notes = dataset.originals().notes();
    return notes == null ? new HomeAnnotations(dataset.services()) : new TableAnnotations(notes);
  }

  /** {@code GET|POST|PUT|DELETE /api/annotation}. */
  public void one(Exchange exchange) throws IOException {
    Wish wish = wish(exchange);
    byte[] body = exchange.wholeBody();
    Annotation asked =
        body.length == 0 ? inUrl(exchange) : Annotation.of(JsonBody.read(body, exchange.memory()));
    run(
        exchange,
        store -> {
          switch (wish) {
            case READ -> answer(exchange, found(store, asked));
            case MERGE, REPLACE -> {
              if (!asked.isEmpty()) {
                answer(exchange, save(store, asked, wish == Wish.REPLACE));
              } else {
                exchange.answer(304, JsonAnswer.TYPE, "");
              }
            }
            case DELETE -> {
              requireStart(asked);
              store.delete(Tsuids.normal(asked.tsuid()), asked.startTime());
              exchange.answer(204, JsonAnswer.TYPE, "");
            }
          }
        });
  }

  private static Annotation found(AnnotationStore store, Annotation asked) {
    requireStart(asked);
    Annotation stored = store.get(Tsuids.normal(asked.tsuid()), asked.startTime());
    if (stored == null) {
      throw new OpenTsdbError(404, "Unable to locate annotation in storage");
    }
    return stored;
  }

  private static void requireStart(Annotation asked) {
    if (asked.startTime() < 1) {
      throw new OpenTsdbError(400, "The start timestamp has not been set");
    }
  }

  private static Annotation save(AnnotationStore store, Annotation asked, boolean replaces) {
    requireStart(asked);
    try {
      return store.save(asked, replaces);
    } catch (IllegalArgumentException e) {
      throw new OpenTsdbError(400, String.valueOf(e.getMessage()));
    }
  }

  /** Reads an annotation from a URL, where times are in seconds. */
  private Annotation inUrl(Exchange exchange) {
    long start = time(exchange.parameter("start_time"));
    if (start < 1) {
      throw new OpenTsdbError(400, "Missing start time");
    }
    String tsuid = exchange.parameter("tsuid");
    return new Annotation(
        orEmpty(tsuid),
        start / 1000,
        time(exchange.parameter("end_time")) / 1000,
        orEmpty(exchange.parameter("description")),
        orEmpty(exchange.parameter("notes")),
        null);
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  /** Returns a time in milliseconds since 1970; -1 if there is none. */
  private long time(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return -1;
    }
    try {
      return QueryTime.parse(text, null, context.clock().millis());
    } catch (IllegalArgumentException e) {
      throw new OpenTsdbError(400, String.valueOf(e.getMessage()));
    }
  }

  /** {@code GET /api/annotations}: those of all series. */
  public void list(Exchange exchange) throws IOException {
    Annotation asked = inUrl(exchange);
    long end = asked.endTime() == 0 ? context.clock().millis() / 1000 : asked.endTime();
    if (end < asked.startTime()) {
      throw new OpenTsdbError(400, "The end timestamp cannot be less than the start timestamp");
    }
    query(
        exchange,
        "annotations",
        (store, use) -> {
          List<Annotation> found = GlobalNotes.of(store, asked.startTime(), end, use);
          JsonAnswer.write(exchange, json -> write(found, json));
        });
  }

  /** {@code POST|PUT|DELETE /api/annotation/bulk}. */
  public void bulk(Exchange exchange) throws IOException {
    Wish wish = wish(exchange);
    if (wish == Wish.READ) {
      throw new OpenTsdbError(
          405, "Method not allowed", "The HTTP method [GET] is not permitted for this endpoint");
    }
    if (wish == Wish.DELETE) {
      deleteAll(exchange);
      return;
    }
    run(
        exchange,
        store -> {
          List<Annotation> saved = new ArrayList<>();
          for (JsonBody body : JsonBody.readAll(exchange.wholeBody(), exchange.memory())) {
            exchange.memory().hold(ANNOTATION_BYTES);
            Annotation asked = Annotation.of(body);
            if (!asked.isEmpty()) {
              saved.add(save(store, asked, wish == Wish.REPLACE));
            }
          }
          JsonAnswer.write(exchange, json -> write(saved, json));
        });
  }

  private void deleteAll(Exchange exchange) throws IOException {
    byte[] body = exchange.wholeBody();
    BulkDelete asked =
        body.length == 0
            ? BulkDelete.inUrl(exchange::parameter)
            : BulkDelete.of(JsonBody.read(body, exchange.memory()));
    String start = asked.startTime();
    if (start == null || start.isEmpty()) {
      throw new OpenTsdbError(400, "Missing the start time value");
    }
    if (!asked.global() && asked.tsuids().isEmpty()) {
      throw new OpenTsdbError(400, "Missing the TSUIDs or global annotations flag");
    }
    long from = time(start);
    String end = asked.endTime();
    long to = end == null || end.isEmpty() ? context.clock().millis() : time(end);
    if (to < from) {
      throw new OpenTsdbError(400, "The end timestamp cannot be less than the start timestamp");
    }
    query(
        exchange,
        "delete annotations",
        (store, use) -> {
          long deleted = asked.global() ? delete(store, "", from, to, use) : 0;
          for (String tsuid : asked.tsuids()) {
            deleted += delete(store, Tsuids.normal(tsuid), from, to, use);
          }
          long total = deleted;
          JsonAnswer.write(exchange, json -> asked.write(from, to, total, json));
        });
  }

  private static long delete(
      AnnotationStore store, String tsuid, long from, long to, QueryUse use) {
    List<Annotation> found = store.between(tsuid, from, to, use);
    found.forEach(one -> store.delete(tsuid, one.startTime()));
    return found.size();
  }

  private static void answer(Exchange exchange, Annotation annotation) {
    JsonAnswer.write(exchange, annotation::write);
  }

  static void write(List<Annotation> annotations, JsonGenerator json) {
    json.writeStartArray();
    annotations.forEach(one -> one.write(json));
    json.writeEndArray();
  }
}
