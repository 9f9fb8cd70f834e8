package dev.varve.server;

import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.security.AccessRules;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares the listeners with the access rules: who can reach a port, and who must authenticate.
 */
record Exposure(ServerConfig config) {
  /** Returns why the server must not listen with these rules; empty if it may. */
  List<String> objections(AccessRules rules) {
    List<String> objections = new ArrayList<>();
    for (Listener listener : config.listen()) {
      String as = listener.as();
      if (as != null && listener.feed() == null) {
        objections.add(
            "listen %s: 'as' is of a feed; clients of HTTP say themselves who they are"
                .formatted(listener));
      } else if (as != null && rules.named(as) == null) {
        objections.add(
            "listen %s: as: there is no user '%s'; known are: %s"
                .formatted(listener, as, String.join(", ", rules.names())));
      } else if (as == null
          && listener.feed() != null
          && rules.authenticates()
          && !rules.knowsCertificates()) {
        objections.add(
            "listen %s: a feed sends no password: say 'as: USER' for all that reaches this listener, or name users by client_certificate in a users file, with a client_auth_type that verifies"
                .formatted(listener));
      }
      if (!listener.isOnLoopback() && !rules.authenticates() && !config.access().allowAnonymous()) {
        objections.add(
            "listen %s: other machines reach this without authentication: anyone who can connect could read, write and delete. Name users with --web.config.file, listen on 127.0.0.1, or say 'allow-anonymous: true' (--set allow-anonymous=true) if a proxy or firewall decides who comes"
                .formatted(listener));
      }
    }
    return objections;
  }
}
