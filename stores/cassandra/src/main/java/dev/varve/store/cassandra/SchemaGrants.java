package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import org.jspecify.annotations.Nullable;

/** What a user must be granted for a change of the schema. */
final class SchemaGrants {
  private SchemaGrants() {}

  /**
   * Says what is missing where a change was refused for lack of it; null where it was not.
   *
   * @param keyspace as CQL has it
   */
  static @Nullable String missing(@Nullable Throwable failure, String cql, String keyspace) {
    if (!(failure instanceof UnauthorizedException)) {
      return null;
    }
    String grant =
        cql.startsWith("CREATE KEYSPACE")
            ? "CREATE ON ALL KEYSPACES"
            : "%s ON KEYSPACE %s".formatted(cql.substring(0, cql.indexOf(' ')), keyspace);
    return "cassandra: the user of this store may not run: %s. Let an administrator run it, or GRANT %s (%s)"
        .formatted(cql, grant, failure.getMessage());
  }
}
