package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names the permission that a user needs for a request that Cassandra refused. */
final class Grants {
  private static final Pattern REFUSED =
      Pattern.compile("User (.+) has no (\\w+) permission on <(.+)> or any of its parents");

  private Grants() {}

  /**
   * Returns the refusal and the statement that grants the permission; null if a failure is not a
   * refusal.
   *
   * @param keyspace the keyspace, quoted for CQL
   */
  static @Nullable String missing(@Nullable Throwable failure, String keyspace) {
    if (!(failure instanceof UnauthorizedException)) {
      return null;
    }
    Matcher refused = REFUSED.matcher(String.valueOf(failure.getMessage()));
    if (!refused.find()) {
      return failure.getMessage();
    }
    return "%s. An administrator has to run: GRANT %s ON %s TO %s"
        .formatted(
            failure.getMessage(),
            refused.group(2),
            refused.group(3).equals("all keyspaces") ? "ALL KEYSPACES" : "KEYSPACE " + keyspace,
            CqlNames.quoted(refused.group(1)));
  }
}
