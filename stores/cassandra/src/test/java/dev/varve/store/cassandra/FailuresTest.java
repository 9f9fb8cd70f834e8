package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.connection.BusyConnectionException;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.connection.FrameTooLongException;
import com.datastax.oss.driver.api.core.connection.HeartbeatException;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import dev.varve.store.RowOutcome.Status;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailuresTest {
  /** The node of an answer; the tests only need its presence. */
  private static final Node NODE =
      (Node)
          Proxy.newProxyInstance(
              Node.class.getClassLoader(),
              new Class<?>[] {Node.class},
              (proxy, method, arguments) ->
                  method.getReturnType() == int.class ? (Object) 0 : method.getName());

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

  @Test
  void knowsNothingOfAConditionalWriteWhoseCommitFoundTooFewReplicas() {
    UnavailableException tooFew = new UnavailableException(NODE, ConsistencyLevel.QUORUM, 2, 1);
    assertThat(Failures.status(tooFew)).isEqualTo(Status.NOT_APPLIED);
    assertThat(Failures.ofConditional(tooFew)).isEqualTo(Status.UNKNOWN);
    assertThat(Failures.ofConditional(new BusyConnectionException(1)))
        .isEqualTo(Status.NOT_APPLIED);
  }

  @Test
  void knowsNothingOfAWriteThatIsRefusedAfterAnAttemptThatMayStand() {
    InvalidQueryException refused = new InvalidQueryException(NODE, "table gone");
    assertThat(Failures.ending(refused, false)).isEqualTo(Status.REJECTED);
    assertThat(Failures.ending(refused, true)).isEqualTo(Status.UNKNOWN);
    assertThat(Failures.ending(new BusyConnectionException(1), true)).isEqualTo(Status.UNKNOWN);
  }

  @Test
  void knowsAnAnswerThatWasTooLong() {
    InetSocketAddress node = InetSocketAddress.createUnresolved("node", 9042);
    assertThat(Failures.isTooLong(new FrameTooLongException(node, "300 MiB"))).isTrue();
    assertThat(Failures.isTooLong(new DriverTimeoutException("late"))).isFalse();
  }

  @Test
  void saysOfAFailureWithoutWordsWhatItsCauseSays() {
    InetSocketAddress node = InetSocketAddress.createUnresolved("node", 9042);
    assertThat(Failures.words(new HeartbeatException(node, null, late())))
        .isEqualTo("HeartbeatException: DriverTimeoutException: late");
    assertThat(Failures.words(late())).isEqualTo("DriverTimeoutException: late");
  }

  private static DriverTimeoutException late() {
    return new DriverTimeoutException("late");
  }

  @Test
  void namesTheGrantThatIsMissing() {
    assertThat(Grants.missing(refused("CREATE permission on <all keyspaces>"), "\"v\""))
        .endsWith("run: GRANT CREATE ON ALL KEYSPACES TO \"a b\"");
    assertThat(Grants.missing(refused("MODIFY permission on <table v.t>"), "\"v\""))
        .startsWith("User a b has no MODIFY permission on <table v.t>")
        .endsWith("run: GRANT MODIFY ON KEYSPACE \"v\" TO \"a b\"");
    assertThat(Grants.missing(new UnauthorizedException(NODE, "log in first"), "v"))
        .isEqualTo("log in first");
    assertThat(Grants.missing(late(), "v")).isNull();
  }

  private static UnauthorizedException refused(String what) {
    return new UnauthorizedException(NODE, "User a b has no " + what + " or any of its parents");
  }
}
