package dev.varve.query.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class MemoryTest {
  @Test
  void isNotFullOfWhatIsRefused() throws InterruptedException {
    Memory.Pool pool = new Memory.Pool(1000);
    assertThat(
            refusedBeside(new Memory(1 << 20, pool, () -> 0), new Memory(1 << 20, pool, () -> 0)))
        .isZero();
    assertThat(pool.held()).isZero();

    Memory one = new Memory(1000);
    assertThat(refusedBeside(one, one)).isZero();
    assertThat(one.held()).isZero();
    assertThat(one.most()).isEqualTo(10);
  }

  @Test
  void keepsAnEighthOfThePoolForQueriesThatHoldLittle() {
    Memory.Pool pool = new Memory.Pool(128_000);
    Memory heavy = new Memory(1 << 20, pool, () -> 0);
    Memory light = new Memory(1 << 20, pool, () -> 0);
    assertThat(heavy.tryHold(112_000)).isTrue();
    assertThat(heavy.tryHold(1)).as("beyond seven eighths").isFalse();
    assertThat(light.tryHold(1_000)).isTrue();
    assertThat(light.tryHold(1)).as("it does not hold little any more").isFalse();
    heavy.releaseAll();
    light.releaseAll();
    assertThat(pool.held()).isZero();
  }

  /** Counts how often a small request is refused while a request that is too large is repeated. */
  private static int refusedBeside(Memory large, Memory small) throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean done = new AtomicBoolean();
    Thread asking =
        Thread.ofPlatform()
            .start(() -> {
              while (!done.get()) {
                large.tryHold(5000);
                begun.countDown();
              }
            });
    begun.await();
    int refused = 0;
    for (int i = 0; i < 1_000_000; i++) {
      if (small.tryHold(10)) {
        small.release(10);
      } else {
        refused++;
      }
    }
    done.set(true);
    asking.join();
    return refused;
  }
}
