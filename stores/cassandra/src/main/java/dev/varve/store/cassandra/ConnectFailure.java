package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import dev.varve.store.cassandra.CassandraOptions.Credentials;
import dev.varve.store.cassandra.CassandraOptions.Tls;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains why no contact point accepted the connection, and which option to check. */
final class ConnectFailure {
  private ConnectFailure() {}

  /** Describes briefly the failure of the first contact point. */
  static String words(RuntimeException failure, CassandraOptions options) {
    List<Throwable> errors =
        failure instanceof AllNodesFailedException all
            ? all.getAllErrors().values().stream().flatMap(List::stream).toList()
            : List.of();
    Throwable first = errors.isEmpty() ? failure : errors.getFirst();
    return causes(first)
        .map(cause -> known(cause, options))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(String.valueOf(first.getMessage()));
  }

  private static Stream<Throwable> causes(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
  }

  private static @Nullable String known(Throwable cause, CassandraOptions options) {
    return switch (cause) {
      case AuthenticationException refused -> refused(refused, options.credentials());
      case SSLException tls -> tls(tls, options.tls());
      case UnknownHostException unknown -> "there is no host " + unknown.getMessage();
      case ConnectException nobody ->
          String.valueOf(nobody.getMessage()).contains("refused")
              ? "nobody listens there"
              : nobody.getMessage();
      case SocketException reset -> closed(options.tls());
      // Netty closes connections with this, too, before the reason is known.
      case ClosedChannelException closed -> "nobody listens there, or " + closed(options.tls());
      case ClosedConnectionException closed when closed.getCause() == null -> closed(options.tls());
      case DriverTimeoutException late ->
          "no answer within %d ms (option connect-timeout)"
              .formatted(options.connectTimeout().toMillis());
      case IllegalStateException several
          when String.valueOf(several.getMessage()).contains("different DCs") ->
          "these are of several data centers, of which option local-datacenter has to name one";
      default -> null;
    };
  }

  private static String refused(AuthenticationException refused, @Nullable Credentials given) {
    return given == null
        ? "it wants to know who asks: set options user and password"
        : "it refuses user '%s' with this password (options user, password): %s"
            .formatted(given.user(), refused.getMessage());
  }

  private static String closed(@Nullable Tls tls) {
    return tls == null
        ? "it closes the connection, as a node does that wants TLS (option tls)"
        : "it closes the connection, as a node does that has no TLS (option tls) or no trust in the certificate of this client (option tls-key)";
  }

  private static String tls(SSLException failure, @Nullable Tls tls) {
    String message = String.valueOf(failure.getMessage());
    if (message.contains("not an SSL/TLS record")) {
      return "it answers without TLS (option tls)";
    }
    if (message.contains("fatal alert")) {
      return tls == null || tls.key() == null
          ? "it wants a certificate of this client (option tls-key): " + message
          : "it does not take the certificate in '%s' (option tls-key): %s"
              .formatted(tls.key(), message);
    }
    if (causes(failure).anyMatch(CertPathBuilderException.class::isInstance)) {
      return tls == null || tls.trusted() == null
          ? "its certificate is none that Java trusts: name it, or who signed it, in option tls-trusted"
          : "neither its certificate nor who signed it stands in '%s' (option tls-trusted)"
              .formatted(tls.trusted());
    }
    return causes(failure)
        .filter(ConnectFailure::isOfNames)
        .findFirst()
        .map(cause ->
            "its certificate is that of another host: %s Ask for a host that it names (option contact-points), or set tls-verify-hostname: false"
                .formatted(cause.getMessage()))
        .orElse("TLS fails: " + message);
  }

  private static boolean isOfNames(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    return cause.getClass() == CertificateException.class
        && (message.contains("subject alternative") || message.contains("No name matching"));
  }
}
