package dev.varve.server.prometheus;

import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.server.FuzzIntake;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.KnownKeys;
import java.util.Arrays;

/** Fuzzes messages of remote write; an odd first byte selects version 2.0. */
public final class RemoteWriteFuzz {
  private RemoteWriteFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] message = Arrays.copyOfRange(input, 1, input.length);
    Intake intake = FuzzIntake.next();
    KnownKeys known = new KnownKeys(1 << 20);
    RemoteWriteIntake into = new RemoteWriteIntake(intake, known, true);
    try {
      if (input[0] % 2 == 0) {
        new RemoteWrite1Reader(intake, known, into).read(message, message.length);
      } else {
        new RemoteWrite2Reader(intake.memory(), into).read(message, message.length);
      }
    } catch (MalformedMessageException e) {
      into.write();
    }
  }
}
