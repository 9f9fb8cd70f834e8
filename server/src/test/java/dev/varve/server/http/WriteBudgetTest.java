package dev.varve.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.ErrorKind;
import dev.varve.server.http.WriteBudget.Refusal;
import dev.varve.server.http.WriteBudget.Reservation;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class WriteBudgetTest {
  private static final int MAX = 1 << 20;

  private static ClientAddress client(int number) {
    try {
      return ClientAddress.of(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number}));
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  /** One thread, compared with a model of its reservations. */
  @Property(tries = 200)
  void countsWhatIsHeld(@ForAll @Size(max = 100) List<@IntRange(max = 899) Integer> steps) {
    WriteBudget budget = new WriteBudget(MAX);
    List<Reservation> reservations = new ArrayList<>();
    long[] held = new long[6];
    for (int i = 0; i < held.length; i++) {
      reservations.add(budget.open(client(i / 2)));
    }
    for (int step : steps) {
      int which = step % held.length;
      Reservation reservation = reservations.get(which);
      long bytes = (step / held.length) * 2_000L;
      if (step % 5 == 0) {
        long back = Math.min(bytes, held[which]);
        reservation.letGo(back);
        held[which] -= back;
      } else {
        long ofClient = held[which] + held[which ^ 1];
        try {
          reservation.hold(bytes);
          held[which] += bytes;
          assertThat(ofClient + bytes).isLessThanOrEqualTo(budget.clientMax());
        } catch (OverBudgetException e) {
          boolean never = held[which] + bytes > budget.clientMax();
          assertThat(e.kind()).isEqualTo(never ? ErrorKind.LIMIT : ErrorKind.OVERLOADED);
        }
      }
      assertThat(reservation.held()).isEqualTo(held[which]);
      long sum = Arrays.stream(held).sum();
      assertThat(budget.used()).isBetween(sum, (long) MAX);
    }
    reservations.forEach(Reservation::close);
    assertThat(budget.used()).isZero();
    assertThat(budget.clients()).isZero();
  }

  @Test
  void isNeverExceededNorLeaksWithManyThreads() throws Exception {
    WriteBudget budget = new WriteBudget(MAX);
    AtomicBoolean done = new AtomicBoolean();
    CountDownLatch looks = new CountDownLatch(1);
    Reservation first = budget.open(client(0));
    first.hold(1);
    CompletableFuture<Long> most =
        CompletableFuture.supplyAsync(() -> {
          long seen = 0;
          while (!done.get()) {
            seen = Math.max(seen, budget.used());
            looks.countDown();
          }
          return seen;
        });
    assertThat(looks.await(60, TimeUnit.SECONDS)).isTrue();
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      ClientAddress client = client(i % 3);
      threads.add(
          CompletableFuture.runAsync(
              () -> holdAndLetGo(budget, client), Thread::startVirtualThread));
    }
    for (CompletableFuture<Void> thread : threads) {
      thread.get(60, TimeUnit.SECONDS);
    }
    done.set(true);
    first.close();
    assertThat(most.get(10, TimeUnit.SECONDS)).isBetween(1L, (long) MAX);
    assertThat(budget.used()).isZero();
    assertThat(budget.clients()).isZero();
  }

  private static void holdAndLetGo(WriteBudget budget, ClientAddress client) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int round = 0; round < 500; round++) {
      try (Reservation reservation = budget.open(client)) {
        for (int i = 0; i < 20; i++) {
          if (random.nextInt(4) == 0) {
            reservation.letGo(random.nextLong(reservation.held() + 1));
          } else {
            reservation.hold(random.nextLong(100_000));
          }
        }
      } catch (OverBudgetException e) {
        assertThat(e.getMessage()).contains("write.memory");
      }
    }
  }

  @Test
  void leavesRoomBesideClientsThatAreWaitedFor() {
    WriteBudget budget = new WriteBudget(MAX);
    try (Reservation one = budget.open(client(1));
        Reservation two = budget.open(client(2));
        Reservation three = budget.open(client(3))) {
      one.holdWaiting(MAX / 2);
      two.holdWaiting(MAX / 4);
      assertThatThrownBy(() -> two.holdWaiting(1)).isInstanceOf(OverBudgetException.class);
      // A client without reservations may still send a little, and received data is processed.
      three.holdWaiting(MAX / 64);
      assertThatThrownBy(() -> three.holdWaiting(MAX / 64)).isInstanceOf(OverBudgetException.class);
      three.hold(MAX / 8);
    }
    assertThat(budget.used()).isZero();
  }

  @Test
  @SuppressWarnings("try") // One reservation is closed early.
  void tellsWhatMayFitLaterFromWhatNeverFits() {
    WriteBudget budget = new WriteBudget(MAX);
    try (Reservation one = budget.open(client(1));
        Reservation same = budget.open(client(1));
        Reservation two = budget.open(client(2));
        Reservation three = budget.open(client(3))) {
      one.hold(MAX / 2);
      assertThatThrownBy(() -> same.hold(1))
          .isInstanceOfSatisfying(
              OverBudgetException.class,
              e -> {
                assertThat(e.kind()).isEqualTo(ErrorKind.OVERLOADED);
                assertThat(e.retryAfter()).isEqualTo(Duration.ofSeconds(1));
                assertThat(e).hasMessageContaining("10.0.0.1");
              });
      two.hold(MAX / 2);
      assertThatThrownBy(() -> three.hold(1))
          .hasMessage(
              "1,048,576 bytes of writes are held, write.memory is 1,048,576 bytes, and three quarters of it are for what is still coming in: send the same again");
      assertThatThrownBy(() -> three.requirePossible(MAX / 2 + 1))
          .isInstanceOfSatisfying(
              OverBudgetException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.LIMIT));
      assertThat(three.tryHold(1)).isFalse();
      one.close();
      assertThat(three.tryHold(1)).isTrue();
      assertThatThrownBy(() -> one.hold(1)).isInstanceOf(IllegalStateException.class);
    }
    assertThat(budget.refused(Refusal.CLIENT)).isOne();
    assertThat(budget.refused(Refusal.FULL)).isEqualTo(2);
    assertThat(budget.refused(Refusal.TOO_LARGE)).isOne();
    assertThat(budget.used()).isZero();
  }
}
