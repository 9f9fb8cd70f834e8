package dev.varve.server.security;

import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.server.http.Caller;
import dev.varve.server.http.Right;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A user of the users file, who is known by at least one of password, token, certificate and signed
 * tokens.
 *
 * @param name name in basic authentication, messages and logs
 * @param password bcrypt hash or plain text; null for none
 * @param token bearer token; null for none
 * @param certificate alternative or common name in the client's certificate; null for none
 * @param jwt the conditions on its signed tokens; null for none
 * @param datasets null for all
 * @param bounds the series that the user may use; null for all
 */
record User(
    String name,
    @Nullable String password,
    @Nullable String token,
    @Nullable String certificate,
    @Nullable JwtRule jwt,
    Set<Right> rights,
    @Nullable Set<String> datasets,
    @Nullable SeriesBounds bounds) {
  User {
    rights = Set.copyOf(rights);
    datasets = datasets == null ? null : Set.copyOf(datasets);
  }

  Caller caller() {
    return new Caller(name, rights, datasets, bounds, true);
  }

  /** Leaves out what is secret. */
  @Override
  public String toString() {
    return name;
  }
}
