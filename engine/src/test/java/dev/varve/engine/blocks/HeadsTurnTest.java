package dev.varve.engine.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Kind;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HeadsTurnTest {
  @Test
  void aStampThatFailsTakesNoTurn() throws InterruptedException {
    AtomicBoolean failing = new AtomicBoolean(true);
    AtomicLong stamps = new AtomicLong();
    Heads heads =
        new Heads(
            "d",
            () -> {
              if (failing.get()) {
                throw new StoreException("table '.clock' cannot be written");
              }
              return stamps.incrementAndGet();
            },
            1 << 24,
            1 << 24);
    assertThatThrownBy(heads::takeTurn).isInstanceOf(StoreException.class);
    failing.set(false);
    ColumnBatch batch = new ColumnBatch();
    batch.begin(3, Kind.INT64);
    batch.add(5, 42L);
    Thread writer =
        Thread.ofPlatform().daemon().start(() -> heads.enter(heads.takeTurn(), batch, 10));
    assertThat(writer.join(Duration.ofSeconds(5))).as("the batch had its turn").isTrue();
  }
}
