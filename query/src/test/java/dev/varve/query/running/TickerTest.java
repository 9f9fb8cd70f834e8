package dev.varve.query.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TickerTest {
  private static final String NAME = "ticker-of-test";

  private static final class Thing {
    private final AtomicInteger checks = new AtomicInteger();

    private void check() {
      checks.incrementAndGet();
    }
  }

  @Test
  void checksUntilAThingIsRemoved() throws InterruptedException {
    try (Ticker<Thing> ticker = new Ticker<>(NAME, Duration.ofMillis(1), Thing::check)) {
      Thing first = new Thing();
      Thing second = new Thing();
      ticker.add(first);
      await().until(() -> first.checks.get() > 3);
      ticker.add(second);
      await().until(() -> second.checks.get() > 3);
      ticker.remove(first);
      // One check may have been in progress.
      int begun = second.checks.get() + 2;
      await().until(() -> second.checks.get() > begun);
      int before = first.checks.get();
      await().until(() -> second.checks.get() > begun + 10);
      assertThat(first.checks).hasValue(before);
    }
  }

  @Test
  void wakesUpAfterAWhileWithNothingToCheck() {
    String name = "ticker-that-sleeps";
    try (Ticker<Thing> ticker = new Ticker<>(name, Duration.ofMillis(1), Thing::check)) {
      // Without a limit of time.
      await().until(() -> thread(name).getState() == Thread.State.WAITING);
      Thing late = new Thing();
      ticker.add(late);
      await().until(() -> late.checks.get() > 3);
    }
  }

  private static Thread thread(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aFailedCheckAffectsNothingElse() {
    Thing good = new Thing();
    Thing bad = new Thing();
    try (Ticker<Thing> ticker =
        new Ticker<>(
            NAME,
            Duration.ofMillis(1),
            thing -> {
              thing.check();
              if (thing.equals(bad)) {
                throw new IllegalStateException("intended by this test");
              }
            })) {
      ticker.add(bad);
      ticker.add(good);
      await().until(() -> good.checks.get() > 5 && bad.checks.get() > 5);
    }
  }

  @Test
  void endsItsThread() throws InterruptedException {
    String name = "ticker-that-ends";
    Ticker<Thing> ticker = new Ticker<>(name, Duration.ofMillis(1), Thing::check);
    Thread thread = thread(name);
    ticker.close();
    assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
  }
}
