package dev.varve.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.query.running.Turns;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GateTest {
  @Test
  void tellsWhoFindsNoRoomToComeAgainByItsOwnStatus() {
    Gate gate = new Gate("write", 503, 1, 0, Duration.ofSeconds(10));
    Turns.Turn first = gate.enter(ClientAddress.LOCAL);
    assertThatThrownBy(() -> gate.enter(ClientAddress.LOCAL))
        .isInstanceOfSatisfying(
            HttpError.class,
            e -> {
              assertThat(e.status()).isEqualTo(503);
              assertThat(e.retryAfter()).isEqualTo(Duration.ofSeconds(1));
            });
    gate.leave(first);
    gate.enter(ClientAddress.LOCAL);
    assertThat(gate.inFlight()).isOne();
  }
}
