package dev.varve.store.bigtable;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.gax.grpc.GrpcStatusCode;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.ApiExceptionFactory;
import dev.varve.store.RowOutcome.Status;
import io.grpc.Status.Code;
import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailedCallTest {
  private static ApiException failure(Code code, Throwable cause) {
    return ApiExceptionFactory.createException(
        new RuntimeException("what came", cause), GrpcStatusCode.of(code), false);
  }

  @ParameterizedTest
  @CsvSource({
    "UNAVAILABLE, UNKNOWN, true",
    "DEADLINE_EXCEEDED, UNKNOWN, true",
    "ABORTED, UNKNOWN, true",
    "CANCELLED, UNKNOWN, false",
    "INTERNAL, UNKNOWN, false",
    "UNKNOWN, UNKNOWN, false",
    "DATA_LOSS, UNKNOWN, false",
    "RESOURCE_EXHAUSTED, NOT_APPLIED, true",
    "PERMISSION_DENIED, NOT_APPLIED, false",
    "UNAUTHENTICATED, NOT_APPLIED, false",
    "NOT_FOUND, NOT_APPLIED, false",
    "FAILED_PRECONDITION, NOT_APPLIED, false",
    "INVALID_ARGUMENT, REJECTED, false",
    "OUT_OF_RANGE, REJECTED, false",
    "UNIMPLEMENTED, REJECTED, false"
  })
  void saysWhatAFailureMeansForAWrite(Code code, Status status, boolean again) {
    FailedCall call = new FailedCall(failure(code, new IOException("reset")));
    assertThat(call.outcome("writing").status()).isEqualTo(status);
    assertThat(call.mayBeApplied()).isEqualTo(status == Status.UNKNOWN);
    assertThat(call.isWorthRetrying()).isEqualTo(again);
    assertThat(call.toStoreException("writing").unknown()).isEqualTo(status == Status.UNKNOWN);
  }

  @Test
  void aCallWithoutAConnectionWasNotApplied() {
    FailedCall call = new FailedCall(failure(Code.UNAVAILABLE, new ConnectException("refused")));
    assertThat(call.outcome("writing").status()).isEqualTo(Status.NOT_APPLIED);
    assertThat(call.outcome("writing").reason())
        .startsWith("writing: UNAVAILABLE ")
        .contains("refused");
  }

  @Test
  void anAppProfileThatIsNotThereIsNoTableThatIsGone() {
    ApiException table =
        ApiExceptionFactory.createException(
            "Table not found: projects/p/instances/i/tables/t",
            null,
            GrpcStatusCode.of(Code.NOT_FOUND),
            false);
    ApiException profile =
        ApiExceptionFactory.createException(
            "App profile not found: projects/p/instances/i/appProfiles/x",
            null,
            GrpcStatusCode.of(Code.NOT_FOUND),
            false);
    assertThat(new FailedCall(table).isNotFound()).isTrue();
    assertThat(new FailedCall(profile).isNotFound()).isFalse();
    assertThat(new FailedCall(profile).outcome("writing").status()).isEqualTo(Status.NOT_APPLIED);
  }

  @Test
  void looksIntoWhatWrapsTheFailure() {
    FailedCall call =
        new FailedCall(new ExecutionException(failure(Code.INVALID_ARGUMENT, new IOException())));
    assertThat(call.outcome("writing").status()).isEqualTo(Status.REJECTED);
    assertThat(new FailedCall(new IllegalStateException("closed")).mayBeApplied()).isTrue();
  }
}
