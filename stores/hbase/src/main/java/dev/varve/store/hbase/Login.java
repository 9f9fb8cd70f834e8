package dev.varve.store.hbase;

import dev.varve.store.StoreException;
import dev.varve.store.hbase.HBaseOptions.Kerberos;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;
import javax.security.auth.login.LoginException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/**
 * Logs in to Kerberos. Each store has its own user, because other parts of this process may use
 * another identity, or none, with other clusters. The connection logs in again before the ticket
 * expires.
 */
final class Login {
  private static final String SERVERS =
      "The servers of a realm are named in krb5.conf: the system's, or the one given with -Djava.security.krb5.conf";

  /** Parts of Java's messages, and what to do about them. */
  private record Advice(List<String> said, String advice) {}

  private static final List<Advice> ADVICE =
      List.of(
          new Advice(
              List.of("Client not found in Kerberos database"),
              "Kerberos does not know this principal: is option principal written as 'klist -k' shows it?"),
          new Advice(
              List.of("Pre-authentication", "Checksum failed", "Integrity check"),
              "The key in the keytab is not the principal's, which may have a new key since: export the keytab again"),
          new Advice(
              List.of("Clock skew"),
              "The clocks of this machine and of the Kerberos server differ"),
          new Advice(
              List.of("Cannot get Kerberos realm", "Can't get Kerberos realm", "default realm"),
              "No realm is known. " + SERVERS),
          new Advice(
              List.of(
                  "Connection refused",
                  "timed out",
                  "Cannot get kdc",
                  "Cannot locate KDC",
                  "Network is unreachable",
                  "No route to host",
                  "UnknownHost"),
              "No Kerberos server could be reached. " + SERVERS));

  private final Kerberos kerberos;
  private final Duration atMost;

  /**
   * Creates a login; sends nothing yet.
   *
   * @param atMost timeout of the login. Java itself waits minutes for a silent server
   */
  Login(Kerberos kerberos, Duration atMost) {
    this.kerberos = kerberos;
    this.atMost = atMost;
  }

  /**
   * Requests a ticket.
   *
   * @throws StoreException naming the cause and a remedy, if there is no ticket
   */
  User user(Configuration settings) {
    Path keytab = Path.of(kerberos.keytab());
    if (!Files.isRegularFile(keytab) || !Files.isReadable(keytab)) {
      throw failed(
          "the keytab %s. Option keytab must name a file that this process can read"
              .formatted(Files.exists(keytab) ? "is not a readable file" : "does not exist"),
          null);
    }
    FutureTask<User> login = new FutureTask<>(() -> user(settings, keytab));
    Thread.ofPlatform().daemon().name("hbase-login").start(login);
    try {
      return login.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw failed(
          "no answer within operation-timeout, %d ms. %s".formatted(atMost.toMillis(), SERVERS), e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof StoreException known ? known : failed(reason(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("interrupted", e);
    }
  }

  private User user(Configuration settings, Path keytab) throws IOException {
    UserGroupInformation.setConfiguration(settings);
    String principal = SecurityUtil.getServerPrincipal(kerberos.principal(), "");
    KerberosPrincipal owner = new KerberosPrincipal(principal);
    if (KeyTab.getInstance(owner, keytab.toFile()).getKeys(owner).length == 0) {
      throw failed(
          "the keytab has no key of this principal; 'klist -k %s' lists its principals"
              .formatted(keytab),
          null);
    }
    return User.create(
        UserGroupInformation.loginUserFromKeytabAndReturnUGI(principal, keytab.toString()));
  }

  /** Returns Java's reason for a failed login, with advice if there is any. */
  private static String reason(ExecutionException failure) {
    Throwable cause = failure.getCause();
    Throwable said = cause == null ? failure : cause;
    for (@Nullable Throwable at = cause; at != null; at = at.getCause()) {
      if (at instanceof LoginException) {
        said = at;
      }
    }
    String message = said.getMessage();
    String reason = message == null ? said.getClass().getSimpleName() : message;
    return ADVICE.stream()
        .filter(advice -> advice.said.stream().anyMatch(reason::contains))
        .findFirst()
        .map(advice -> reason + ". " + advice.advice)
        .orElse(reason);
  }

  private StoreException failed(String why, @Nullable Throwable cause) {
    String message =
        "hbase store: logging in to Kerberos as '%s' with keytab '%s': %s"
            .formatted(kerberos.principal(), kerberos.keytab(), why);
    return cause == null ? new StoreException(message) : new StoreException(message, cause);
  }
}
