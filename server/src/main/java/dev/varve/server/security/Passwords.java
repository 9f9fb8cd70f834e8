package dev.varve.server.security;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.varve.server.http.ClientAddress;
import dev.varve.server.http.HttpError;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
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
 * Verifies passwords, which is slow by design for bcrypt hashes. One thread computes. Results are
 * cached under a keyed hash, so that no password stays in memory. A wrong password takes as long as
 * the slowest hash, for every user and every form of its password, so that response times do not
 * reveal which users exist. Thread-safe.
 */
final class Passwords implements AutoCloseable {
  /** Maximum number of verifications that wait. */
  static final int QUEUE = 64;

  /** Maximum cost: each verification then takes a few seconds. */
  private static final int COST_MAX = 16;

  /** Maximum number of results of each kind in the cache. */
  private static final int CACHED = 1_000;

  private static final Duration WAIT_MAX = Duration.ofSeconds(10);

  /** Bytes that bcrypt takes into account, without the final zero. */
  private static final int PASSWORD_MAX = 72;

  /** Salt and digest of a bcrypt hash whose password nobody knows. */
  private static final String NOBODY = "CwTycUXWue0Thq9StjUM0uJ8.6Dk2vdPbYBYhKO7EVzhqOqGqLmYK";

  private static final Pattern HASH = Pattern.compile("\\$2[aby]?\\$(\\d\\d)\\$[./A-Za-z0-9]{53}");

  /**
   * The password that is expected of a user.
   *
   * @param secret bcrypt hash or plain text; null if no password is right
   * @param cost cost of the slowest hash of all users; 0 if nobody has a hash
   */
  record Wanted(@Nullable String secret, int cost) {
    /** Leaves the secret out. */
    @Override
    public String toString() {
      return "a password";
    }
  }

  /** A verification in progress, and the client among whose attempts it counts. */
  private record Guess(ClientAddress client, String user, ByteBuffer proof) {}

  private final Attempts attempts;
  private final ThreadPoolExecutor thread;
  private final SecretKeySpec key;
  private final Duration waitMax;

  /** Passwords that were right; apart from the others, so that guesses do not evict them. */
  private final Cache<ByteBuffer, Boolean> right =
      Caffeine.newBuilder().maximumSize(CACHED).build();

  private final Cache<ByteBuffer, Boolean> wrong =
      Caffeine.newBuilder().maximumSize(CACHED).build();

  private final Map<Guess, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();

  /**
   * Limits the platform threads that wait. Requests of operators run on a few of them, which must
   * remain free to answer whether the server is alive.
   */
  private final Semaphore few = new Semaphore(2);

  /**
   * @param attempts counts wrong passwords
   */
  Passwords(Attempts attempts) {
    this(attempts, WAIT_MAX);
  }

  /**
   * @param waitMax time after which a verification is answered with 503
   */
  Passwords(Attempts attempts, Duration waitMax) {
    this.attempts = attempts;
    this.waitMax = waitMax;
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

  /** Returns why a text is not a usable hash; null if it is one. */
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

  /** Returns the cost of a bcrypt hash; 0 if the text is none. */
  static int cost(String text) {
    Matcher matcher = HASH.matcher(text);
    return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
  }

  /**
   * Returns whether a password is right. A wrong one counts as a failure of its client, also if it
   * is found out after the answer 503.
   *
   * @param user the user whose password it is
   * @throws HttpError 429 if the client has failed too often; 503 if too many verifications wait
   */
  boolean verify(ClientAddress client, String user, String password, Wanted wanted) {
    attempts.require(client, user);
    Guess guess = new Guess(client, user, proof(user, password, wanted.secret()));
    Boolean known = known(guess);
    if (known != null) {
      if (!known) {
        attempts.failed(client, user);
      }
      return known;
    }
    boolean isFew = !Thread.currentThread().isVirtual();
    if (isFew && !few.tryAcquire()) {
      throw busy();
    }
    try {
      return await(underWay.computeIfAbsent(guess, absent -> begin(absent, password, wanted)));
    } finally {
      if (isFew) {
        few.release();
      }
    }
  }

  private @Nullable Boolean known(Guess guess) {
    Boolean known = right.getIfPresent(guess.proof());
    return known == null ? wrong.getIfPresent(guess.proof()) : known;
  }

  private boolean await(CompletableFuture<Boolean> result) {
    try {
      return result.get(waitMax.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw busy();
    } catch (TimeoutException e) {
      throw busy();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof HttpError known ? known : busy();
    }
  }

  private CompletableFuture<Boolean> begin(Guess guess, String password, Wanted wanted) {
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    try {
      thread.execute(() -> {
        try {
          result.complete(verified(guess, password, wanted));
        } catch (RuntimeException e) {
          result.completeExceptionally(e);
        } finally {
          underWay.remove(guess);
        }
      });
    } catch (RejectedExecutionException e) {
      throw busy();
    }
    return result;
  }

  /**
   * Verifies a guess. The one thread checks the limit before a guess and counts it afterwards, so
   * guesses that arrive at once do not pass the limit together.
   */
  private boolean verified(Guess guess, String password, Wanted wanted) {
    attempts.require(guess.client(), guess.user());
    Boolean known = known(guess);
    boolean ok = known == null ? compute(password, wanted) : known;
    (ok ? right : wrong).put(guess.proof(), ok);
    if (!ok) {
      attempts.failed(guess.client(), guess.user());
    }
    return ok;
  }

  private static boolean compute(String password, Wanted wanted) {
    byte[] given = password.getBytes(StandardCharsets.UTF_8);
    String secret = wanted.secret();
    int cost = secret == null ? 0 : cost(secret);
    boolean ok =
        secret != null
            && (cost > 0
                ? matches(given, secret)
                : MessageDigest.isEqual(given, secret.getBytes(StandardCharsets.UTF_8)));
    if (!ok) {
      spend(given, cost, wanted.cost());
    }
    return ok;
  }

  /**
   * Spends the time that a wrong password has not taken yet. A hash takes 2^cost steps, so one of
   * cost 7 and others of cost 7, 8 and 9 take as long as one of cost 10.
   *
   * @param spent cost of the hash that was computed; 0 for none
   */
  private static void spend(byte[] given, int spent, int cost) {
    if (spent == 0 && cost > 0) {
      boolean _ = matches(given, nobody(cost));
    }
    for (int each = spent; each > 0 && each < cost; each++) {
      boolean _ = matches(given, nobody(each));
    }
  }

  private static String nobody(int cost) {
    return "$2b$%02d$%s".formatted(cost, NOBODY);
  }

  private static boolean matches(byte[] given, String hash) {
    try {
      return given.length <= PASSWORD_MAX
          && BCrypt.verifyer().verify(given, hash.getBytes(StandardCharsets.US_ASCII)).verified;
    } catch (IllegalArgumentException e) {
      // A password that bcrypt does not take.
      return false;
    }
  }

  private static HttpError busy() {
    return new HttpError(
        503, "too many passwords wait to be verified: try again soon", Duration.ofSeconds(1));
  }

  private ByteBuffer proof(String user, String password, @Nullable String secret) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      for (String part : new String[] {user, secret == null ? NOBODY : secret, password}) {
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
