package dev.varve.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.varve.server.http.ClientAddress;
import dev.varve.server.http.HttpError;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Passwords are verified in turn, remembered, and not guessed at will. */
class PasswordsTest {
  private static String hash(int cost, String password) {
    return BCrypt.withDefaults().hashToString(cost, password.toCharArray());
  }

  private static boolean verify(Passwords passwords, String user, String given, String hash) {
    return passwords.verify(user, given, hash, () -> {});
  }

  /** A guess counts even if its client got 503 before it was verified. */
  @Test
  void aGuessCountsThoughItsAnswerWas503() throws Exception {
    String slow = hash(10, "pw");
    CountDownLatch counted = new CountDownLatch(1);
    AtomicInteger right = new AtomicInteger();
    try (Passwords passwords = new Passwords(Duration.ofMillis(1))) {
      assertThatThrownBy(() -> passwords.verify("ann", "pw", slow, right::incrementAndGet))
          .isInstanceOf(HttpError.class);
      assertThatThrownBy(() -> passwords.verify("ann", "no", slow, counted::countDown))
          .isInstanceOf(HttpError.class);
      assertThat(counted.await(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(right).hasValue(0);
  }

  @Test
  void tellsRightFromWrong() {
    try (Passwords passwords = new Passwords()) {
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
    try (Passwords passwords = new Passwords()) {
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
    try (Passwords passwords = new Passwords();
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
