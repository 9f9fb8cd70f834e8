package dev.varve.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.varve.server.http.ClientAddress;
import dev.varve.server.http.HttpError;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Passwords are verified in turn, remembered, and not guessed at will. */
class PasswordsTest {
  private static String hash(int cost, String password) {
    return BCrypt.withDefaults().hashToString(cost, password.toCharArray());
  }

  private static final ClientAddress CLIENT = ClientAddress.of(InetAddress.ofLiteral("192.0.2.1"));

  /** Limits nobody: each wrong password is forgiven at once. */
  private static Attempts unlimited() {
    AtomicLong now = new AtomicLong();
    return new Attempts(() -> now.addAndGet(Attempts.FORGIVEN.toNanos()));
  }

  private static boolean verify(Passwords passwords, String user, String given, String secret) {
    return passwords.verify(
        CLIENT, user, given, new Passwords.Wanted(secret, Passwords.cost(secret)));
  }

  /** A guess counts even if its client got 503 before it was verified. */
  @Test
  void aGuessCountsThoughItsAnswerWas503() {
    String slow = hash(8, "pw");
    Attempts attempts = new Attempts(System::nanoTime);
    try (Passwords passwords = new Passwords(attempts, Duration.ofMillis(1))) {
      for (int i = 0; i < Attempts.PER_USER; i++) {
        String given = i == 0 ? "pw" : "no" + i;
        assertThatThrownBy(() -> verify(passwords, "bob", given, slow))
            .isInstanceOfSatisfying(HttpError.class, e -> assertThat(e.status()).isEqualTo(503));
      }
      for (int i = 0; i < Attempts.PER_USER; i++) {
        String given = "no" + i;
        assertThatThrownBy(() -> verify(passwords, "ann", given, slow))
            .isInstanceOf(HttpError.class);
      }
      await()
          .untilAsserted(() ->
              assertThatThrownBy(() -> attempts.require(CLIENT, "ann"))
                  .isInstanceOf(HttpError.class));
    }
    // Bob's passwords were verified before; one of them was right.
    assertThatCode(() -> attempts.require(CLIENT, "bob")).doesNotThrowAnyException();
  }

  /** Times do not tell which users there are, and who has a plain password. */
  @Test
  void aWrongPasswordTakesAsLongAsTheSlowestHash() {
    int cost = 10;
    Map<String, @Nullable String> secrets = new LinkedHashMap<>();
    secrets.put("slowest", hash(cost, "pw"));
    secrets.put("fast", hash(4, "pw"));
    secrets.put("nearly", hash(cost - 1, "pw"));
    secrets.put("plain", "pw");
    secrets.put("unknown", null);
    Map<String, Long> least = new LinkedHashMap<>();
    try (Passwords passwords = new Passwords(unlimited())) {
      for (int i = 0; i < 5; i++) {
        String guess = "guess" + i;
        secrets.forEach((user, secret) -> {
          long start = System.nanoTime();
          assertThat(passwords.verify(CLIENT, user, guess, new Passwords.Wanted(secret, cost)))
              .isFalse();
          least.merge(user, System.nanoTime() - start, Math::min);
        });
      }
    }
    long slowest = least.values().stream().mapToLong(Long::longValue).max().orElseThrow();
    // Work can take longer on a busy machine, but not less; half a hash would be the nearest cost.
    assertThat(least.values()).allSatisfy(time -> assertThat(time).isGreaterThan(slowest * 6 / 10));
  }

  @Test
  void tellsRightFromWrong() {
    try (Passwords passwords = new Passwords(unlimited())) {
      for (String password : List.of("pw", "", "pässwörd €", "x".repeat(70))) {
        String hash =
            password.isEmpty()
                // Of the empty password, which the library does not hash.
                ? hash(4, "other")
                : hash(4, password);
        assertThat(verify(passwords, "ann", password, hash)).isEqualTo(!password.isEmpty());
        assertThat(verify(passwords, "ann", password + "x", hash)).isFalse();
      }
      assertThat(verify(passwords, "ann", "x".repeat(1_000_000), hash(4, "x"))).isFalse();
      // As other programs write it.
      String php = hash(4, "pw").replaceFirst("\\$2a", "\\$2y");
      assertThat(verify(passwords, "ann", "pw", php)).isTrue();
    }
  }

  @Test
  void remembersAResult() {
    String slow = hash(11, "pw");
    try (Passwords passwords = new Passwords(unlimited())) {
      assertThat(verify(passwords, "ann", "pw", slow)).isTrue();
      assertThat(verify(passwords, "ann", "no", slow)).isFalse();
      long start = System.nanoTime();
      for (int i = 0; i < 100; i++) {
        assertThat(verify(passwords, "ann", "pw", slow)).isTrue();
        assertThat(verify(passwords, "ann", "no", slow)).isFalse();
      }
      // One computation takes 100 ms and more.
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    }
  }

  @Test
  void refusesWhatWouldWaitTooLong() throws Exception {
    String hash = hash(8, "pw");
    int asked = 2 * Passwords.QUEUE;
    int busy = 0;
    try (Passwords passwords = new Passwords(unlimited());
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> answers = new ArrayList<>();
      for (int i = 0; i < asked; i++) {
        String guess = "guess" + i;
        answers.add(
            clients.submit(() -> {
              try {
                assertThat(verify(passwords, "ann", guess, hash)).isFalse();
                return 200;
              } catch (HttpError e) {
                return e.status();
              }
            }));
      }
      for (Future<Integer> answer : answers) {
        busy += answer.get() == 503 ? 1 : 0;
      }
    }
    assertThat(busy).isBetween(1, asked - 1);
  }

  /** Guesses that arrive at once do not pass the limit together. */
  @Test
  void guessesAtOnceAreLimited() throws Exception {
    int wrong = 0;
    CountDownLatch all = new CountDownLatch(Passwords.QUEUE);
    // Nothing is forgiven while time stands still.
    Attempts attempts = new Attempts(() -> 0);
    try (Passwords passwords = new Passwords(attempts);
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> answers = new ArrayList<>();
      for (int i = 0; i < Passwords.QUEUE; i++) {
        String guess = "guess" + i;
        answers.add(
            clients.submit(() -> {
              all.countDown();
              all.await();
              try {
                assertThat(verify(passwords, "ann", guess, "plain")).isFalse();
                return 401;
              } catch (HttpError e) {
                return e.status();
              }
            }));
      }
      for (Future<Integer> answer : answers) {
        assertThat(answer.get()).isIn(401, 429);
        wrong += answer.get() == 401 ? 1 : 0;
      }
    }
    assertThat(wrong).isEqualTo(Attempts.PER_USER);
  }

  @Test
  void failuresAreLimitedPerUserAndPerClient() throws Exception {
    AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    Attempts attempts = new Attempts(now::get);
    ClientAddress client = ClientAddress.of(InetAddress.ofLiteral("192.0.2.1"));
    for (int i = 0; i < Attempts.PER_USER; i++) {
      attempts.require(client, "ann");
      attempts.failed(client, "ann");
    }
    assertThatThrownBy(() -> attempts.require(client, "ann"))
        .isInstanceOfSatisfying(HttpError.class, e -> assertThat(e.status()).isEqualTo(429));
    // Others behind the same address, and elsewhere, are not locked out.
    assertThatCode(() -> attempts.require(client, "bob")).doesNotThrowAnyException();
    assertThatCode(
            () -> attempts.require(ClientAddress.of(InetAddress.ofLiteral("192.0.2.2")), "ann"))
        .doesNotThrowAnyException();
    now.addAndGet(Attempts.FORGIVEN.toNanos());
    attempts.require(client, "ann");
    attempts.failed(client, "ann");
    assertThatThrownBy(() -> attempts.require(client, "ann")).isInstanceOf(HttpError.class);
    for (int i = 0; i < Attempts.PER_CLIENT; i++) {
      attempts.failed(client, "user" + i);
    }
    assertThatThrownBy(() -> attempts.require(client, "bob")).isInstanceOf(HttpError.class);
  }
}
