package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SignalsTest {
  /** The signal of a resized window, which nothing here needs. */
  private static final String HARMLESS = "WINCH";

  @Test
  void runWhatIsToBeRunEachTime() throws Exception {
    Semaphore came = new Semaphore(0);
    assertThat(Signals.on(HARMLESS, came::release)).isTrue();
    for (int i = 0; i < 2; i++) {
      String self = Long.toString(ProcessHandle.current().pid());
      assertThat(new ProcessBuilder("kill", "-" + HARMLESS, self).start().waitFor()).isZero();
      assertThat(came.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void areNotTakenWhereThereAreNone() {
    assertThat(Signals.on("NONESUCH", () -> {})).isFalse();
  }
}
