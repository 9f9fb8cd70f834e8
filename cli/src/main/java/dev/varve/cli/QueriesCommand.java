package dev.varve.cli;

import dev.varve.cli.io.JsonTree;
import dev.varve.cli.io.OutputFormat;
import dev.varve.cli.io.Records;
import dev.varve.cli.target.ServerConnection;
import dev.varve.cli.target.ServerOptions;
import dev.varve.cli.target.ServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve queries}, and {@code varve queries kill ID}. */
@Command(
    name = "queries",
    description = "Lists the queries that wait or run in a server, or ends one.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    subcommands = QueriesCommand.Kill.class,
    footer = {"", "Examples:", "  varve queries", "  varve queries kill 3f9a01c2-17"})
final class QueriesCommand implements Callable<Integer> {
  private static final String PATH = "/api/v1/status/queries";

  @Mixin private ServerOptions server;

  @Option(
      names = "--output",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    try (ServerConnection connection = server.connect();
        Records records =
            new Records(
                output,
                spec.commandLine().getOut(),
                "id",
                "state",
                "ran",
                "waited",
                "language",
                "dataset",
                "series",
                "samples",
                "bytes",
                "client",
                "text")) {
      Object data = JsonTree.member(answer(connection, ServerRequest.get(PATH)), "data");
      for (Object query : (List<?>) JsonTree.member(data, "queries")) {
        records.add(
            JsonTree.member(query, "id"),
            JsonTree.member(query, "state"),
            time(JsonTree.member(query, "ranMs")),
            time(JsonTree.member(query, "waitedMs")),
            JsonTree.member(query, "language"),
            JsonTree.member(query, "dataset"),
            series(query),
            JsonTree.member(query, "samplesRead"),
            JsonTree.member(query, "bytesHeld"),
            JsonTree.member(query, "client"),
            text(JsonTree.member(query, "text")));
      }
      if (records.count() == 0) {
        spec.commandLine().getErr().println("varve: no query waits or runs");
      }
    }
    return 0;
  }

  /** Formats milliseconds: as seconds for people, unchanged for programs. */
  private Object time(Object millis) {
    return output == OutputFormat.table && millis instanceof Long number
        ? "%d.%03d s".formatted(number / 1000, number % 1000)
        : millis;
  }

  private Object series(Object query) {
    Object read = JsonTree.member(query, "seriesRead");
    return output == OutputFormat.table
        ? read + "/" + JsonTree.member(query, "seriesMatched")
        : read;
  }

  /** Removes line breaks, which would break a table. */
  private Object text(Object text) {
    return output == OutputFormat.table ? text.toString().replaceAll("\\s+", " ") : text;
  }

  private static Object answer(ServerConnection connection, ServerRequest request) {
    try (InputStream body = connection.send(request)) {
      return JsonTree.parse(new String(body.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@code varve queries kill ID}. */
  @Command(
      name = "kill",
      description = "Ends a query. Its client gets an error.",
      mixinStandardHelpOptions = true,
      sortOptions = false)
  static final class Kill implements Callable<Integer> {
    @Parameters(paramLabel = "ID", description = "As 'varve queries' shows it.")
    private String id;

    @Mixin private ServerOptions server;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      try (ServerConnection connection = server.connect()) {
        String path = PATH + "/" + URLEncoder.encode(id, StandardCharsets.UTF_8) + "/kill";
        answer(connection, ServerRequest.post(path, new byte[0]));
        spec.commandLine().getErr().println("varve: killed " + id);
      }
      return 0;
    }
  }
}
