package dev.varve.server.http;

import dev.varve.server.compression.GzipInput;
import dev.varve.server.compression.ZstdInput;
import dev.varve.server.compression.ZstdWindow;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request and its answer, with blocking streams. For one thread.
 *
 * <p>Nothing of the answer is sent before 32 KiB of it are written or its handler returns; until
 * then an error can still take its place. Closing the answer's stream ends what is written, not the
 * answer: a handler that closes it on the way out of an exception has not answered.
 */
public abstract class Exchange {
  /** Questions are short; whoever sends points streams them. */
  public static final int QUESTION_MAX = 1 << 20;

  private static final int ANSWER_BUFFER = 32 << 10;

  /** Below this an answer is not worth compressing. */
  private static final int COMPRESSED_MIN = 1 << 10;

  /** A window of 8 MiB: what zstd asks a decoder to allow at least. */
  private static final int ZSTD_WINDOW_LOG_MAX = 23;

  /** Bytes that a decoder of gzip takes, its window and buffers. */
  private static final int GZIP_DECODER = 64 << 10;

  /** Bytes that a decoder of zstd takes beside its window. */
  private static final int ZSTD_DECODER = 384 << 10;

  private final Map<String, String> headers = new LinkedHashMap<>();
  private HttpLimits limits = HttpLimits.DEFAULTS;
  private String path = "";
  private List<String> variables = List.of();
  private @Nullable String dataset;
  private int status = 200;
  private volatile @Nullable Answer answer;
  private @Nullable LimitedInput rawBody;
  private @Nullable ReceivedBody received;
  private LongBodies.@Nullable Turn turn;
  private @Nullable Reservation memory;

  public abstract String method();

  /** The path as it was sent, undecoded, without the query. */
  public abstract String rawPath();

  /** The first value of a parameter of the query, decoded; null where it is absent. */
  public abstract @Nullable String parameter(String name);

  /** All values of a parameter of the query, decoded. */
  public abstract List<String> parameters(String name);

  /** The first value of a header; null where it is absent. Names are of either case. */
  public abstract @Nullable String header(String name);

  /** The body as it comes. Called once at most. */
  protected abstract InputStream transportBody() throws IOException;

  /**
   * Sends status and headers.
   *
   * @param length of the body; -1 where it is not known
   * @return takes the body; closing it ends the answer
   */
  protected abstract OutputStream commit(int code, Map<String, String> fields, long length)
      throws IOException;

  /** Ends the connection, so that the receiver of half an answer knows that it is half. */
  protected abstract void breakOff();

  /**
   * Runs something, on another thread and once at most, when the client goes away or the time of
   * the request is up. It is told within 100 ms.
   */
  public abstract void onAbort(Runnable cancel);

  /**
   * Runs something, on another thread and once at most, when the client goes away. It is told
   * within 100 ms.
   */
  public abstract void onGone(Runnable cancel);

  /** Whether the time of the request is up. */
  public abstract boolean timedOut();

  /** The address of the client, and its port where no trusted proxy stands between. */
  public abstract String client();

  /** Whether it came to a listener on a loopback address. */
  public abstract boolean onLoopback();

  /** Whom limits per client count. */
  public abstract ClientAddress clientAddress();

  /**
   * Closes the connection under the answer, so that nobody goes on waiting to write to it. Nothing
   * happens once the answer is complete: the connection may be another request's by then.
   */
  protected abstract void hangUp();

  /**
   * Ends an answer that is on its way, from any thread: whoever writes it fails. Where nothing was
   * sent yet nothing happens, so that an error can still take its place.
   */
  public final void abandonAnswer() {
    if (committed()) {
      hangUp();
    }
  }

  /** The path within the dialect, as it was sent. */
  public final String path() {
    return path;
  }

  /** The segments of the path that its route has left open, decoded. */
  public final List<String> variables() {
    return variables;
  }

  /** The dataset that the request names; null where it names none. */
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

  /** A parameter of the query that has to be there. */
  public final String required(String name) {
    String value = parameter(name);
    if (value == null) {
      throw HttpError.badRequest("the parameter '" + name + "' is missing");
    }
    return value;
  }

  /**
   * What counts the memory that the request holds of what it has brought, its body in all its forms
   * above all. It is given back when the request is answered.
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
   * Waits until the body has come in whole, as it is sent. What it is read for comes after: who
   * waits for a client holds nothing that others wait for.
   *
   * @throws HttpError 413 at once where its announced length is too large, and on the way where it
   *     turns out to be
   * @throws OverBudgetException where there is no room for it
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
    // Closing it reads what is left, for which nothing is held.
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
   * The body, decompressed by its {@code Content-Encoding}.
   *
   * @throws HttpError 413 at once where its announced length is too large, and from the stream
   *     where it turns out to be; 415 where it is compressed in a way that is not known
   * @throws OverBudgetException where there is no room for it
   */
  public final InputStream body() throws IOException {
    return body(header("Content-Encoding"));
  }

  /** The body, decompressed as said. */
  public final InputStream body(@Nullable String encoding) throws IOException {
    ReceivedBody raw = receive(limits.body(), "body");
    LongBodies.Turn known = turn;
    return known == null ? decoded(raw, encoding) : known.input(decoded(raw, encoding));
  }

  /**
   * Waits until a body may be read that says how long it is once it is decompressed.
   *
   * @throws HttpError 413 where that is too much
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
   * The body of a request that is no more than a question.
   *
   * @throws HttpError 413 where it is larger than {@link #QUESTION_MAX}
   * @throws OverBudgetException where there is no room for it
   */
  public final byte[] wholeBody() throws IOException {
    return wholeBody(header("Content-Encoding"));
  }

  /** The body of a request that is no more than a question, decompressed as said. */
  public final byte[] wholeBody(@Nullable String encoding) throws IOException {
    String what = "body of a query";
    ReceivedBody raw = receive(QUESTION_MAX, what);
    try (InputStream in = new LimitedInput(decoded(raw, encoding), QUESTION_MAX, what)) {
      return HeldBytes.readAll(in, raw.available(), memory());
    }
  }

  /**
   * All of the body, as it was sent.
   *
   * @throws HttpError 413 where it is too large
   * @throws OverBudgetException where there is no room for it
   */
  public final byte[] bodyAsSent() throws IOException {
    try (ReceivedBody raw = receive(limits.body(), "body")) {
      return HeldBytes.readAll(raw, raw.available(), memory());
    }
  }

  /**
   * Checks what the body of a question says that it becomes once it is decompressed.
   *
   * @throws HttpError 413 where it is larger than {@link #QUESTION_MAX}
   */
  public static void requireQuestionLength(long length) {
    if (length > QUESTION_MAX) {
      throw LimitedInput.tooLarge("decompressed body of a query", QUESTION_MAX);
    }
  }

  /** Begins the answer's body. */
  public final OutputStream answer(String contentType) {
    header("Content-Type", contentType);
    Answer begun = new Answer();
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
    answer = new Answer();
  }

  /** Whether the answer can no longer be changed. */
  public final boolean committed() {
    Answer begun = answer;
    return begun != null && begun.target != null;
  }

  /** Bytes of the body that have come, before decompression. */
  final long bytesIn() {
    return rawBody == null ? 0 : rawBody.count();
  }

  /** Bytes of the answer's body, before compression. */
  final long bytesOut() {
    Answer begun = answer;
    return begun == null ? 0 : begun.written;
  }

  final void prepare(HttpLimits limits, WriteBudget budget) {
    this.limits = limits;
    this.memory = budget.open(clientAddress());
  }

  /** Lets the body wait for its turn where it is long; {@link #giveBack} ends that. */
  final void waitFor(LongBodies.Turn given) {
    this.turn = given;
  }

  final HttpLimits limits() {
    return limits;
  }

  /**
   * Says what the path holds.
   *
   * @param open segments, decoded
   * @param named the dataset, decoded; null for none
   */
  final void route(String within, List<String> open, @Nullable String named) {
    path = within;
    variables = open;
    dataset = named;
  }

  /** Forgets what has been set for the answer, in favour of an error. */
  final void reset() {
    answer = null;
    headers.remove("Content-Type");
  }

  /** Sends what was written. */
  final void finish() throws IOException {
    Answer begun = answer;
    if (begun == null) {
      begun = new Answer();
      answer = begun;
    }
    begun.finish();
  }

  /** Gives back what the request holds of what it has brought, once all of it is done with. */
  final void giveBack() {
    memory().close();
    LongBodies.Turn begun = turn;
    if (begun != null) {
      begun.end();
    }
  }

  /** Gives back what compressing the answer has taken, where the answer was broken off. */
  final void release() {
    Answer begun = answer;
    if (begun != null) {
      begun.release();
    }
  }

  /** What is sent as it is: what is short, and what the handler has compressed itself. */
  private Coding coding(long length) {
    boolean asItIs =
        headers.containsKey("Content-Encoding") || (length >= 0 && length < COMPRESSED_MIN);
    return asItIs ? Coding.IDENTITY : Coding.best(header("Accept-Encoding"));
  }

  /** The answer's body: held back at first, compressed where the client takes it. */
  private final class Answer extends OutputStream {
    private @Nullable ByteArrayOutputStream held = new ByteArrayOutputStream(1 << 10);
    private volatile @Nullable OutputStream target;
    private @Nullable Cut cut;
    private boolean closed;
    private long written;

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (closed) {
        throw new IOException("the answer is closed");
      }
      written += length;
      if (held != null && held.size() + length > ANSWER_BUFFER) {
        start(-1);
      }
      OutputStream begun = target;
      if (held != null) {
        held.write(bytes, offset, length);
      } else if (begun != null) {
        begun.write(bytes, offset, length);
      }
    }

    private void start(long length) throws IOException {
      ByteArrayOutputStream early = held;
      held = null;
      Coding coding = coding(length);
      headers.merge("Vary", "Accept-Encoding", (some, more) -> some + ", " + more);
      OutputStream begun;
      if (coding == Coding.IDENTITY) {
        begun = new ToClient(commit(status, headers, length));
      } else {
        header("Content-Encoding", coding.token());
        Cut out = new Cut(new ToClient(commit(status, headers, -1)));
        cut = out;
        begun = coding.into(out);
      }
      target = begun;
      if (early != null) {
        early.writeTo(begun);
      }
    }

    @Override
    public void flush() throws IOException {
      OutputStream begun = target;
      if (begun != null) {
        begun.flush();
      }
    }

    @Override
    public void close() {
      closed = true;
    }

    private void finish() throws IOException {
      closed = true;
      if (held != null) {
        start(held.size());
      }
      OutputStream begun = target;
      if (begun != null) {
        begun.close();
      }
    }

    private void release() {
      OutputStream begun = target;
      if (begun != null && cut != null) {
        cut.off = true;
        try {
          begun.close();
        } catch (IOException e) {
          throw new UncheckedIOException("a stream into nothing failed", e);
        }
      }
    }
  }

  /**
   * Tells a failure to write the answer from all else that fails by an {@link IOException}, through
   * whatever writes into it.
   */
  private static final class ToClient extends OutputStream {
    private final OutputStream out;

    ToClient(OutputStream out) {
      this.out = out;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      try {
        out.write(bytes, offset, length);
      } catch (IOException e) {
        throw new ClientGoneException(e);
      }
    }

    @Override
    public void flush() throws IOException {
      try {
        out.flush();
      } catch (IOException e) {
        throw new ClientGoneException(e);
      }
    }

    @Override
    public void close() throws IOException {
      try {
        out.close();
      } catch (IOException e) {
        throw new ClientGoneException(e);
      }
    }
  }

  /** Passes on what is written until it is cut off. */
  private static final class Cut extends FilterOutputStream {
    private boolean off;

    Cut(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int b) throws IOException {
      if (!off) {
        out.write(b);
      }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (!off) {
        out.write(bytes, offset, length);
      }
    }

    @Override
    public void flush() throws IOException {
      if (!off) {
        out.flush();
      }
    }

    @Override
    public void close() throws IOException {
      if (!off) {
        off = true;
        out.close();
      }
    }
  }
}
