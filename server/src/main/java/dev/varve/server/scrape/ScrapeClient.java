package dev.varve.server.scrape;

import dev.varve.server.compression.GzipInput;
import dev.varve.server.config.Url;
import dev.varve.server.http.HeldBytes;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.LimitedInput;
import dev.varve.server.http.OverBudgetException;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.scrape.ScrapeConfig.Credentials;
import dev.varve.server.scrape.ScrapeConfig.Tls;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Fetches the metrics that the targets of one job expose. Thread-safe. */
final class ScrapeClient implements AutoCloseable {
  /** Maximum size of an answer in bytes, whatever a job allows. */
  static final int BODY_MAX = 256 << 20;

  private static final String ACCEPT =
      "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
          + "application/openmetrics-text;version=0.0.1;q=0.5,"
          + "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
          + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2";

  private final ScrapeConfig job;
  private final String agent;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient client;

  /**
   * @param version of the server, for the User-Agent header
   * @throws IllegalArgumentException if the certificates of trusted authorities cannot be read
   */
  ScrapeClient(ScrapeConfig job, String version) {
    this.job = job;
    this.agent = "Varve/" + version;
    // Credentials must not be redirected to another server.
    boolean follow = job.followRedirects() && job.credentials() == null;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .executor(threads)
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(follow ? Redirect.NORMAL : Redirect.NEVER);
    SSLContext trust = trust(job.tls());
    if (trust != null) {
      builder.sslContext(trust);
    }
    this.client = builder.build();
  }

  /**
   * The answer of a target.
   *
   * @param contentType empty if the target sent none
   */
  record Answer(String contentType, byte[] body) {}

  /**
   * Scrapes a target.
   *
   * @param memory accounts for the answer in all its forms
   * @throws ScrapeException if the target does not answer successfully within its timeout
   * @throws OverBudgetException if the decompressed answer does not fit in memory
   */
  Answer fetch(Target target, Reservation memory) throws ScrapeException, InterruptedException {
    long max = job.limits().body() > 0 ? Math.min(job.limits().body(), BODY_MAX) : BODY_MAX;
    try (Limited limited = new Limited(max, memory)) {
      return fetch(target, limited, max, memory);
    }
  }

  private Answer fetch(Target target, Limited limited, long max, Reservation memory)
      throws ScrapeException, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> sent =
        client.sendAsync(request(target), head -> limited);
    try {
      HttpResponse<byte[]> answer = sent.get(target.timeout().toMillis(), TimeUnit.MILLISECONDS);
      if (answer.statusCode() != 200) {
        throw new ScrapeException("server returned HTTP status %d".formatted(answer.statusCode()));
      }
      String encoding = answer.headers().firstValue("Content-Encoding").orElse("");
      byte[] body =
          encoding.equals("gzip") ? decompressed(answer.body(), max, memory) : answer.body();
      return new Answer(answer.headers().firstValue("Content-Type").orElse(""), body);
    } catch (TimeoutException e) {
      throw new ScrapeException(
          "no answer within the scrape timeout of " + Target.text(target.timeout()));
    } catch (ExecutionException e) {
      throw new ScrapeException(reason(e.getCause()));
    } finally {
      sent.cancel(true);
    }
  }

  private static String reason(@Nullable Throwable cause) {
    if (cause == null) {
      return "the request failed";
    }
    String message = cause.getMessage();
    return message == null || message.isEmpty()
        ? cause.getClass().getSimpleName()
        : Url.redacted(message);
  }

  private HttpRequest request(Target target) throws ScrapeException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(target.url())
            .header("Accept", ACCEPT)
            .header("Accept-Encoding", job.compression() ? "gzip" : "identity")
            .header("User-Agent", agent)
            .header("X-Prometheus-Scrape-Timeout-Seconds", seconds(target.timeout()));
    Credentials credentials = job.credentials();
    if (credentials != null) {
      request.header("Authorization", authorization(credentials));
    }
    return request.build();
  }

  private static String seconds(Duration duration) {
    return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString();
  }

  /** Files are read each time because secrets are rotated. */
  private static String authorization(Credentials credentials) throws ScrapeException {
    return switch (credentials) {
      case Credentials.Basic(String username, String password, Path file) ->
          "Basic "
              + Base64.getEncoder()
                  .encodeToString(
                      (username + ":" + (file == null ? password : secret(file)))
                          .getBytes(StandardCharsets.UTF_8));
      case Credentials.Header(String type, String given, Path file) ->
          type + " " + (file == null ? given : secret(file));
    };
  }

  private static String secret(Path file) throws ScrapeException {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new ScrapeException("cannot read the credentials in '" + file + "'");
    }
  }

  /**
   * Decompresses a gzip body.
   *
   * @param max maximum decompressed size in bytes, at most {@link #BODY_MAX}
   * @param memory accounts for the decompressed body
   * @throws ScrapeException if the body is larger or not valid gzip
   * @throws OverBudgetException if it does not fit in memory
   */
  static byte[] decompressed(byte[] body, long max, Reservation memory) throws ScrapeException {
    try (InputStream gzip = new GzipInput(new ByteArrayInputStream(body));
        InputStream in = new LimitedInput(gzip, max, "answer")) {
      return HeldBytes.readAll(in, 0, memory);
    } catch (HttpError e) {
      throw tooLarge(max);
    } catch (EOFException e) {
      throw new ScrapeException("the answer is not valid gzip: it ends in the middle");
    } catch (IOException e) {
      throw new ScrapeException("the answer is not valid gzip: " + reason(e));
    }
  }

  private static ScrapeException tooLarge(long max) {
    return new ScrapeException(
        "body size limit exceeded: the answer is larger than %,d bytes".formatted(max));
  }

  /** Collects a body within its size limit and the memory budget. */
  private static final class Limited implements BodySubscriber<byte[]>, AutoCloseable {
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final List<byte[]> pieces = new ArrayList<>();
    private final long max;
    private final Reservation memory;
    private int length;
    private boolean closed;
    private Flow.@Nullable Subscription subscription;

    private Limited(long max, Reservation memory) {
      this.max = max;
      this.memory = memory;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
      return body;
    }

    @Override
    public synchronized void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(Long.MAX_VALUE);
    }

    @Override
    public synchronized void onNext(List<ByteBuffer> buffers) {
      for (ByteBuffer buffer : buffers) {
        if (closed) {
          return;
        }
        if (length + (long) buffer.remaining() > max) {
          fail(tooLarge(max));
          return;
        }
        try {
          memory.holdWaiting(buffer.remaining());
        } catch (OverBudgetException e) {
          fail(new ScrapeException(noRoom(e)));
          return;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        pieces.add(bytes);
        length += bytes.length;
      }
    }

    private void fail(ScrapeException reason) {
      closed = true;
      pieces.clear();
      if (subscription != null) {
        subscription.cancel();
      }
      body.completeExceptionally(reason);
    }

    @Override
    public void onError(Throwable failure) {
      body.completeExceptionally(failure);
    }

    @Override
    public synchronized void onComplete() {
      if (closed) {
        return;
      }
      try {
        memory.hold(length);
      } catch (OverBudgetException e) {
        fail(new ScrapeException(noRoom(e)));
        return;
      }
      ByteBuffer whole = ByteBuffer.allocate(length);
      pieces.forEach(whole::put);
      pieces.clear();
      memory.letGo(length);
      body.complete(whole.array());
    }

    /** From here on, later data is discarded and does not use the memory. */
    @Override
    public synchronized void close() {
      closed = true;
      pieces.clear();
    }
  }

  /** Returns why a scrape failed for lack of memory. */
  static String noRoom(OverBudgetException refusal) {
    return "not enough memory for the answer: " + refusal.getMessage();
  }

  /** Returns null for the platform's trust store. */
  private static @Nullable SSLContext trust(Tls tls) {
    if (tls.authorities() == null && !tls.insecure()) {
      return null;
    }
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          null,
          tls.insecure() ? new TrustManager[] {new Anybody()} : managers(tls.authorities()),
          null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException(
          "tls_config: cannot use '%s': %s".formatted(tls.authorities(), e.getMessage()), e);
    }
  }

  private static TrustManager @Nullable [] managers(@Nullable Path authorities)
      throws GeneralSecurityException, IOException {
    if (authorities == null) {
      return null;
    }
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream in = Files.newInputStream(authorities)) {
      int number = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("authority-" + number++, one);
      }
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  /** Trusts every certificate and host name, for insecure_skip_verify. */
  private static final class Anybody extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(
        X509Certificate[] chain, String type, java.net.@Nullable Socket socket) {}

    @Override
    public void checkServerTrusted(
        X509Certificate[] chain, String type, java.net.@Nullable Socket socket) {}

    @Override
    public void checkClientTrusted(
        X509Certificate[] chain, String type, @Nullable SSLEngine engine) {}

    @Override
    public void checkServerTrusted(
        X509Certificate[] chain, String type, @Nullable SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
    threads.shutdownNow();
  }
}
