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
              ? "connection refused"
              : nobody.getMessage();
      case SocketException reset -> closed(options.tls());
      // Netty closes connections with this, too, before the reason is known.
      case ClosedChannelException closed -> "connection refused, or " + closed(options.tls());
      case ClosedConnectionException closed when closed.getCause() == null -> closed(options.tls());
      case DriverTimeoutException late ->
          "no answer within %d ms (option connect-timeout)"
              .formatted(options.connectTimeout().toMillis());
      case IllegalStateException several
          when String.valueOf(several.getMessage()).contains("different DCs") ->
          "these nodes are in several data centers, one of which option local-datacenter must name";
      default -> null;
    };
  }

  private static String refused(AuthenticationException refused, @Nullable Credentials given) {
    return given == null
        ? "it requires authentication: set options user and password"
        : "it rejects user '%s' with this password (options user, password): %s"
            .formatted(given.user(), refused.getMessage());
  }

  private static String closed(@Nullable Tls tls) {
    return tls == null
        ? "it closes the connection, as a node that requires TLS does (option tls)"
        : "it closes the connection, as a node does without TLS (option tls) or without trust in the certificate of this client (option tls-key)";
  }

  private static String tls(SSLException failure, @Nullable Tls tls) {
    String message = String.valueOf(failure.getMessage());
    if (message.contains("not an SSL/TLS record")) {
      return "it answers without TLS (option tls)";
    }
    if (message.contains("fatal alert")) {
      return tls == null || tls.key() == null
          ? "it requires a certificate of this client (option tls-key): " + message
          : "it rejects the certificate in '%s' (option tls-key): %s".formatted(tls.key(), message);
    }
    if (causes(failure).anyMatch(CertPathBuilderException.class::isInstance)) {
      return tls == null || tls.trusted() == null
          ? "Java does not trust its certificate: name it, or its issuer's, in option tls-trusted"
          : "neither its certificate nor its issuer's is in '%s' (option tls-trusted)"
              .formatted(tls.trusted());
    }
    return causes(failure)
        .filter(ConnectFailure::isOfNames)
        .findFirst()
        .map(cause ->
            "its certificate is for another host: %s Use a host that it names (option contact-points), or set tls-verify-hostname: false"
                .formatted(cause.getMessage()))
        .orElse("TLS fails: " + message);
  }

  private static boolean isOfNames(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    return cause.getClass() == CertificateException.class
        && (message.contains("subject alternative") || message.contains("No name matching"));
  }
}
