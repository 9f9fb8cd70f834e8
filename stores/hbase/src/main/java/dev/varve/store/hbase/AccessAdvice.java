package dev.varve.store.hbase;

import dev.varve.store.StoreException;
import dev.varve.store.hbase.HBaseOptions.Kerberos;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Advice for errors of HBase that an administrator or another configuration can resolve. */
final class AccessAdvice {
  private static final List<String> NOT_THE_SERVER =
      List.of("Server not found in Kerberos", "is not expected", "the expected format");

  private final @Nullable Kerberos kerberos;
  private final String namespace;

  AccessAdvice(HBaseOptions options) {
    this.kerberos = options.kerberos();
    this.namespace = options.namespace();
  }

  /** Converts a failed call of the master to an exception, with advice if there is any. */
  StoreException failed(Failure failure, String doing) {
    String advice = advice(failure.reason());
    if (advice == null) {
      return failure.toException(doing);
    }
    String reason = failure.reason().replaceFirst("\\.$", "") + ". " + advice;
    return new Failure(failure.kind(), reason, failure.cause()).toException(doing);
  }

  private @Nullable String advice(String reason) {
    if (reason.contains("AccessDeniedException")) {
      return "In HBase's shell, grant 'USER', 'RC', '@%s' lets a user read; 'RWC' also allows writing and creating tables"
          .formatted(namespace);
    }
    if (reason.contains("NamespaceNotFoundException")) {
      return "Only an administrator can create a namespace here; in HBase's shell: create_namespace '%s'"
          .formatted(namespace);
    }
    if (kerberos == null) {
      return reason.contains("ConnectionClosedException")
          ? "The server closes the connection, as a server that requires Kerberos does: set options principal and keytab to log in"
          : null;
    }
    if (NOT_THE_SERVER.stream().anyMatch(reason::contains)) {
      return "The servers are not '%s': option server-principal must match hbase.master.kerberos.principal and hbase.regionserver.kerberos.principal in their hbase-site.xml"
          .formatted(kerberos.serverPrincipal());
    }
    if (reason.contains("FallbackDisallowedException")) {
      return "This HBase does not use Kerberos: leave out options principal, keytab and server-principal";
    }
    return reason.contains("No common protection layer")
        ? "Option hbase.rpc.protection does not match the servers' hbase-site.xml: leave it out to use theirs"
        : null;
  }
}
