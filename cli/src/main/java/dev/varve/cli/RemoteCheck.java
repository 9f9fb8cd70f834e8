package dev.varve.cli;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.JsonTree;
import dev.varve.cli.target.ServerConnection;
import dev.varve.cli.target.ServerRequest;
import dev.varve.engine.check.AffectedSeries;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.check.CheckProgress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** A check that is run by a server. */
final class RemoteCheck {
  private RemoteCheck() {}

  /**
   * Requests a check and prints its findings as they arrive.
   *
   * @param rate limit in MB per second; null for the server's default
   * @return the outcome
   * @throws CommandFailedException if the server refuses the check or the answer breaks off
   */
  static CheckProgress run(
      ServerConnection connection,
      @Nullable Integer rate,
      Consumer<CheckProgress> progress,
      Consumer<CheckFinding> found) {
    String form = rate == null ? "" : "rate=" + rate;
    ServerRequest request =
        ServerRequest.post("/varve/v1/check", form.getBytes(StandardCharsets.US_ASCII))
            .with("Content-Type", "application/x-www-form-urlencoded");
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(connection.send(request), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Object object = JsonTree.parse(line);
        if (((Map<?, ?>) object).containsKey("severity")) {
          found.accept(finding(object));
          continue;
        }
        CheckProgress now = progress(object);
        if (JsonTree.member(object, "done").equals(true)) {
          return now;
        }
        progress.accept(now);
      }
    } catch (IOException | JacksonException e) {
      throw brokeOff(e.getMessage());
    }
    throw brokeOff("it was stopped");
  }

  private static CommandFailedException brokeOff(@Nullable String why) {
    return new CommandFailedException(
        "the server broke off the check, which has to be started again: " + why);
  }

  private static CheckProgress progress(Object object) {
    return new CheckProgress(
        text(object, "doing"),
        number(object, "bytes"),
        number(object, "rows"),
        number(object, "cells"),
        number(object, "damages"));
  }

  private static CheckFinding finding(Object object) {
    List<AffectedSeries> affected = new ArrayList<>();
    for (Object series : (List<?>) JsonTree.member(object, "affected")) {
      affected.add(
          new AffectedSeries(
              text(series, "dataset"),
              text(series, "series"),
              Instant.parse(text(series, "from")),
              Instant.parse(text(series, "to"))));
    }
    return new CheckFinding(
        Severity.valueOf(text(object, "severity").toUpperCase(Locale.ROOT)),
        text(object, "place"),
        text(object, "text"),
        affected,
        number(object, "affectedSeries"));
  }

  private static String text(Object object, String name) {
    return JsonTree.member(object, name).toString();
  }

  private static long number(Object object, String name) {
    return (Long) JsonTree.member(object, name);
  }
}
