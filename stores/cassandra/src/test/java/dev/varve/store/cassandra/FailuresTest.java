package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.connection.BusyConnectionException;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import dev.varve.store.RowOutcome.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailuresTest {
  @Test
  void knowsNothingOfAWriteThatTimedOutOrLostItsConnection() {
    assertThat(Failures.status(new DriverTimeoutException("late"))).isEqualTo(Status.UNKNOWN);
    assertThat(Failures.status(new ClosedConnectionException("gone"))).isEqualTo(Status.UNKNOWN);
    assertThat(Failures.status(new IllegalStateException("?"))).isEqualTo(Status.UNKNOWN);
  }

  @Test
  void knowsThatAWriteWasNeverSent() {
    assertThat(Failures.status(new BusyConnectionException(1))).isEqualTo(Status.NOT_APPLIED);
    assertThat(Failures.status(AllNodesFailedException.fromErrors(List.of())))
        .isEqualTo(Status.NOT_APPLIED);
  }
}
