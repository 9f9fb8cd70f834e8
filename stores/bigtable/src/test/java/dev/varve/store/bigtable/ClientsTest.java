package dev.varve.store.bigtable;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.gax.retrying.RetrySettings;
import com.google.cloud.bigtable.admin.v2.stub.BigtableTableAdminStubSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClientsTest {
  @Test
  void theHalfForTablesHasTheSameLimits() throws IOException {
    BigtableOptions options =
        BigtableOptions.parse(
            Map.of(
                "emulator", "127.0.0.1:1",
                "timeout", "9s",
                "attempt-timeout", "2s",
                "retries", "3"));
    BigtableTableAdminStubSettings calls = Clients.adminSettings(options, null).getStubSettings();
    RetrySettings looks = calls.getTableSettings().getRetrySettings();
    assertThat(looks.getTotalTimeoutDuration()).isEqualTo(Duration.ofSeconds(9));
    assertThat(looks.getInitialRpcTimeoutDuration()).isEqualTo(Duration.ofSeconds(2));
    assertThat(looks.getMaxAttempts()).isEqualTo(4);
    RetrySettings makes = calls.createTableSettings().getRetrySettings();
    assertThat(makes.getTotalTimeoutDuration()).isEqualTo(Duration.ofSeconds(9));
    assertThat(makes.getMaxRpcTimeoutDuration()).isEqualTo(Duration.ofSeconds(9));
    assertThat(makes.getMaxAttempts()).isEqualTo(1);
  }
}
