package dev.varve.server.security;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The files that define the users and the encryption of a server.
 *
 * @param web file in the format of Prometheus' exporter-toolkit: TLS and users with passwords; null
 *     for neither
 * @param users file with the users and their rights; null if every authenticated user has all
 *     rights
 * @param allowAnonymous whether the server may listen beyond loopback without authentication
 */
public record AccessFiles(@Nullable Path web, @Nullable Path users, boolean allowAnonymous) {
  /** No TLS and no authentication, on loopback only. */
  public static final AccessFiles NONE = new AccessFiles(null, null, false);
}
