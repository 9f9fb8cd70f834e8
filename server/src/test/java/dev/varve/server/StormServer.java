package dev.varve.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** A server in its own process with a given heap size; it ends when its standard input ends. */
final class StormServer {
  /** The feeds that it listens for, on the ports after HTTP. */
  static final List<ServerConfig.Feed> FEEDS =
      List.of(
          new ServerConfig.Feed.Influx("ms"),
          new ServerConfig.Feed.Graphite(false, List.of()),
          new ServerConfig.Feed.Graphite(true, List.of()));

  private StormServer() {}

  /** Takes a directory as argument and prints the ports in order. */
  public static void main(String[] args) throws IOException {
    try (TestServer server = new TestServer(Path.of(args[0]), null, FEEDS, "buckets")) {
      System.out.println(
          server.ports().stream().map(String::valueOf).collect(Collectors.joining(" ")));
      while (System.in.read() >= 0) {
        // Input is ignored.
      }
    }
  }
}
