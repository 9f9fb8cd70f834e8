package dev.varve.server.http;

import dev.varve.server.compression.GzipInput;
import dev.varve.server.compression.ZstdInput;
import dev.varve.server.compression.ZstdWindow;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request and its answer, with blocking streams. For one thread.
 *
 * <p>An answer is sent once 32 KiB of it are written or the handler returns; until then an error
 * can replace it. Closing the stream of the answer ends the body, not the answer: a handler that
 * closes the stream because of an exception has not answered.
 */
public abstract class Exchange {
  /** Maximum length of a body that is a question; points are read as a stream. */
  public static final int QUESTION_MAX = 1 << 20;

  /** A window of 8 MiB, the minimum that the zstd format recommends for decoders. */
  private static final int ZSTD_WINDOW_LOG_MAX = 23;

  /** Memory of a gzip decoder with its window and buffers, in bytes. */
  private static final int GZIP_DECODER = 64 << 10;

  /** Memory of a zstd decoder in addition to its window, in bytes. */
  private static final int ZSTD_DECODER = 384 << 10;

  private final Map<String, String> headers = new LinkedHashMap<>();
  private HttpLimits limits = HttpLimits.DEFAULTS;
  private String path = "";
  private List<String> variables = List.of();
  private @Nullable String dataset;
  private Runnable originCheck = () -> {};
  private Caller caller = Caller.UNKNOWN;
  private boolean audited;
  private byte[] question = {};
  private int status = 200;
  private volatile @Nullable HeldAnswer answer;
  private @Nullable LimitedInput rawBody;
  private @Nullable ReceivedBody received;
  private LongBodies.@Nullable Turn turn;
  private @Nullable Reservation memory;

  public abstract String method();

  /** Returns the path as it was sent, not decoded, without the query. */
  public abstract String rawPath();

  /** Returns the query of the URL as it was sent, not decoded; empty if there is none. */
  public abstract String rawQuery();

  /** Returns the first value of a query parameter, decoded; null if it is absent. */
  public abstract @Nullable String parameter(String name);

  /** Returns all values of a query parameter, decoded. */
  public abstract List<String> parameters(String name);

  /** Returns the first value of a header; null if it is absent. Names are case-insensitive. */
  public abstract @Nullable String header(String name);

  /** Returns the body as it arrives. Called at most once. */
  protected abstract InputStream transportBody() throws IOException;

  /**
   * Sends status and headers.
   *
   * @param length length of the body; -1 if it is unknown
   * @return receives the body; closing it ends the answer
   */
  protected abstract OutputStream commit(int code, Map<String, String> fields, long length)
      throws IOException;

  /** Closes the connection, so that the client notices that the answer is incomplete. */
  protected abstract void breakOff();

  /**
   * Runs an action on another thread, at most once, within 100 ms after the client disconnects or
   * the request times out.
   */
  public abstract void onAbort(Runnable cancel);

  /** Runs an action on another thread, at most once, within 100 ms after the client disconnects. */
  public abstract void onGone(Runnable cancel);

  /** Returns whether the request has timed out. */
  public abstract boolean timedOut();

  /** Returns the address of the client, with its port unless a trusted proxy is in between. */
  public abstract String client();

  /** Returns whether the request came to a listener on a loopback address. */
  public abstract boolean onLoopback();

  /** Returns whether the request came through the Unix socket of this machine. */
  public boolean isLocal() {
    return false;
  }

  /** Returns whether the connection to this server is encrypted. */
  public boolean isEncrypted() {
    return false;
  }

  /** Returns the certificate that the client sent, verified or not; null for none. */
  public @Nullable X509Certificate clientCertificate() {
    return null;
  }

  /** Returns the client for limits per client. */
  public abstract ClientAddress clientAddress();

  /**
   * Closes the connection during the answer, so that no write waits for it any longer. Does nothing
   * once the answer is complete, because the connection may then serve another request.
   */
  protected abstract void hangUp();

  /**
   * Aborts an answer that is being sent; its writer fails. May be called by any thread. Does
   * nothing if nothing was sent yet, so that an error can still replace the answer.
   */
  public final void abandonAnswer() {
    if (committed()) {
      hangUp();
    }
  }

  /** Returns the path within the dialect, as it was sent. */
  public final String path() {
    return path;
  }

  /** Returns the variable segments of the path, decoded. */
  public final List<String> variables() {
    return variables;
  }

  /** Returns the dataset that the request names; null if it names none. */
  public final @Nullable String dataset() {
    return dataset;
  }

  public final void status(int code) {
    status = code;
  }

  public final int status() {
    return status;
  }

  /** Sets a header of the answer. */
  public final void header(String name, String value) {
    headers.put(name, value);
  }

  /** Returns a required query parameter. */
  public final String required(String name) {
    String value = parameter(name);
    if (value == null) {
      throw HttpError.badRequest("the parameter '" + name + "' is missing");
    }
    return value;
  }

  /**
   * Returns the reservation for the memory of the request's data, above all its body in every form.
   * It is released when the request is answered.
   */
  public final Reservation memory() {
    Reservation begun = memory;
    if (begun == null) {
      begun = WriteBudget.unlimited();
      memory = begun;
    }
    return begun;
  }

  /**
   * Waits until the whole body has arrived. It is processed afterwards, so that a request that
   * waits for its client holds nothing that others wait for.
   *
   * @throws HttpError 413 at once if the announced length is too large, or later if the actual
   *     length is
   * @throws OverBudgetException if there is no room for it
   */
  final void receive() throws IOException {
    receive(limits.body(), "body");
  }

  private ReceivedBody receive(long max, String what) throws IOException {
    ReceivedBody known = received;
    if (known != null) {
      return known;
    }
    requireTaken(header("Content-Length"), max, what);
    // Closing it reads and discards the rest.
    try (LimitedInput raw = new LimitedInput(transportBody(), max, what)) {
      rawBody = raw;
      ReceivedBody whole = ReceivedBody.receive(raw, memory());
      received = whole;
      return whole;
    }
  }

  private void requireTaken(@Nullable String length, long max, String what) {
    if (length == null) {
      return;
    }
    try {
      long announced = Long.parseLong(length.trim());
      if (announced > max) {
        throw LimitedInput.tooLarge(what, max);
      }
      memory().requirePossible(announced);
    } catch (NumberFormatException e) {
      throw HttpError.badRequest("'" + length + "' is no Content-Length");
    }
  }

  /**
   * Returns the body, decompressed by its {@code Content-Encoding}.
   *
   * @throws HttpError 413 at once if the announced length is too large, or from the stream if the
   *     actual length is; 415 for an unknown encoding
   * @throws OverBudgetException if there is no room for it
   */
  public final InputStream body() throws IOException {
    return body(header("Content-Encoding"));
  }

  /** Returns the body, decompressed by the given encoding. */
  public final InputStream body(@Nullable String encoding) throws IOException {
    ReceivedBody raw = receive(limits.body(), "body");
    LongBodies.Turn known = turn;
    return known == null ? decoded(raw, encoding) : known.input(decoded(raw, encoding));
  }

  /**
   * Waits until a body of known decompressed length may be read.
   *
   * @throws HttpError 413 if it is too long
   */
  public final void awaitTurn(long length) {
    if (length > limits.decodedBody()) {
      throw LimitedInput.tooLarge("decompressed body", limits.decodedBody());
    }
    LongBodies.Turn known = turn;
    if (known != null) {
      known.await(length);
    }
  }

  private InputStream decoded(ReceivedBody raw, @Nullable String encoding) throws IOException {
    return switch (encoding == null ? "identity" : encoding.trim().toLowerCase(Locale.ROOT)) {
      case "identity", "" -> raw;
      case "gzip", "x-gzip" -> {
        memory().hold(GZIP_DECODER);
        yield limited(new GzipInput(raw));
      }
      case "zstd" -> {
        memory().hold(ZSTD_DECODER + ZstdWindow.of(raw.ahead(), 1 << ZSTD_WINDOW_LOG_MAX));
        yield limited(new ZstdInput(raw, ZSTD_WINDOW_LOG_MAX));
      }
      default ->
          throw new HttpError(
              415, "bodies are taken plain or in gzip or zstd, not in '" + encoding + "'");
    };
  }

  private InputStream limited(InputStream in) {
    return new LimitedInput(in, limits.decodedBody(), "decompressed body");
  }

  /**
   * Returns the body of a question.
   *
   * @throws HttpError 413 if it is longer than {@link #QUESTION_MAX}
   * @throws OverBudgetException if there is no room for it
   */
  public final byte[] wholeBody() throws IOException {
    return wholeBody(header("Content-Encoding"));
  }

  /** Returns the body of a question, decompressed by the given encoding. */
  public final byte[] wholeBody(@Nullable String encoding) throws IOException {
    String what = "body of a query";
    ReceivedBody raw = receive(QUESTION_MAX, what);
    try (InputStream in = new LimitedInput(decoded(raw, encoding), QUESTION_MAX, what)) {
      question = HeldBytes.readAll(in, raw.available(), memory());
      return question;
    }
  }

  /** Returns the body of a question that a handler has read; empty if it has read none. */
  final byte[] question() {
    return question;
  }

  /**
   * Returns the whole body, as it was sent.
   *
   * @throws HttpError 413 if it is too long
   * @throws OverBudgetException if there is no room for it
   */
  public final byte[] bodyAsSent() throws IOException {
    try (ReceivedBody raw = receive(limits.body(), "body")) {
      return HeldBytes.readAll(raw, raw.available(), memory());
    }
  }

  /**
   * Checks the decompressed length that the body of a question announces.
   *
   * @throws HttpError 413 if it is longer than {@link #QUESTION_MAX}
   */
  public static void requireQuestionLength(long length) {
    if (length > QUESTION_MAX) {
      throw LimitedInput.tooLarge("decompressed body of a query", QUESTION_MAX);
    }
  }

  /**
   * Rejects the request if a page of another origin sent it and may not change anything. For
   * handlers of routes that only read unless the body asks for more.
   *
   * @throws HttpError 403
   */
  public final void requireOrigin() {
    originCheck.run();
  }

  final void originCheck(Runnable check) {
    originCheck = check;
  }

  /** Returns the sender of the request. */
  public final Caller caller() {
    return caller;
  }

  /**
   * Checks a right in addition to the route's, for handlers whose action depends on more than the
   * path.
   *
   * @throws HttpError 403 if the caller does not have it
   */
  public final void require(Right right) {
    auditIf(right);
    caller.require(right);
  }

  /**
   * Checks all of some rights; otherwise like {@link #require(Right)}.
   *
   * @throws HttpError 403 if the caller does not have one of them
   */
  public final void require(Set<Right> rights) {
    rights.stream().sorted().forEach(this::require);
  }

  /** Has the request recorded in the audit log if it uses such a right. */
  final void auditIf(Right right) {
    audited |= right == Right.ADMIN || right == Right.DELETE;
  }

  /** Returns whether the request is recorded in the audit log. */
  final boolean audited() {
    return audited;
  }

  final void caller(Caller known) {
    caller = known;
  }

  /** Begins the answer's body. */
  public final OutputStream answer(String contentType) {
    header("Content-Type", contentType);
    HeldAnswer begun = new HeldAnswer(this);
    answer = begun;
    return begun;
  }

  /** Answers with a short text. */
  public final void answer(int code, String contentType, String text) throws IOException {
    answer(code, contentType, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Answers with some bytes. */
  public final void answer(int code, String contentType, byte[] bytes) throws IOException {
    status(code);
    try (OutputStream out = answer(contentType)) {
      out.write(bytes);
    }
  }

  /** Answers without a body. */
  public final void answer(int code) {
    status(code);
    answer = new HeldAnswer(this);
  }

  /** Returns whether the answer can no longer be changed. */
  public final boolean committed() {
    HeldAnswer begun = answer;
    return begun != null && begun.isStarted();
  }

  /** Returns the received bytes of the body, before decompression. */
  final long bytesIn() {
    return rawBody == null ? 0 : rawBody.count();
  }

  /** Returns the bytes of the answer's body, before compression. */
  final long bytesOut() {
    HeldAnswer begun = answer;
    return begun == null ? 0 : begun.written();
  }

  /** Sends status and headers of the answer, as they are now. */
  final OutputStream commit(long length) throws IOException {
    return commit(status, headers, length);
  }

  /** Adds a request header that the answer depends on to {@code Vary}. */
  final void vary(String name) {
    headers.merge("Vary", name, (some, more) -> some + ", " + more);
  }

  /** Returns whether the answer has a header. */
  final boolean hasHeader(String name) {
    return headers.containsKey(name);
  }

  final void prepare(HttpLimits limits, WriteBudget budget) {
    this.limits = limits;
    this.memory = budget.open(clientAddress());
  }

  /** Makes a long body wait for its turn; {@link #giveBack} ends the turn. */
  final void waitFor(LongBodies.Turn given) {
    this.turn = given;
  }

  final HttpLimits limits() {
    return limits;
  }

  /**
   * Sets the parts of the path.
   *
   * @param open variable segments, decoded
   * @param named the dataset, decoded; null for none
   */
  final void route(String within, List<String> open, @Nullable String named) {
    path = within;
    variables = open;
    dataset = named;
  }

  /** Discards the answer so far, so that an error can replace it. */
  final void reset() {
    answer = null;
    headers.remove("Content-Type");
  }

  /** Sends the rest of the answer. */
  final void finish() throws IOException {
    HeldAnswer begun = answer;
    if (begun == null) {
      begun = new HeldAnswer(this);
      answer = begun;
    }
    begun.finish();
  }

  /** Releases the memory of the request's data when all of it is processed. */
  final void giveBack() {
    memory().close();
    LongBodies.Turn begun = turn;
    if (begun != null) {
      begun.end();
    }
  }

  /** Releases the memory of the compressor if the answer was broken off. */
  final void release() {
    HeldAnswer begun = answer;
    if (begun != null) {
      begun.release();
    }
  }
}
