package dev.varve.cli;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.JsonTree;
import dev.varve.cli.target.NotFoundException;
import dev.varve.cli.target.ServerConnection;
import dev.varve.cli.target.ServerRequest;
import dev.varve.engine.backup.SnapshotSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Snapshots of a running server, requested through the socket of its data directory. */
final class ServerSnapshots implements SnapshotSource {
  private static final byte[] NO_BODY = {};

  private final ServerConnection server;
  private final Path data;

  ServerSnapshots(ServerConnection server, Path data) {
    this.server = server;
    this.data = data;
  }

  @Override
  public Taken create() {
    String answer = send("/snapshot/create");
    String name = JsonTree.member(JsonTree.parse(answer), "snapshot").toString();
    return new Taken(name, data.resolve("snapshots").resolve(name));
  }

  @Override
  public void delete(String name) {
    try {
      send("/snapshot/delete?snapshot=" + name);
    } catch (NotFoundException e) {
      // Somebody else deleted it.
    }
  }

  private String send(String path) {
    try (InputStream answer = server.send(ServerRequest.post(path, NO_BODY))) {
      return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new CommandFailedException("the server broke off its answer: " + e.getMessage());
    }
  }
}
