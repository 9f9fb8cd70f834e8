package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.connection.BusyConnectionException;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.connection.ConnectionInitException;
import com.datastax.oss.driver.api.core.connection.FrameTooLongException;
import com.datastax.oss.driver.api.core.connection.HeartbeatException;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import dev.varve.store.RowOutcome.Status;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FailuresTest {
  /** The node that an answer came from, of which nothing but its being there counts. */
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

  @Test
  void saysWhyNoContactPointWasReached() {
    assertThat(Sessions.reason(unreached(new ConnectionInitException("?", refused()))))
        .startsWith("nobody listens there");
    assertThat(Sessions.reason(unreached(new UnknownHostException("nowhere"))))
        .isEqualTo("there is no host nowhere");
    assertThat(Sessions.reason(unreached(new IllegalStateException("password wrong"))))
        .isEqualTo("password wrong");
    assertThat(Sessions.reason(new IllegalStateException("odd"))).isEqualTo("odd");
  }

  private static ClosedChannelException refused() {
    return new ClosedChannelException();
  }

  private static AllNodesFailedException unreached(Throwable error) {
    return AllNodesFailedException.fromErrors(List.of(Map.entry(NODE, error)));
  }

  private static DriverTimeoutException late() {
    return new DriverTimeoutException("late");
  }

  @Test
  void namesTheGrantThatAChangeOfTheSchemaNeeds() {
    UnauthorizedException refused = new UnauthorizedException(NODE, "no CREATE permission");
    assertThat(SchemaGrants.missing(refused, "CREATE KEYSPACE IF NOT EXISTS \"v\" WITH x", "\"v\""))
        .contains("GRANT CREATE ON ALL KEYSPACES", "no CREATE permission");
    assertThat(SchemaGrants.missing(refused, "ALTER TABLE \"v\".\"t\" WITH x", "\"v\""))
        .contains("GRANT ALTER ON KEYSPACE \"v\"");
    assertThat(SchemaGrants.missing(new DriverTimeoutException("late"), "DROP TABLE t", "v"))
        .isNull();
  }
}
