package dev.varve.server.security;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.varve.server.http.HttpError;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Verifies passwords against bcrypt hashes, which is slow by design. One thread computes; results
 * are cached under a keyed hash, so that no password stays in memory. Thread-safe.
 */
final class Passwords implements AutoCloseable {
  /** Maximum number of verifications that wait. */
  static final int QUEUE = 64;

  /** Maximum cost: each verification then takes a few seconds. */
  private static final int COST_MAX = 16;

  /** Maximum number of results of each kind in the cache. */
  private static final int CACHED = 1_000;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Bytes that bcrypt takes into account, without the final zero. */
  private static final int PASSWORD_MAX = 72;

  private static final Pattern HASH = Pattern.compile("\\$2[aby]?\\$(\\d\\d)\\$[./A-Za-z0-9]{53}");

  private final ThreadPoolExecutor thread;
  private final SecretKeySpec key;
  private final Duration patience;

  /** Passwords that were right; apart from the others, so that guesses do not evict them. */
  private final Cache<ByteBuffer, Boolean> right =
      Caffeine.newBuilder().maximumSize(CACHED).build();

  private final Cache<ByteBuffer, Boolean> wrong =
      Caffeine.newBuilder().maximumSize(CACHED).build();

  private final Map<ByteBuffer, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();

  /**
   * Limits the platform threads that wait. Requests of operators run on a few of them, which must
   * remain free to answer whether the server is alive.
   */
  private final Semaphore few = new Semaphore(2);

  Passwords() {
    this(PATIENCE);
  }

  /**
   * @param patience time after which a verification is answered with 503
   */
  Passwords(Duration patience) {
    this.patience = patience;
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    key = new SecretKeySpec(secret, "HmacSHA256");
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUE),
            Thread.ofPlatform().daemon().name("varve-bcrypt").factory());
  }

  /** Returns why a text is no usable hash; null if it is one. */
  static @Nullable String problem(String hash) {
    Matcher matcher = HASH.matcher(hash);
    if (!matcher.matches()) {
      return "is no bcrypt hash ('htpasswd -nBC 10 NAME' makes one)";
    }
    int cost = Integer.parseInt(matcher.group(1));
    return cost >= 4 && cost <= COST_MAX
        ? null
        : "has cost %d, and from 4 to %d are taken".formatted(cost, COST_MAX);
  }

  /** Returns whether a text is a bcrypt hash. */
  static boolean isHash(String text) {
    return HASH.matcher(text).matches();
  }

  /**
   * Returns whether a password is right.
   *
   * @param user the user whose password it is
   * @param late runs, on any thread, if the password turns out to be wrong after the answer 503, so
   *     that guesses count even if nobody waits for them
   * @throws HttpError 503 if too many verifications wait
   */
  boolean verify(String user, String password, String hash, Runnable late) {
    ByteBuffer proof = proof(user, password, hash);
    Boolean known = right.getIfPresent(proof);
    if (known == null) {
      known = wrong.getIfPresent(proof);
    }
    if (known != null) {
      return known;
    }
    boolean isFew = !Thread.currentThread().isVirtual();
    if (isFew && !few.tryAcquire()) {
      throw busy();
    }
    try {
      return await(underWay.computeIfAbsent(proof, absent -> begin(absent, password, hash)), late);
    } finally {
      if (isFew) {
        few.release();
      }
    }
  }

  private boolean await(CompletableFuture<Boolean> result, Runnable late) {
    try {
      return result.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      // Counted below.
    } catch (ExecutionException e) {
      throw busy();
    }
    var _ =
        result.thenAccept(ok -> {
          if (!ok) {
            late.run();
          }
        });
    throw busy();
  }

  private CompletableFuture<Boolean> begin(ByteBuffer proof, String password, String hash) {
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    try {
      thread.execute(() -> {
        try {
          boolean ok = compute(password, hash);
          (ok ? right : wrong).put(proof, ok);
          result.complete(ok);
        } catch (RuntimeException e) {
          result.completeExceptionally(e);
        } finally {
          underWay.remove(proof);
        }
      });
    } catch (RejectedExecutionException e) {
      throw busy();
    }
    return result;
  }

  private static boolean compute(String password, String hash) {
    byte[] bytes = password.getBytes(StandardCharsets.UTF_8);
    try {
      return bytes.length <= PASSWORD_MAX
          && BCrypt.verifyer().verify(bytes, hash.getBytes(StandardCharsets.US_ASCII)).verified;
    } catch (IllegalArgumentException e) {
      // A password that bcrypt does not take.
      return false;
    }
  }

  private static HttpError busy() {
    return new HttpError(
        503, "too many passwords wait to be verified: try again soon", Duration.ofSeconds(1));
  }

  private ByteBuffer proof(String user, String password, String hash) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      for (String part : new String[] {user, hash, password}) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        mac.update(ByteBuffer.allocate(4).putInt(bytes.length).flip());
        mac.update(bytes);
      }
      return ByteBuffer.wrap(mac.doFinal());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
