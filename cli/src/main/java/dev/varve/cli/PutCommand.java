package dev.varve.cli;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.OutcomeOption;
import dev.varve.cli.io.Records;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import dev.varve.formats.points.PointFormatException;
import dev.varve.formats.points.PointReader;
import dev.varve.model.BatchBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve put}. */
@Command(
    name = "put",
    description = "Writes points in the point form, given as arguments or on stdin, one a line.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Example:",
      "  varve put '{\"metric\":\"door\",\"tags\":{\"room\":\"lab\"},\"time\":1700000000000,\"value\":1}'",
      "",
      "It ends with 0 once every point is on disk, with 1 if any was refused."
    })
final class PutCommand implements Callable<Integer> {
  private static final int BATCH_SAMPLES = 10_000;

  @Mixin private TargetOptions targetOptions;

  @Parameters(paramLabel = "POINT", description = "Points; stdin is read where there are none.")
  private List<String> points = List.of();

  @Mixin private OutcomeOption outcome;

  @Spec private CommandSpec spec;

  private long accepted;
  private long refused;

  @Override
  public Integer call() throws IOException {
    try (Target target = targetOptions.open()) {
      BatchBuilder batch = new BatchBuilder();
      if (points.isEmpty()) {
        readStdin(batch, target);
      } else {
        for (int i = 0; i < points.size(); i++) {
          add(points.get(i), "point " + (i + 1), batch, target);
        }
      }
      write(batch, target);
    }
    try (Records records =
        new Records(outcome.format(), spec.commandLine().getOut(), "accepted", "refused")) {
      records.add(accepted, refused);
    }
    return refused == 0 ? 0 : 1;
  }

  private void readStdin(BatchBuilder batch, Target target) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8.newDecoder()));
    long number = 0;
    try {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        add(line, "line " + ++number, batch, target);
      }
    } catch (CharacterCodingException e) {
      throw new CommandFailedException("after line " + number + " stdin is not UTF-8");
    }
  }

  private void add(String text, String where, BatchBuilder batch, Target target) {
    if (text.isBlank()) {
      return;
    }
    try {
      PointReader.read(text).addTo(batch);
    } catch (PointFormatException e) {
      refused++;
      spec.commandLine().getErr().println("varve: " + where + ": " + e.getMessage());
    }
    if (batch.sampleCount() >= BATCH_SAMPLES) {
      write(batch, target);
    }
  }

  private void write(BatchBuilder batch, Target target) {
    if (batch.isEmpty()) {
      return;
    }
    Target.Written written = target.write(batch.build(), true);
    accepted += written.accepted();
    refused += written.refused();
    written.reasons().forEach(reason -> spec.commandLine().getErr().println("varve: " + reason));
  }
}
