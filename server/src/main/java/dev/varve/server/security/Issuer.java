package dev.varve.server.security;

import dev.varve.server.security.JwtRule.Keys.Published;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of an issuer of tokens (OpenID Connect Discovery). One thread fetches them; requests use
 * the keys of the last successful fetch. Thread-safe.
 */
final class Issuer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Issuer.class);

  /**
   * The times between fetches of keys.
   *
   * @param usual time between two fetches
   * @param least minimum time between two fetches, however many unknown keys tokens name
   * @param waitMax maximum time that a request waits for a fetch in progress
   */
  record Pace(Duration usual, Duration least, Duration waitMax) {
    static final Pace DEFAULT =
        new Pace(Duration.ofMinutes(15), Duration.ofSeconds(30), Duration.ofSeconds(2));
  }

  /** Maximum size of an answer in bytes. */
  static final int ANSWER_MAX = 1 << 20;

  private static final String DISCOVERY = "/.well-known/openid-configuration";
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration WHOLE = Duration.ofSeconds(10);

  private final Published published;
  private final Pace pace;
  private final HttpClient client;
  private final Thread thread;
  private final AtomicLong failures = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile @Nullable List<VerifyKey> keys;

  /** Number of fetches that have ended; guarded by the lock. */
  private long fetches;

  private boolean isFetching = true;
  private boolean isWanted;
  private long begun = System.nanoTime();

  /**
   * Begins to fetch the keys of an issuer.
   *
   * @throws IllegalArgumentException if the authorities cannot be used
   */
  Issuer(Published published, Pace pace) {
    this.published = published;
    this.pace = pace;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT);
    SSLContext trust = trust(published);
    this.client = (trust == null ? builder : builder.sslContext(trust)).build();
    this.thread = Thread.ofVirtual().name("varve-issuer").start(this::run);
  }

  private static @Nullable SSLContext trust(Published published) {
    try {
      return published.authorities() == null
          ? null
          : ClientTls.context(published.authorities(), null, null, false);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Returns the keys that may have signed a token. If it names an unknown key, they are fetched
   * again, unless the last fetch was a short time ago.
   *
   * @param id the key that the token names; null for any
   * @param waits whether to wait for a fetch in progress
   * @return null if no keys were fetched yet
   */
  @Nullable List<VerifyKey> keys(@Nullable String id, boolean waits) {
    List<VerifyKey> known = keys;
    if (known == null || (id != null && of(known, id).isEmpty())) {
      refresh(waits);
      known = keys;
    }
    return known == null || id == null ? known : of(known, id);
  }

  private static List<VerifyKey> of(List<VerifyKey> keys, String id) {
    return keys.stream().filter(key -> id.equals(key.id())).toList();
  }

  private void refresh(boolean waits) {
    lock.lock();
    try {
      long before = fetches;
      if (!isFetching && System.nanoTime() - begun >= pace.least().toNanos()) {
        isWanted = true;
        changed.signalAll();
      }
      long left = pace.waitMax().toNanos();
      while (waits && left > 0 && fetches == before && (isFetching || isWanted)) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    int failed = 0;
    try {
      while (true) {
        failed = fetched() ? 0 : failed + 1;
        // After a failure sooner, but ever less often.
        Duration longest =
            failed == 0
                ? pace.usual()
                : min(pace.least().multipliedBy(Math.min(failed, 20)), pace.usual());
        await(longest);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private void await(Duration longest) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      isFetching = false;
      isWanted = false;
      fetches++;
      changed.signalAll();
      long left = longest.toNanos();
      while (left > 0 && !isWanted) {
        left = changed.awaitNanos(left);
      }
      isFetching = true;
      begun = System.nanoTime();
    } finally {
      lock.unlock();
    }
  }

  private boolean fetched() throws InterruptedException {
    try {
      List<VerifyKey> found = VerifyKey.set(get(keySet()));
      if (found.isEmpty()) {
        throw new IOException("its key set has no key that verifies tokens");
      }
      keys = found;
      return true;
    } catch (IOException | IllegalArgumentException e) {
      failures.incrementAndGet();
      LOG.warn("issuer {}: its keys could not be fetched: {}", published.issuer(), e.getMessage());
      return false;
    }
  }

  /** Fetches the address of the keys from the issuer. */
  private URI keySet() throws IOException, InterruptedException {
    String issuer = published.issuer().toString();
    String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
    var document = JsonText.object(get(URI.create(base + DISCOVERY)));
    if (!issuer.equals(document.get("issuer"))) {
      throw new IOException("its discovery document is that of another issuer");
    }
    try {
      URI place = new URI(String.valueOf(document.get("jwks_uri")));
      String objection = objection(published.issuer(), place);
      if (objection != null) {
        throw new IOException(objection);
      }
      return place;
    } catch (URISyntaxException e) {
      throw new IOException("the address of its keys is none", e);
    }
  }

  /**
   * Returns why keys are not fetched from an address; null if they are. An issuer of HTTPS does not
   * point to plain HTTP, and one on loopback does not point to plain HTTP elsewhere.
   */
  static @Nullable String objection(URI issuer, URI place) {
    boolean weaker = "https".equals(issuer.getScheme()) && !"https".equals(place.getScheme());
    return weaker || !JwtSection.isProtected(place)
        ? "the address of its keys, %s, has no https".formatted(place)
        : null;
  }

  /** Gets a small document within a limited time. Redirects are not followed. */
  private byte[] get(URI from) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(from).timeout(WHOLE).header("Accept", "application/json").build();
    CompletableFuture<HttpResponse<byte[]>> answering =
        client.sendAsync(
            request,
            HttpResponse.BodyHandlers.limiting(
                HttpResponse.BodyHandlers.ofByteArray(), ANSWER_MAX));
    try {
      HttpResponse<byte[]> answer = answering.get(WHOLE.toMillis(), TimeUnit.MILLISECONDS);
      if (answer.statusCode() != 200) {
        throw new IOException("%s answers %d".formatted(from, answer.statusCode()));
      }
      return answer.body();
    } catch (ExecutionException e) {
      throw new IOException("%s: %s".formatted(from, e.getCause()), e);
    } catch (TimeoutException e) {
      throw new IOException("%s does not answer in time".formatted(from), e);
    } finally {
      answering.cancel(true);
    }
  }

  /** Returns the number of fetches that failed. */
  long failures() {
    return failures.get();
  }

  @Override
  public void close() {
    thread.interrupt();
    client.shutdownNow();
  }
}
