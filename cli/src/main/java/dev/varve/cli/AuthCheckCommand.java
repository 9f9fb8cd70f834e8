package dev.varve.cli;

import dev.varve.cli.config.VarveConfig;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.ConfigOptions;
import dev.varve.server.AccessCheck;
import dev.varve.server.AccessCheck.Decision;
import dev.varve.server.AccessCheck.Request;
import dev.varve.server.ServerConfig;
import dev.varve.server.http.Right;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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
      "  varve auth check agent POST /api/v1/write --header 'X-Scope-OrgID: metrics'",
      "  varve auth check grafana POST /api/query --body-file query.json",
      "",
      "Exit code: 0 if the request is admitted, 1 if it is refused. '-' as USER is a request that"
          + " proves nothing."
    })
final class AuthCheckCommand implements Callable<Integer> {
  @Mixin private ConfigOptions config;
  @Mixin private AccessOptions access;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "The listener that gets the request (default: the first that speaks HTTP).")
  private @Nullable Integer port;

  @Option(
      names = "--header",
      paramLabel = "HEADER",
      description = "A header of the request, as 'NAME: VALUE'; may be given several times.")
  private List<String> headers = List.of();

  @Option(names = "--body", paramLabel = "TEXT", description = "The body of the request.")
  private String body = "";

  @Option(
      names = "--body-file",
      paramLabel = "FILE",
      description = "The file that holds the body of the request.")
  private @Nullable Path bodyFile;

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
      decision = check.decide(name, request(), port);
    } catch (IllegalArgumentException e) {
      throw new WrongCallException(String.valueOf(e.getMessage()));
    }
    PrintWriter out = spec.commandLine().getOut();
    boolean admitted = decision.status() == 200;
    out.println(
        admitted
            ? "admitted: it needs the right " + words(decision.rights())
            : decision.status() + ": " + decision.reason());
    if (!decision.further().isEmpty()) {
      out.println("it needs also " + decision.further());
    }
    return admitted ? 0 : 1;
  }

  private static String words(Set<Right> rights) {
    return rights.stream()
        .sorted()
        .map(right -> "'" + right.word() + "'")
        .collect(Collectors.joining(" and "));
  }

  private Request request() {
    Map<String, String> named = new LinkedHashMap<>();
    for (String header : headers) {
      int colon = header.indexOf(':');
      if (colon < 1) {
        throw new WrongCallException(
            "--header '%s' is no header such as 'X-Scope-OrgID: metrics'".formatted(header));
      }
      named.put(header.substring(0, colon).strip(), header.substring(colon + 1).strip());
    }
    return new Request(method.toUpperCase(Locale.ROOT), path, named, body());
  }

  private String body() {
    if (bodyFile == null) {
      return body;
    }
    try {
      return Files.readString(bodyFile);
    } catch (IOException e) {
      throw new WrongCallException("--body-file %s cannot be read: %s".formatted(bodyFile, e));
    }
  }
}
