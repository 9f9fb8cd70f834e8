package dev.varve.server;

import dev.varve.server.http.Caller;
import dev.varve.server.http.ClientAddress;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Sender;
import dev.varve.server.http.SenderRefusedException;
import dev.varve.server.security.AccessControl;
import dev.varve.server.security.AccessRules;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a feed's connection: the user of its certificate, or the user whom {@code as} of
 * the listener names. The sender is looked up again only when the rules have changed or the
 * certificate has expired.
 */
final class FeedSender implements Sender {
  private final AccessControl access;
  private final @Nullable String as;
  private final @Nullable X509Certificate certificate;
  private final ClientAddress client;
  private final Supplier<String> dataset;
  private final Clock clock;
  private @Nullable AccessRules known;
  private Caller caller = Caller.ANYONE;

  /**
   * @param as name of the user whom {@code as} of the listener names; null if certificates name
   *     users
   * @param certificate the client's certificate; null for none
   * @param dataset returns the name of the dataset to which the lines go; fails with {@link
   *     HttpError} until the stores are open
   */
  FeedSender(
      AccessControl access,
      @Nullable String as,
      @Nullable X509Certificate certificate,
      ClientAddress client,
      Supplier<String> dataset,
      Clock clock) {
    this.access = access;
    this.as = as;
    this.certificate = certificate;
    this.client = client;
    this.dataset = dataset;
    this.clock = clock;
  }

  @Override
  public Caller now() {
    AccessRules rules = access.rules();
    if (rules != known || hasExpired()) {
      caller = rules.authenticates() ? admitted(rules) : Caller.ANYONE;
      known = rules;
    }
    return caller;
  }

  private boolean hasExpired() {
    return as == null
        && certificate != null
        && certificate.getNotAfter().toInstant().isBefore(clock.instant());
  }

  private Caller admitted(AccessRules rules) {
    Caller found = as == null ? rules.withCertificate(certificate) : rules.named(as);
    if (found == null) {
      throw refused(
          as != null
              ? "user '%s', whom 'as' of this listener names, no longer exists".formatted(as)
              : hasExpired()
                  ? "the certificate of the connection has expired"
                  : "this server authenticates, and the connection has no certificate of a user");
    }
    try {
      if (AccessRules.mayWrite(found, dataset.get())) {
        return found;
      }
    } catch (HttpError e) {
      throw new SenderRefusedException(String.valueOf(e.getMessage()));
    }
    throw refused("user '%s' may not write here".formatted(found.name()));
  }

  private SenderRefusedException refused(String reason) {
    access.refused(client.toString());
    return new SenderRefusedException(reason);
  }
}
