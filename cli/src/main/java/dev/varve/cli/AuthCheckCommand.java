package dev.varve.cli;

import dev.varve.cli.config.VarveConfig;
import dev.varve.server.AccessCheck;
import dev.varve.server.AccessCheck.Decision;
import dev.varve.server.ServerConfig;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve auth check}. */
@Command(
    name = "check",
    description =
        "Decides whether a user may send a request, from the configuration and its files alone.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Examples:",
      "  varve auth check grafana GET /api/v1/query --users.file users.yml",
      "  varve auth check agent POST /datasets/metrics/api/v1/write",
      "",
      "Exit code: 0 if the request is admitted, 1 if it is refused. '-' as USER is a request that proves nothing."
    })
final class AuthCheckCommand implements Callable<Integer> {
  @Mixin private ConfigOptions config;
  @Mixin private AccessOptions access;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "The listener that gets the request (default: the first that speaks HTTP).")
  private @Nullable Integer port;

  @Parameters(index = "0", paramLabel = "USER")
  private String user;

  @Parameters(index = "1", paramLabel = "METHOD")
  private String method;

  @Parameters(index = "2", paramLabel = "PATH")
  private String path;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    VarveConfig read = config.read();
    ServerConfig server =
        new ServerConfig(
            read.listeners(),
            read.http(),
            read.queries(),
            null,
            null,
            null,
            read.rules(),
            read.door(),
            read.web(),
            read.deletes(),
            access.over(read.access()));
    AccessCheck check = new AccessCheck(server, read.engine().defaultDataset());
    Decision decision;
    try {
      String name = user.equals("-") ? null : user;
      decision = check.decide(name, method.toUpperCase(Locale.ROOT), path, port);
    } catch (IllegalArgumentException e) {
      throw new WrongCallException(String.valueOf(e.getMessage()));
    }
    PrintWriter out = spec.commandLine().getOut();
    boolean admitted = decision.status() == 200;
    out.println(
        admitted
            ? "admitted: it needs the right '%s'".formatted(decision.right().word())
            : decision.status() + ": " + decision.reason());
    if (!decision.further().isEmpty()) {
      out.println("it needs also " + decision.further());
    }
    return admitted ? 0 : 1;
  }
}
