package dev.varve.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackgroundThreadTest {
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

  @Test
  void worksAfterEachPauseUntilItIsStopped() throws InterruptedException {
    try (BackgroundThread thread = BackgroundThread.named("test")) {
      thread.start(() -> {
        while (thread.pause(Duration.ofMillis(1))) {
          events.add("work");
        }
      });
      assertThat(next()).isEqualTo("work");
      assertThat(next()).isEqualTo("work");
      assertThat(thread.isStopped()).isFalse();
    }
  }

  @Test
  void closeEndsAPauseAndWaitsForTheEndOfTheWork() throws InterruptedException {
    BackgroundThread thread = BackgroundThread.virtual("test");
    thread.start(() -> {
      events.add("begun");
      events.add("pause: " + thread.pause(Duration.ofDays(1)));
      events.add("ended");
    });
    assertThat(next()).isEqualTo("begun");
    thread.close();
    assertThat(events).containsExactly("pause: false", "ended");
    assertThat(thread.isStopped()).isTrue();
  }

  @Test
  void stopDoesNotWait() throws InterruptedException {
    BackgroundThread thread = BackgroundThread.named("test");
    BlockingQueue<String> release = new LinkedBlockingQueue<>();
    thread.start(() -> {
      while (release.isEmpty()) {
        Thread.onSpinWait();
      }
      events.add("stopped: " + thread.isStopped());
    });
    thread.stop();
    assertThat(events).isEmpty();
    release.add("now");
    assertThat(next()).isEqualTo("stopped: true");
  }

  @Test
  void anInterruptStopsIt() throws InterruptedException {
    BackgroundThread thread = BackgroundThread.named("test");
    thread.start(() -> {
      Thread.currentThread().interrupt();
      events.add("pause: " + thread.pause(Duration.ofDays(1)));
    });
    assertThat(next()).isEqualTo("pause: false");
    assertThat(thread.isStopped()).isTrue();
  }

  @Test
  void oneThatWasNeverStartedCanBeClosed() {
    BackgroundThread thread = BackgroundThread.named("test");
    thread.close();
    assertThat(thread.isStarted()).isFalse();
  }

  private String next() throws InterruptedException {
    return String.valueOf(events.poll(30, TimeUnit.SECONDS));
  }
}
