package dev.varve.cli;

import dev.varve.server.security.AccessFiles;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name the files with TLS and users, instead of the configuration. */
final class AccessOptions {
  @Option(
      names = "--web.config.file",
      paramLabel = "FILE",
      description =
          "TLS and users with passwords, in the format of Prometheus' web configuration, instead of the configuration's web.config-file. The server reads it again when it changes.")
  private @Nullable Path webConfig;

  @Option(
      names = "--users.file",
      paramLabel = "FILE",
      description =
          "Users with their rights, instead of the configuration's web.users-file. The server reads it again when it changes.")
  private @Nullable Path users;

  /**
   * Returns the files of the options, and those of the configuration for options that are missing.
   */
  AccessFiles over(AccessFiles configured) {
    return new AccessFiles(
        webConfig == null ? configured.web() : webConfig,
        users == null ? configured.users() : users,
        configured.allowAnonymous());
  }
}
