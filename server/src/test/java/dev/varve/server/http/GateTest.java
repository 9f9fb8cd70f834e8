package dev.varve.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class GateTest {
  @Test
  void tellsWhoFindsNoRoomToComeAgainByItsOwnStatus() {
    Gate gate = new Gate("write", 503, 1, 0, Duration.ofSeconds(10));
    gate.enter();
    assertThatThrownBy(gate::enter)
        .isInstanceOfSatisfying(
            HttpError.class,
            e -> {
              assertThat(e.status()).isEqualTo(503);
              assertThat(e.retryAfter()).isEqualTo(Duration.ofSeconds(1));
            });
    gate.leave();
    gate.enter();
    assertThat(gate.inFlight()).isOne();
  }
}
