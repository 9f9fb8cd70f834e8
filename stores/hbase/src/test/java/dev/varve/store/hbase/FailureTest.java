package dev.varve.store.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.store.hbase.Failure.Kind;
import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.ipc.RemoteException;
import org.junit.jupiter.api.Test;

class FailureTest {
  private static Kind kind(Throwable thrown, int rows) {
    return Failure.of(new ExecutionException(thrown)).amid(rows).kind();
  }

  @Test
  void aRegionThatIsTooBusyMayHaveAppliedSomeOfManyRows() {
    IOException busy = new RegionTooBusyException("above the limit of its memory");
    assertThat(kind(busy, 1)).isEqualTo(Kind.NOT_APPLIED);
    assertThat(kind(busy, 2)).isEqualTo(Kind.UNKNOWN);
    RemoteException remote =
        new RemoteException(RegionTooBusyException.class.getName(), "above the limit");
    assertThat(kind(remote, 2)).isEqualTo(Kind.UNKNOWN);
  }

  @Test
  void anErrorBeforeTheFirstRowHoldsForAllRows() {
    assertThat(kind(new NotServingRegionException("moved"), 1000)).isEqualTo(Kind.NOT_APPLIED);
    assertThat(kind(new ConnectException("refused"), 1000)).isEqualTo(Kind.NOT_APPLIED);
    assertThat(kind(new DoNotRetryIOException("no such family"), 1000)).isEqualTo(Kind.REFUSED);
    assertThat(kind(new IOException("reset"), 1)).isEqualTo(Kind.UNKNOWN);
  }
}
