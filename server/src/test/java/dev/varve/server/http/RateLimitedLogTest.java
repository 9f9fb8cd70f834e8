package dev.varve.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class RateLimitedLogTest {
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private RateLimitedLog log(Duration interval) {
    return new RateLimitedLog("feed", interval, lines::add);
  }

  @Test
  void logsTheFirstAtOnceAndTheOthersTogether() {
    RateLimitedLog log = log(Duration.ofMillis(300));
    log.warn("bad", 2, () -> "first");
    for (int i = 0; i < 40_000; i++) {
      int number = i;
      log.warn("bad", 1, () -> "second " + number);
    }
    assertThat(lines).containsExactly("feed: bad: 2: first");
    await().atMost(Duration.ofSeconds(20)).until(() -> lines.size() == 2);
    assertThat(lines.getLast()).isEqualTo("feed: bad: 40000 more, the first: second 0");
  }

  @Test
  void countsEachKindOfFaultByItself() {
    RateLimitedLog log = log(Duration.ofMinutes(10));
    log.warn("bad", 7, () -> "a");
    log.warn("bad", 7, () -> "b");
    log.warn("lost", 1, () -> "c");
    log.flush();
    log.warn("lost", 1, () -> "d");
    log.flush();
    log.flush();
    assertThat(lines)
        .containsExactly(
            "feed: bad: 7: a",
            "feed: lost: 1: c",
            "feed: bad: 7 more, the first: b",
            "feed: lost: 1 more, the first: d");
  }

  @Test
  void aSteadyStreamIsLoggedOnceAnInterval() throws InterruptedException {
    RateLimitedLog log = log(Duration.ofMillis(400));
    long end = System.nanoTime() + Duration.ofSeconds(1).toNanos();
    while (System.nanoTime() < end) {
      log.warn("bad", 1, () -> "x");
      Thread.sleep(1);
    }
    assertThat(lines).hasSizeBetween(2, 3);
  }

  @Test
  void keepsToOneLineAndABoundedNumberOfKinds() {
    RateLimitedLog log = log(Duration.ofMinutes(10));
    log.warn("bad", "a\nWARN forged\u001b[0m" + "b".repeat(5000));
    assertThat(lines.getFirst()).doesNotContain("\n", "\u001b").hasSizeLessThan(1100);
    for (int i = 0; i < 3000; i++) {
      log.warn("kind " + i, "x");
    }
    assertThat(lines).hasSizeLessThan(1010);
  }
}
