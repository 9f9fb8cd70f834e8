package dev.varve.engine.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class WriteOutageTest {
  private final AtomicLong clock = new AtomicLong(1);
  private final AtomicReference<String> broken = new AtomicReference<>("still away");
  private final WriteOutage outage =
      new WriteOutage(
          "d",
          () -> {
            if (!broken.get().isEmpty()) {
              throw new StoreException(broken.get());
            }
          },
          clock::get);

  @Test
  void shortOneIsNone() {
    outage.failed("the store is away");
    assertThat(outage.reason()).isNull();
    pass(WriteOutage.OUTAGE_MIN.minusMillis(1));
    assertThat(outage.reason()).isNull();
    outage.succeeded();
    pass(Duration.ofHours(1));
    assertThat(outage.reason()).isNull();
  }

  @Test
  void lastsUntilAWriteSucceeds() {
    outage.failed("the store is away");
    pass(WriteOutage.OUTAGE_MIN);
    outage.failed("it is away, still");
    assertThat(outage.reason()).isEqualTo("it is away, still");
    outage.succeeded();
    assertThat(outage.reason()).isNull();
    outage.failed("again");
    assertThat(outage.reason()).as("a new one begins anew").isNull();
  }

  @Test
  void endsByItselfWhereNoWriteComes() {
    outage.failed("the store is away");
    pass(Duration.ofMinutes(1));
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(outage.reason()).isEqualTo("still away"));
    broken.set("");
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(outage.reason()).isNull());
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }
}
